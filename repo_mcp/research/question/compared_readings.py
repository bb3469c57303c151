"""Read a comparison whose phrases are not the names of its sides: guesses, texts or words stand for these."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from repo_mcp.research.findings.records import Form, Reading, Subject, TakenAs
from repo_mcp.research.question.guessed_subjects import pair_by_words
from repo_mcp.research.question.phrase_names import looks_like_name
from repo_mcp.research.question.phrases import Phrase, read_phrase
from repo_mcp.research.question.readings import build_reading
from repo_mcp.research.question.subjects import Subjects
from repo_mcp.text.question_words import list_words

LEAST_DESCRIBING = 2  # words of what is compared with a name, and is only described


def read_guessed_sides(
    subjects: Subjects, phrases: Sequence[Phrase], guesses: Sequence[str]
) -> Reading | None:
    """Return the reading of a comparison whose sides have the words of guesses; None for any other.

    "The joined and the select-in strategy": `Strategy.JOINED` and `Strategy.SELECT_IN`, of one kind.
    """
    paired = pair_by_words([phrase.whole or phrase.text for phrase in phrases], guesses)
    if not paired or not all(paired):
        return None
    found = tuple(subjects.find(read_phrase(guess), Form.DIFFERENCE) for guess in paired)
    kinds = {one.nodes[0].symbol.kind for one in found if one.taken_as is TakenAs.DECLARED}
    is_sure = all(one.taken_as is TakenAs.DECLARED and not one.left_out for one in found)
    return build_reading(Form.DIFFERENCE, found) if is_sure and len(kinds) == 1 else None


def read_unparsed_sides(
    phrases: Sequence[Phrase], find_unparsed: Callable[[Subject], Subject]
) -> Reading | None:
    """Return the reading of a comparison of what no parser reads; None for any other."""
    found = tuple(find_unparsed(Subject(_name_side(phrase), TakenAs.UNDECLARED)) for phrase in phrases)
    return build_reading(Form.DIFFERENCE, found) if all(one.is_unparsed for one in found) else None


def read_described_side(subjects: Subjects, phrases: Sequence[Phrase]) -> Reading | None:
    """Return the reading of a comparison of a declared name with what is only described, or None.

    "Between merge and putting one list in another": the second half is looked for by its words.
    """
    if len(phrases) != 2:
        return None
    found = tuple(subjects.find(phrase, Form.DIFFERENCE) for phrase in phrases)
    named = [one for one in found if one.taken_as is TakenAs.DECLARED and looks_like_name(one.asked)]
    texts = [_name_side(phrase) for phrase, one in zip(phrases, found, strict=True) if not one.is_found]
    if len(named) != 1 or len(texts) != 1 or len(list_words(texts[0])) < LEAST_DESCRIBING:
        return None
    described = Subject(texts[0], TakenAs.WORDS)
    return build_reading(Form.DIFFERENCE, tuple(one if one in named else described for one in found))


def _name_side(phrase: Phrase) -> str:
    return phrase.headed or phrase.whole or phrase.text
