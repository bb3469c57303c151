"""Claims on a declaration that only its text connects with the question, and whose words are lacking."""

from __future__ import annotations

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
        "post.stamp (post.py:1-5) comes closest, but lacks the word crushed and has none of the others in its"
        " name or path."
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
    assert claim.startswith("post.stamp (post.py:1-5) comes closest, but lacks the word crushed and has none")
