"""Which declarations of a page's first files a question is taken to be about."""

from __future__ import annotations

from dataclasses import replace

from repo_mcp.ranking.page.called_names import list_called, may_follow
from repo_mcp.ranking.page.declaration_rating import (
    NAMED_WORTH,
    OWNED_WORTH,
    SYNONYM_SHARE,
    Named,
    weigh_query_terms,
)
from repo_mcp.ranking.page.live_chunks import read_chunks
from repo_mcp.ranking.page.page_declarations import AskedFile, rate_files
from tests.repo_mcp.ranking.page.test_snippets import rank_python


def rate(
    *texts: str,
    room: int = 100,
    scores: tuple[float, ...] = (),
    named: tuple[Named, ...] = (),
    **telling: float,
) -> list[AskedFile]:
    """Return the rated files of hits with these texts, of which the first scores highest."""
    files = {f"{place}.py": text for place, text in enumerate(texts)}
    ranked = [
        replace(rank_python(text, 0, last=text.count("\n"))[0], path=path, score=score)
        for (path, text), score in zip(files.items(), scores or (1.0,) * len(texts), strict=True)
    ]
    chunks = read_chunks(ranked, [], lambda path: files[path].encode()).chunks
    return [*rate_files(chunks, telling, room, named).values()]


def list_names(file: AskedFile) -> list[str]:
    return [span.qualified_name for _, span in file.rated]


def list_worths(file: AskedFile) -> dict[str, float]:
    return {span.qualified_name: worth for worth, span in file.rated}


def test_a_line_of_a_comment_counts_less_than_one_of_code() -> None:
    text = 'def moor():\n    """Anchor."""\n    return 1\n\n\ndef tie():\n    anchor()\n    return 2\n'
    (file,) = rate(text, anchor=3.0)
    assert list_names(file) == ["tie", "moor"]


def test_a_name_that_is_all_asked_for_is_worth_more_than_one_that_is_so_in_part() -> None:
    text = "def anchor_of_the_old_fleet():\n    return 1\n\n\ndef anchor_mast():\n    return 2\n"
    (file,) = rate(text, anchor=3.0, mast=3.0)
    worths = list_worths(file)
    assert worths["anchor_mast"] > 2 * worths["anchor_of_the_old_fleet"]


def test_the_name_of_what_a_declaration_lies_in_counts() -> None:
    text = "class Fleet:\n    def lift(self):\n        gas()\n"
    text += "\n\nclass Anchor:\n    def sink(self):\n        gas()\n"
    (file,) = rate(text, gas=1.0, anchor=3.0)
    worths = list_worths(file)
    assert worths["Anchor.sink"] > worths["Fleet.lift"] > 0


CALLER = "def moor(mast):\n    if anchor(mast):\n        {call}\n    return mast\n"


def test_what_a_good_declaration_calls_is_worth_more() -> None:
    text = (
        CALLER.format(call="tie_rope(1)")
        + "\n\ndef sail():\n    return 1\n\n\ndef tie_rope(n):\n    return n\n"
    )
    (file,) = rate(text, anchor=3.0, mast=2.0)
    assert list_names(file) == ["moor", "tie_rope"]
    (file,) = rate(text, room=0, anchor=3.0, mast=2.0)
    assert list_names(file) == ["moor"]  # only one head would be shown
    (file,) = rate(text.replace("tie_rope(1)", "# tie_rope(1)"), anchor=3.0, mast=2.0)
    assert list_names(file) == ["moor"]  # a comment calls nothing


def test_what_only_hands_on_to_another_of_its_name_leads_to_it() -> None:
    computing = "class Mast:\n    def find_anchor(self, n):\n        return n * 4\n\n\n"
    text = f"{computing}class Ship:\n    def find_anchor(self):\n        {{}}\n        return self.anchor\n"
    handing, other = (rate(text.format(line), anchor=3.0)[0] for line in ("Mast.find_anchor(1)", "rest(1)"))
    assert list_worths(handing)["Mast.find_anchor"] > list_worths(other)["Mast.find_anchor"]


def test_a_call_leads_to_the_file_of_the_caller_before_others_and_not_to_many() -> None:
    tie = "\n\ndef tie_rope(n):\n    return n\n"
    other = f"def sail():\n    return anchor\n{tie}"
    first, second = rate(CALLER.format(call="tie_rope(1)"), other, anchor=3.0)
    assert (list_names(first), list_names(second)) == (["moor"], ["sail", "tie_rope"])
    first, second = rate(CALLER.format(call="tie_rope(1)") + tie, other, anchor=3.0)
    assert (list_names(first), list_names(second)) == (["moor", "tie_rope"], ["sail"])
    many = "".join(f"\n\nclass A{at}:\n    def tie_rope(self):\n        return 1\n" for at in range(5))
    (file,) = rate(CALLER.format(call="tie_rope(1)") + many, anchor=3.0)
    assert list_names(file) == ["moor"]


def test_a_call_does_not_lead_to_a_type() -> None:
    text = CALLER.format(call="Rope(1)") + "\n\nclass Rope:\n    def __init__(self, n):\n        self.n = n\n"
    (file,) = rate(text, anchor=3.0)
    assert list_names(file) == ["moor"]


def test_what_lies_in_a_declaration_is_no_step_further() -> None:
    text = "def moor(mast):\n    def tie_rope(n):\n        return n\n\n    return anchor(tie_rope(mast))\n"
    (file,) = rate(text, anchor=3.0)
    assert list_names(file) == ["moor"]


def test_declarations_of_a_file_that_scores_less_are_worth_less() -> None:
    text = "def moor():\n    anchor()\n"
    first, second = rate(text, text, scores=(2.0, 1.0), anchor=3.0)
    assert list_worths(second)["moor"] * 2 == list_worths(first)["moor"]


def test_only_what_is_worth_a_share_of_the_best_for_its_lines_is_shown_whole() -> None:
    text = "def moor():\n    anchor()\n    mast()\n\n\ndef tie():\n    anchor()\n    rope()\n"
    (file,) = rate(text, anchor=3.0, mast=12.0, room=100)
    assert [span.name for span in file.whole] == ["moor", "tie"]
    (file,) = rate(text, anchor=3.0, mast=24.0, room=100)
    assert [span.name for span in file.whole] == ["moor"]


def test_synonyms_weigh_less_and_common_words_nothing() -> None:
    counts = {"anchor": 5, "moor": 5, "ship": 50}
    weights = weigh_query_terms(
        ["anchor", "moor", "ship", "gone"], ["moor"], lambda term: counts.get(term, 0), 100, 9
    )
    assert [*weights] == ["anchor", "moor"]
    assert weights["moor"] == weights["anchor"] * SYNONYM_SHARE
    assert [*weigh_query_terms(["moor", "anchor"], ["moor"], lambda _: 5, 100, 1)] == ["anchor"]


def test_called_names_stand_before_a_bracket() -> None:
    assert list_called("tie(rope, knot (1)); mast.lift!(2); tie()") == ["tie", "knot", "lift!"]
    assert not any(map(may_follow, ("if", "isinstance", "at")))
    assert may_follow("tie")


def test_what_a_report_names_is_worth_more_and_most_with_its_owner() -> None:
    text = "class Fleet:\n    def moor(self):\n        anchor()\n\n\ndef tie():\n    anchor()\n"
    (plain,) = rate(text, room=0, anchor=3.0)
    (file,) = rate(text, room=0, named=(("", "tie"), ("Fleet", "moor")), anchor=3.0)
    before, now = list_worths(plain), list_worths(file)
    assert now["tie"] == before["tie"] * NAMED_WORTH
    assert now["Fleet.moor"] == before["Fleet.moor"] * OWNED_WORTH
    assert list_names(file)[0] == "Fleet.moor"


def test_a_namespace_before_a_name_is_no_owner() -> None:
    text = "def tie():\n    anchor()\n\n\ndef moor():\n    anchor()\n"
    (file,) = rate(text, room=0, named=(("detail", "moor"),), anchor=3.0)
    assert list_names(file) == ["moor", "tie"]
