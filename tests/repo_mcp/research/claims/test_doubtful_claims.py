"""Claims on a declaration that only its text connects with the question, and whose words are lacking."""

from __future__ import annotations

from repo_mcp.research.findings.records import ResearchRequest, RunControl
from repo_mcp.research.findings.research_state import ResearchState
from repo_mcp.research.order.rivals import list_rivals
from tests.repo_mcp.research.asking import Asked

POST = """def stamp(crate):
    # Each parcel has a number, and the oldest parcel is the first.
    if crate.parcel:
        return crate.number
    return crate.oldest
"""
ROADS = """def drive(cart):
    if cart.parcels:
        return cart.wheels
    return None
"""
GUIDE = """# Guide

A parcel is weighed twice, so that the oldest one does not wait behind a heavy number of others.
"""
QUESTION = "how is the oldest parcel number not crushed?"


def test_a_declaration_that_only_its_text_connects_with_a_question_is_not_said_to_fit() -> None:
    claim = Asked({"post.py": POST, "roads.py": ROADS, "way.py": "def crushed(): ...\n"}).ask(QUESTION).claim
    assert claim.startswith(
        "post.stamp (post.py:1-5) comes closest, but lacks the word crushed and is not named for the others."
    )


def test_a_word_in_the_name_makes_a_light_lack_no_matter() -> None:
    files = {"post.py": POST.replace("stamp", "number_parcel"), "way.py": "def crushed(): ...\n"}
    claim = Asked(files).ask(QUESTION).claim
    assert claim.startswith("post.number_parcel (post.py:1-5) fits the question best.")


def test_what_has_all_words_in_its_text_fits_whatever_its_name() -> None:
    claim = Asked({"post.py": POST, "roads.py": ROADS}).ask("how is the oldest parcel number found?").claim
    assert claim.startswith("post.stamp (post.py:1-5) fits the question best.")


def test_what_is_lacking_is_lacking_in_what_leads_at_last() -> None:
    """A line that does nothing is rated best, but a function comes before it and is judged."""
    files = {"post.py": POST, "roads.py": ROADS, "way.py": "def crushed(): ...\n", "docs/guide.md": GUIDE}
    claim = Asked(files).ask(QUESTION).claim
    assert claim.startswith("post.stamp (post.py:1-5) comes closest, but lacks the word crushed and is")


def test_what_the_best_calls_is_not_level_with_it() -> None:
    text = (
        "def apply_rule(text):\n    return trim_text(text)\n\n\n"
        "def trim_text(text):\n    return text.strip()\n\n\n"
        "def fold_text(text):\n    return text.lower()\n"
    )
    source, control = Asked({"rules.py": text}).open_source(), RunControl(lambda: False)
    state = ResearchState(source, ResearchRequest("rule"), control, wants_tests=False)
    names = {node.symbol.name: node for node in state.graph.outline("rules.py")}
    state.word_match.rivals = [(name, names[name]) for name in ("trim_text", "fold_text")]
    assert [name for name, _ in list_rivals(state, names["apply_rule"])] == ["fold_text"]
    state.word_match.rivals = [("apply_rule", names["apply_rule"])]
    assert not list_rivals(state, names["trim_text"])


def test_callers_say_whose_they_are() -> None:
    texts = {
        "sender.py": "def pack_parcel(parcel):\n    box = make_box(parcel)\n    return box\n",
        "office.py": "from sender import pack_parcel\n\n\ndef open_office(parcels):\n"
        "    for one in parcels:\n        pack_parcel(one)\n",
    }
    groups = Asked(texts).ask("what does pack_parcel depend on?").groups
    assert [(one.what, one.places) for one in groups] == [
        ("callers of pack_parcel", ("office.open_office (office.py:4-6)",))
    ]


def test_words_that_others_of_its_file_are_named_after_are_not_said_to_be_lacking() -> None:
    text = (
        "def schedule_next(job):\n    job.at = job.at + job.every\n    return job.at\n\n\n"
        "def list_recurring(jobs):\n    return [one for one in jobs if one.every]\n"
    )
    claim = Asked({"jobs.py": text}).ask("how is the next of a recurring job scheduled").claim
    assert claim.startswith(
        "jobs.schedule_next (jobs.py:1-3) comes closest; the word recurring is elsewhere in its file."
    )


def test_where_nothing_fits_the_nearest_are_named_with_what_they_lack() -> None:
    files = {
        "desk.py": "def open_desk(desk):\n    desk.lamp = True\n    return sort_rows(desk)\n\n\n"
        "def close_desk(desk):\n    desk.lamp = False\n    return sort_rows(desk)\n",
        "rows.py": "def sort_rows(desk):\n    return desk.rows\n",
        "notes.md": "# Notes\n\nThe courier brings the invoice, the parcel and the stamp on the weekend.\n",
    }
    claim = Asked(files).ask("how does the desk tell a courier about the invoice parcel and stamp?").claim
    assert claim.startswith("Nothing here fits the question well. Nearest are desk.")
    assert "lacks the words courier" in claim
