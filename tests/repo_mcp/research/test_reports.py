"""What holds for every report: citations exist and hold their names, equal questions get equal bytes."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from repo_mcp.research.edges.execution import order_findings
from repo_mcp.research.findings.records import Focus, Report
from repo_mcp.research.findings.research_state import MAX_FINDINGS
from repo_mcp.text.citations import write_citation
from tests.architecture.source_tree import ROOT
from tests.deep.sizes import IS_DEEP, examples
from tests.repo_mcp.research.asking import Asked
from tests.repo_mcp.research.report_digest import ASKED, OWN, QUESTIONS, digest
from tests.repo_mcp.research.test_research_answers import CONFORMING, SERVICE


@pytest.fixture(scope="module")
def own() -> Asked:
    """Return the files of our own graph."""
    return Asked(OWN)


def check_report(report: Report, texts: dict[str, str]) -> None:
    """Check that citations exist, their lines hold the name, and every end of an edge is a node."""
    keys = [node.key for node in report.map_nodes]
    assert len(keys) == len(set(keys))
    assert len(report.findings) <= MAX_FINDINGS
    for one in report.findings:
        lines = texts[one.path].split("\n")
        assert 1 <= one.start_line <= one.end_line <= len(lines)
        assert one.name in "\n".join(lines[one.start_line - 1 : one.end_line])
        assert one.citation == write_citation(one.path, one.start_line, one.end_line)
        assert one.why
        for row in one.excerpt.splitlines():
            number, tab, text = row.partition("\t")
            assert not tab or lines[int(number) - 1].strip().startswith(text.strip().removesuffix("…"))
    citations = [edge.citation for edge in report.map_edges if edge.citation]
    citations += [citation for chain in report.chains for citation in chain.citations]
    citations += [one.citation for one in report.entry_points] + [
        one.citation for one in report.outside or ()
    ]
    citations += [citation for shape in report.shapes or () for citation in shape.citations]
    for citation in citations:
        path, _, span = citation.rpartition(":")
        start, _, end = span.partition("-")
        assert 1 <= int(start) <= int(end or start) <= len(texts[path].split("\n"))
    assert all({edge.source, edge.target} <= set(keys) for edge in report.map_edges)


@pytest.mark.parametrize(("question", "focus"), ASKED)
def test_what_a_report_names_is_there(own: Asked, question: str, focus: Focus | None) -> None:
    report = own.ask(question, depth=3, focus=focus)
    assert report.findings
    check_report(report, OWN)


@pytest.mark.parametrize("language", CONFORMING)
def test_what_is_named_is_there_in_other_languages(language: str) -> None:
    texts, _ = CONFORMING[language]
    report = Asked(texts).ask("all implementations of Authenticatable")
    check_report(report, texts)


def test_a_call_is_cited_by_the_line_that_makes_it() -> None:
    report = Asked(SERVICE).ask("what calls make_token", depth=4)
    names = {node.key: node.label.rpartition(".")[2] for node in report.map_nodes}
    for edge in report.map_edges:
        path, _, span = edge.citation.rpartition(":")
        line = SERVICE[path].split("\n")[int(span.partition("-")[0]) - 1]
        assert names[edge.target] in line


def test_lines_that_changed_since_are_left_out_and_counted() -> None:
    asked = Asked(dict(SERVICE))
    changed = Asked({**SERVICE, "service/web.py": "# all gone\n"}, has_graph=False)
    changed._graph = asked._graph
    report = changed.ask("what calls authenticate")
    assert "service.web.login" not in [one.symbol for one in report.findings]
    assert any("Places left out" in warning for warning in report.warnings)


WORDS = st.sampled_from(
    """
    what calls how does reach where is configured all implementations of depends on architecture login()
    SessionStore service/web.py service/ `x` a.b.c :: -> \0 () é
    """.split()  # noqa: SIM905
)


@settings(max_examples=examples(150))
@given(st.one_of(st.text(min_size=1, max_size=80), st.lists(WORDS, min_size=1, max_size=9).map(" ".join)))
def test_any_question_has_a_report_that_holds(service: Asked, question: str) -> None:
    if question.strip():
        for focus in (None, Focus.PATTERNS):
            check_report(service.ask(question, focus=focus), SERVICE)


@pytest.fixture(scope="module")
def service() -> Asked:
    return Asked(SERVICE)


STEP = 1 if IS_DEEP else 4
DIGEST = f"""
from tests.repo_mcp.research.asking import Asked
from tests.repo_mcp.research.report_digest import OWN, digest
print(digest(Asked(OWN), {STEP}))
"""


@pytest.mark.sized
def test_equal_trees_and_questions_have_equal_reports_whatever_the_hash_seed(own: Asked) -> None:
    """The seed of this process is another than that of the one it starts."""
    seed = "1" if os.environ.get("PYTHONHASHSEED") != "1" else "4242"
    done = subprocess.run(
        [sys.executable, "-c", DIGEST],
        env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT)},
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert len(done.stdout) > 100
    assert done.stdout.strip() == digest(own, STEP)


def test_the_history_of_questions_changes_no_answer(own: Asked) -> None:
    for question in QUESTIONS:
        own.ask(question)
    assert own.ask(QUESTIONS[0]) == Asked(OWN).ask(QUESTIONS[0])


def test_of_a_deep_question_each_hop_has_its_share_of_what_is_shown() -> None:
    wide = "".join(f"def near_{n}():\n    core()\n\n\n" for n in range(30))
    deep = "".join(f"def step_{n}():\n    {f'step_{n - 1}' if n else 'near_0'}()\n\n\n" for n in range(4))
    report = Asked({"m.py": f"def core():\n    pass\n\n\n{wide}{deep}"}).ask("what calls core", depth=5)
    order = order_findings(report.findings)
    assert sorted(order) == list(range(len(report.findings)))
    assert {report.findings[at].hop for at in order[:12]} == {0, 1, 2, 3, 4, 5}
    assert [report.findings[at].hop for at in order[:2]] == [0, 1]


def test_what_a_focus_adds_is_not_told_as_a_caller() -> None:
    texts = {
        "box.py": "LIMIT = 3\n\n\ndef pack(box):\n    seal(box)\n    return LIMIT\n\n\n"
        "def seal(box):\n    return box\n",
        "van.py": "from box import pack\n\n\ndef load(box):\n    return pack(box)\n",
    }
    claim = Asked(texts).ask("what calls pack()?", focus=Focus.DEPENDENCIES).claim
    assert claim == "box.pack (box.py:4-6) is called by van.load (van.py:4-5)."
