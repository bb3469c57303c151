"""Questions to the documentation of one small tree, and what must not move the answer."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from repo_mcp.config.server_config import load_config
from repo_mcp.documentation import doc_comments
from repo_mcp.documentation.documents import ScoreShares, is_document
from repo_mcp.documentation.query_words import WEIGHTS
from repo_mcp.documentation.records import DocsAnswer, DocsRequest
from repo_mcp.documentation.search import NO_PHRASE, NOTHING_HERE
from repo_mcp.errors import ErrorCode, RepoError
from repo_mcp.repository import Repository
from repo_mcp.workspace.glob_filter import GlobFilter
from tests.deep.sizes import choose
from tests.growth import HANG_SECONDS
from tests.written_trees import write_tree

TREE = {
    "README.md": "# Kettle\n\nBoils water.\n\n## Installation\n\nRun `pip install kettle`.\n",
    "docs/guide.md": (
        "# Guide\n\nHow to use it.\n\n## Installation\n\n### pip\n\nInstall the wheel with pip.\n\n"
        "### From source\n\nClone it and build it with make.\n\n## Temperature\n\n"
        "Set how hot the water gets.\n\n```sh\n# Not a heading\nkettle --temperature 80\n```\n"
    ),
    "docs/reference.rst": (
        "Reference\n=========\n\nTemperature sensor\n------------------\n\nReads the heat of the water.\n\n"
        "Alarm\n-----\n\nRings when the water boils.\n"
    ),
    "docs/manual.adoc": "= Manual\n\n== Descaling\n\nUse vinegar to get rid of lime.\n",
    "docs/de/guide.md": "# Guide\n\n## Temperature\n\nWie heiss das Wasser wird.\n",
    "CHANGELOG.md": "# Changelog\n\n## 2.0\n\nTemperature can be set.\n",
    "LICENSE": "Temperature licence text\n",
    "requirements.txt": "temperature==1.0\n",
    "kettle/heater.py": (
        '"""Heats water to a temperature."""\n\n\nclass Heater:\n'
        '    """Warms the element up."""\n\n    def set_temperature(self, celsius):\n'
        '        """Choose how hot the water gets.\n\n        Above 100 it is refused.\n        """\n'
        "        self.celsius = celsius\n"
    ),
    "tests/notes.md": "# Temperature\n\nTemperature of tests.\n",
    "temperature.json": '{"temperature": 1}\n',
}


def open_root(root: Path, data_dir: Path, *, refresh: bool = True) -> Repository:
    repository = Repository(load_config(str(root), data_dir=str(data_dir), workers=1, watch=False))
    if refresh:
        repository.refresh()
    return repository


@pytest.fixture(scope="module")
def kettle(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Repository]:
    position = tmp_path_factory.mktemp("docs")
    repository = open_root(write_tree(position / "root", TREE), position / "data")
    yield repository
    repository.close()


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Repository]:
    """Yield a tree that a test may change."""
    repository = open_root(write_tree(tmp_path / "root", TREE), tmp_path / "data")
    yield repository
    repository.close()


TOPIC = """<?xml version="1.0" encoding="utf-8"?>
<topic id="KettleCare" revisionNumber="1">
  <developerConceptualDocument>
    <!-- <summary>
      <para>Optional summary</para>
    </summary> -->
    <introduction>
      <para>A kettle lasts longer if you look after it.</para>
    </introduction>
    <section address="Lime">
      <title>Getting rid of lime</title>
      <content><para>Boil vinegar in it, and rinse it twice.</para></content>
    </section>
  </developerConceptualDocument>
</topic>
"""


def test_documents_in_xml_are_found_by_their_titles_and_texts(tmp_path: Path) -> None:
    root = write_tree(tmp_path / "root", {"Doc/KettleCare.aml": TOPIC, "Doc/license.txt": "Use it.\n"})
    repository = open_root(root, tmp_path / "data")
    found = ask(repository, "how do I get rid of lime").hits[0]
    assert (found.path, found.breadcrumb) == ("Doc/KettleCare.aml", "KettleCare > Getting rid of lime")
    assert found.start_line == 11
    found = ask(repository, "kettle care").hits[0]
    assert found.breadcrumb == "KettleCare"
    assert found.start_line == 8  # what stands above has no text
    repository.close()


def test_an_answer_without_a_good_hit_says_so(tmp_path: Path) -> None:
    licence = "Permission is granted to copy, merge and sell this software without a guide or warranty.\n"
    root = write_tree(tmp_path / "root", {"docs/licence.txt": licence, "docs/tea.md": "# Tea\n\nBrew it.\n"})
    repository = open_root(root, tmp_path / "data")
    answer = ask(repository, "custom contract resolver naming strategy guide")
    assert any(one.startswith("Nothing here fits the query well") for one in answer.warnings)
    assert not any("fits the query well" in one for one in ask(repository, "brew tea").warnings)
    repository.close()


def ask(repository: Repository, query: str, limit: int = 10, glob: str | None = None) -> DocsAnswer:
    matches = GlobFilter(glob).matches if glob else None
    return repository.engines.documentation.search(DocsRequest(query, limit, matches, glob or ""))


def crumbs(answer: DocsAnswer) -> list[str]:
    return [hit.breadcrumb for hit in answer.hits]


def test_a_section_with_its_breadcrumb_and_its_lines(kettle: Repository) -> None:
    hit = ask(kettle, "install with pip").hits[0]
    assert (hit.path, hit.start_line, hit.end_line) == ("docs/guide.md", 7, 9)
    assert (hit.section_start, hit.section_end) == (7, 10)
    assert hit.breadcrumb == "Guide > Installation > pip"
    assert hit.snippet == "### pip\n\nInstall the wheel with pip."
    assert (hit.kind, hit.language) == ("section", "markdown")
    assert hit.matched_words == ("install", "pip")
    assert 0.0 < hit.score <= 1.0
    assert 0.0 < hit.relevance_percent <= 100.0


def test_every_format_is_cut_by_its_headings(kettle: Repository) -> None:
    assert crumbs(ask(kettle, "alarm"))[0] == "Reference > Alarm"
    assert crumbs(ask(kettle, "vinegar"))[0] == "Manual > Descaling"
    assert "Not a heading" not in " ".join(crumbs(ask(kettle, "heading")))


def test_a_heading_without_text_stands_for_what_follows_it(kettle: Repository) -> None:
    found = crumbs(ask(kettle, "installation"))
    assert found[:2] == ["Kettle > Installation", "Guide > Installation > pip"]


def test_the_title_of_a_document_stands_for_its_first_section(tmp_path: Path) -> None:
    files = {
        "docs/slices.md": (
            "---\ntitle: Slices Pattern\n---\n\n## Small stores\n\nCut them.\n\n## Usage\n\nUse it.\n"
        ),
        "docs/other.md": "# Other\n\n## Common recipes of many kinds for all\n\nThe slices pattern.\n",
    }
    repository = open_root(write_tree(tmp_path / "root", files), tmp_path / "data")
    assert crumbs(ask(repository, "slices pattern"))[0] == "Slices Pattern > Small stores"
    repository.close()


def test_a_picture_answers_a_question_for_one(tmp_path: Path) -> None:
    files = {
        "a.md": "# A\n\n## Dashboard\n\nNumbers.\n",
        "b.md": "# B\n\n## Dashboard\n\n![](numbers.png)\n",
    }
    repository = open_root(write_tree(tmp_path / "root", files), tmp_path / "data")
    assert [hit.path for hit in ask(repository, "dashboard").hits] == ["a.md", "b.md"]
    assert [hit.path for hit in ask(repository, "dashboard screenshot").hits] == ["b.md", "a.md"]
    repository.close()


def test_docstrings_come_as_those_of_their_declarations(kettle: Repository) -> None:
    hit = next(hit for hit in ask(kettle, "how hot the water gets").hits if hit.kind == "doc_comment")
    assert (hit.path, hit.breadcrumb) == ("kettle/heater.py", "kettle.heater > Heater > set_temperature")
    assert (hit.start_line, hit.end_line) == (7, 11)
    assert hit.snippet.startswith("    def set_temperature")
    assert ask(kettle, "set_temperature").hits[0].breadcrumb.endswith(" > set_temperature")


def test_scores_fall_and_relevance_with_them(kettle: Repository) -> None:
    hits = ask(kettle, "water temperature").hits
    assert len(hits) > 4
    keys = [(-hit.score, hit.path.encode(), hit.start_line) for hit in hits]
    assert keys == sorted(keys)
    relevant = [hit.relevance_percent for hit in hits]
    assert relevant == sorted(relevant, reverse=True)


def test_a_page_may_end_before_the_first_hit_with_half_of_the_best_score(kettle: Repository) -> None:
    answer = ask(kettle, "water temperature")
    near = [2 * hit.score >= answer.hits[0].score for hit in answer.hits]
    assert 0 < answer.usual_hits < len(near)
    assert near == [place < answer.usual_hits for place in range(len(near))]


def test_what_is_no_documentation_is_not_found(kettle: Repository) -> None:
    paths = {hit.path for hit in ask(kettle, "temperature", 50).hits}
    assert paths == {
        "docs/guide.md",
        "docs/reference.rst",
        "docs/de/guide.md",
        "CHANGELOG.md",
        "LICENSE",
        "kettle/heater.py",
        "tests/notes.md",
    }


def test_tests_translations_and_change_logs_come_later_unless_they_are_asked_for(kettle: Repository) -> None:
    paths = [hit.path for hit in ask(kettle, "temperature").hits]
    assert paths[0] == "docs/guide.md"
    for path in ("docs/de/guide.md", "CHANGELOG.md", "LICENSE", "tests/notes.md"):
        assert paths.index(path) > paths.index("docs/reference.rst"), path
    changes = ask(kettle, "temperature changelog").hits
    assert changes[0].path == "CHANGELOG.md"


def test_a_glob_restricts_the_files(kettle: Repository) -> None:
    assert {hit.path for hit in ask(kettle, "temperature", 50, "docs/*.md").hits} == {"docs/guide.md"}
    assert {hit.path for hit in ask(kettle, "temperature", 50, "kettle/**").hits} == {"kettle/heater.py"}
    nothing = ask(kettle, "temperature", 50, "nowhere/**")
    assert (nothing.hits, nothing.total, nothing.truncated) == ((), 0, False)
    assert NOTHING_HERE in nothing.warnings


def test_a_longer_answer_begins_with_the_shorter_one(kettle: Repository) -> None:
    whole = ask(kettle, "water temperature", 50)
    assert not whole.truncated
    for limit in range(1, len(whole.hits)):
        part = ask(kettle, "water temperature", limit)
        assert part.hits == whole.hits[:limit]
        assert part.truncated
        assert part.total == whole.total


def test_a_phrase_must_be_there(kettle: Repository) -> None:
    assert crumbs(ask(kettle, '"Rings when the water"')) == ["Reference > Alarm"]
    without = ask(kettle, 'water "boils when rings"')
    assert without.hits
    assert NO_PHRASE in without.warnings


def test_words_that_must_and_must_not_be_there(kettle: Repository) -> None:
    assert crumbs(ask(kettle, "water +rings")) == ["Reference > Alarm"]
    assert "Reference > Alarm" in crumbs(ask(kettle, "water"))
    assert "Reference > Alarm" not in crumbs(ask(kettle, "water -rings"))
    assert all(hit.language == "python" for hit in ask(kettle, "water lang:python").hits)
    assert crumbs(ask(kettle, "water sym:alarm")) == ["Reference > Alarm"]


def test_words_that_are_nowhere(kettle: Repository) -> None:
    answer = ask(kettle, "tempurature")
    assert answer.hits == ()
    assert any("`temperature`" in warning for warning in answer.warnings)
    assert ask(kettle, "?!").hits == ()


def test_few_documents_among_much_code_are_found(tmp_path: Path) -> None:
    """Code that says the words more often leaves no less room for documents."""
    said = "# install install install it"
    code = {f"src/f{n}.py": f"def install_{n}():\n    {said}\n    pass\n" for n in range(1_500)}
    root = write_tree(tmp_path / "root", {**code, "docs/setup.md": "# Setup\n\nHow to install it.\n"})
    repository = open_root(root, tmp_path / "data")
    assert ask(repository, "install").hits[0].path == "docs/setup.md"
    repository.close()


def test_the_answer_is_that_of_the_live_files(opened: Repository) -> None:
    guide = Path(opened.config.root) / "docs/guide.md"
    guide.write_text("# Guide\n\nNew words.\n\n## Elsewhere\n\nInstall the wheel with pip.\n")
    answer = ask(opened, "install the wheel")
    assert answer.hits[0].breadcrumb == "Guide > Elsewhere"
    assert any("1 of the files found changed after indexing" in warning for warning in answer.warnings)
    guide.unlink()
    assert all(hit.path != "docs/guide.md" for hit in ask(opened, "install the wheel").hits)


def test_equal_trees_give_equal_answers_whatever_their_history(tmp_path: Path) -> None:
    draw = random.Random(7)
    changing = write_tree(tmp_path / "changing", TREE)
    repository = open_root(changing, tmp_path / "data")
    paths = sorted(TREE)
    for _ in range(12):
        for path in draw.sample(paths, 4):
            (changing / path).write_text(f"# {draw.choice(paths)}\n\nwater temperature {draw.random()}\n")
        repository.refresh()
    write_tree(changing, TREE)
    repository.refresh()
    fresh = open_root(write_tree(tmp_path / "fresh", TREE), tmp_path / "other")
    queries = ("temperature", "install", "how hot is the water", "licence", "heater")
    before = [ask(repository, query, 50) for query in queries]
    assert before == [ask(fresh, query, 50) for query in queries]
    repository.compact(full=True)
    assert before == [ask(repository, query, 50) for query in queries]
    repository.close()
    fresh.close()


def test_a_cancelled_search_stops(kettle: Repository) -> None:
    with pytest.raises(RepoError) as caught:
        kettle.engines.documentation.search(DocsRequest("water"), lambda: True)
    assert caught.value.code is ErrorCode.CANCELLED


def test_a_long_section_shows_the_part_that_answers(tmp_path: Path) -> None:
    filler = [f"Line {number} says something else." for number in range(2_000)]
    filler[1_234] = "Here the flux capacitor is described."
    text = "# Long\n\n" + "\n".join(filler) + "\n"
    repository = open_root(write_tree(tmp_path / "root", {"long.txt": text}), tmp_path / "data")
    (hit,) = ask(repository, "flux capacitor").hits
    assert hit.start_line <= 1_237 <= hit.end_line < hit.start_line + 20
    assert "flux capacitor" in hit.snippet
    assert (hit.section_start, hit.section_end) == (1, 2_002)
    repository.close()


HOSTILE = {
    "one_line.md": "# " + "flux " * 390_000,
    "headings.md": "# flux\n" * 60_000,
    "rules.rst": "flux\n====\n" * 60_000,
    "brackets.md": "flux\n\n" + "![flux](" * 100_000,
    "tags.md": "flux\n\n" + "<img src='flux " * 80_000,
    "fences.md": "```\nflux\n" * 60_000,
    "comment.c": "/* flux flux flux */\n" * 40_000,
    "docs/names": "flux\n\n" * 100_000,
    "bidi.md": "# flux \u202e\u2066\n\nflux\n",
}


def test_texts_made_to_be_slow_are_searched(tmp_path: Path) -> None:
    root = write_tree(tmp_path / "root", HOSTILE)
    repository = open_root(root, tmp_path / "data")
    started = time.monotonic()
    answer = ask(repository, "flux capacitor", 50)
    assert time.monotonic() - started < HANG_SECONDS
    assert {hit.path for hit in answer.hits} >= {"one_line.md", "headings.md", "bidi.md"}
    assert all(len(hit.snippet) < 12_000 for hit in answer.hits)
    assert all(len(hit.breadcrumb) <= 400 for hit in answer.hits)
    repository.close()


@pytest.mark.sized
def test_many_large_documents_are_not_all_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    count = choose(1_000, 8_000)
    monkeypatch.setattr(doc_comments, "MAX_BYTES", doc_comments.MAX_BYTES * count // 8_000)
    large = ("flux\n====\n\n" + "something else\n\n" * count) * 14
    root = write_tree(tmp_path / "root", {f"d{position}.rst": large for position in range(12)})
    repository = open_root(root, tmp_path / "data")
    answer = ask(repository, "flux")
    assert {hit.path for hit in answer.hits} == {f"d{position}.rst" for position in (0, 1, 10, 11, 2)}
    assert any("7 of the files found were not read" in warning for warning in answer.warnings)
    repository.close()


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("a.md", True),
        ("src/deep/a.rst", True),
        ("README", True),
        ("notes.txt", True),
        ("a.adoc", True),
        ("dev-requirements.txt", False),
        ("build.log", False),
        ("index.html", False),
        ("docs/index.html", True),
        ("Documentation/ABI/stable/sysfs-class", True),
        ("src/Makefile.am", False),
        ("docs/conf.py", False),
        ("docs/data.json", False),
        ("docs/manual.xml", True),
        ("Doc/Guide.aml", True),
        ("docs/topic.dita", True),
        ("src/manual.xml", False),
        ("docs/pom.xml", False),
        ("docs/picture.svg", False),
        ("docs/manual.shfbproj", False),
        ("CMakeLists.txt", False),
    ],
)
def test_what_is_a_document(path: str, found: bool) -> None:
    assert is_document(path) is found


@pytest.mark.parametrize(
    ("path", "share"),
    [
        ("docs/guide.md", 1.0),
        ("README.md", 1.0),
        ("docs/en/docs/index.md", 1.0),
        ("docs/what-is-it.md", 1.0),
        ("docs/how-to-use-it.md", 1.0),
        ("docs/cs/types.md", 1.0),
        ("docs/ml/models.md", 1.0),
        ("src/it/README.md", WEIGHTS.translation),
        ("docs/versioned_docs/version-2.1/types.md", WEIGHTS.older),
        ("docs/de/docs/index.md", WEIGHTS.translation),
        ("docs/ckb-IR/guide/README.md", WEIGHTS.translation),
        ("doc/manual-src/pt/tool.rst", WEIGHTS.translation),
        ("docs/zh-hant/docs/index.md", WEIGHTS.translation),
        ("i18n/cs/guide.md", WEIGHTS.translation),
        ("README.zh-CN.md", WEIGHTS.translation),
        ("README_ZH.md", WEIGHTS.translation),
        ("guide.fr.md", WEIGHTS.translation),
        ("Documentation/translations/zh_CN/index.rst", WEIGHTS.translation),
        ("CHANGELOG.md", WEIGHTS.changelog),
        ("docs/release-notes.md", WEIGHTS.changelog),
        ("docs/releases/1.2.txt", WEIGHTS.changelog),
        ("docs/migrating_v1-v2.md", WEIGHTS.changelog),
        ("docs/migration-guide.mdx", WEIGHTS.changelog),
        ("docs/migrations/faking.md", 1.0),
        ("LICENSE", WEIGHTS.licence),
        ("LICENSES/MIT.txt", WEIGHTS.licence),
        ("MAINTAINERS", WEIGHTS.licence),
        ("tests/readme.md", WEIGHTS.test),
        ("vendor/x/README.md", WEIGHTS.foreign),
        ("examples/a/README.md", WEIGHTS.example),
    ],
)
def test_what_is_left_of_a_file(path: str, share: float) -> None:
    assert ScoreShares(frozenset(("temperature",)), WEIGHTS).find(path) == share


def test_what_is_asked_for_stays_whole() -> None:
    for word, path in [("changelog", "CHANGELOG.md"), ("licence", "LICENSE"), ("tests", "tests/readme.md")]:
        assert ScoreShares(frozenset((word,)), WEIGHTS).find(path) == 1.0
    assert ScoreShares(frozenset(("größe",)), WEIGHTS).find("docs/de/a.md") == 1.0
    assert ScoreShares(frozenset(), WEIGHTS).find("docs/de/a.py", is_code=True) == 1.0


def test_the_navigation_of_a_page_is_no_section_of_it(tmp_path: Path) -> None:
    page = (
        '<html><body>\n<nav>\n<a href="whistle.html">Whistle</a>\n'
        '<a href="whistle2.html">Whistle</a>\n</nav>\n'
        "<h1>Whistle</h1>\n<p>Sounds when steam leaves.</p>\n</body></html>\n"
    )
    plain = "<html><body>\n<p>A whistle without a heading.</p>\n</body></html>\n"
    files = {"docs/whistle.html": page, "docs/plain.html": plain}
    repository = open_root(write_tree(tmp_path / "root", files), tmp_path / "data")
    hits = ask(repository, "whistle").hits
    repository.close()
    assert {(hit.path, hit.section_start) for hit in hits} == {
        ("docs/whistle.html", 6),
        ("docs/plain.html", 1),
    }
