"""Find names that are declared in a language without a symbol parser. They are in the text, not in the graph.

An answer about such a name says so, and shows what its declarations do and the places that have the name,
without telling calls from other mentions. Left out: names that the graph knows are never looked for here.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from repo_mcp.bodies.body import Body, trim_margin
from repo_mcp.bodies.chosen_lines import choose_lines
from repo_mcp.languages.patterns.language_registry import find_language
from repo_mcp.model import Hit
from repo_mcp.ranking.query.asked_name import split_qualified
from repo_mcp.record_classes import replace
from repo_mcp.research.edges.build_options import is_option, note_option_uses
from repo_mcp.research.edges.declared_again import is_member, list_declared_again
from repo_mcp.research.edges.named_places import MAX_PLACES, note_places
from repo_mcp.research.edges.naming_tests import note_naming_tests
from repo_mcp.research.edges.unparsed_files import find_file, note_needed, read_declared_lines
from repo_mcp.research.edges.written_types import Deriving, Parts, list_declared, list_deriving, split_parts
from repo_mcp.research.findings.locating import is_program
from repo_mcp.research.findings.reasons import Reason, Role
from repo_mcp.research.findings.records import Form, Reading, Subject, TakenAs
from repo_mcp.research.findings.research_state import ResearchState, TextPlace, note_lines
from repo_mcp.research.question.named_settings import read_configuration_key
from repo_mcp.research.question.phrase_names import is_path
from repo_mcp.symbol_index.unread_declarations import has_parser
from repo_mcp.text.shared_parts import count_shared

MAX_DECLARED = 4  # declarations of one name
MAX_BESIDE = 3  # places that use one of several names, which are compared
MAX_DERIVING = 40  # lines that say that something derives from a name
MAX_BELOW = 8  # types that derive from a subject; what derives from more is not looked for
# Characters of its declarations, of one where others tell the answer, and of all that are compared.
SHOWN_CHARS, HEAD_CHARS, COMPARED_CHARS = 1_800, 500, 6_500
_ROOM = {
    Form.DEPENDENCIES: HEAD_CHARS,
    Form.DIFFERENCE: COMPARED_CHARS,
    Form.IMPLEMENTATIONS: HEAD_CHARS,
}
_OF_ITSELF = frozenset({Form.CALLEES, Form.DEPENDENCIES})
_PHRASE = re.compile(r"[A-Za-z]\w*(?:[ -]\w+){1,3}")
# An argument beside the name, at the end of a question: "with `parcel.sent`".
_WITH = re.compile(r"\bwith (?:the )?(?:[`'\"]([^`'\"]{1,80})[`'\"]|:?(\w[^\W_]*+[.:/#_-][\w.:/#-]*\w))\W*$")
MOST_WORDS = 4  # of a name: looking up a longer phrase word by word takes up to a second
_BETWEEN_WORDS = re.compile(r"[ _-]+")


def find_unparsed(state: ResearchState, subject: Subject) -> Subject:
    """Return an undeclared subject as an unparsed one if files without symbol records declare its name.

    Return it unchanged otherwise, and so the key of a configuration: many declare its last part.
    """
    if read_configuration_key(subject.asked) or len(subject.asked.split()) > MOST_WORDS:
        return subject
    file = find_file(state, subject.asked) if is_path(subject.asked) else None
    if file is not None:
        return file
    *owners, name = split_qualified(subject.asked.replace("#", "."))
    places = _find_declared(state, subject.asked)
    if not places and _PHRASE.fullmatch(subject.asked):
        name = "".join(word.capitalize() for word in _BETWEEN_WORDS.split(subject.asked))
        places = _find_declared(state, name)
    if not places:
        return subject
    if subject.owner is not None and not any(set(owners) & {*_list_owners(hit)} for hit in places):
        return subject  # only namesakes in other types
    places = _keep_owned(places, owners, name)
    names = {hit.symbol_name for hit in places}
    name = name if name in names else min(names)  # `empty?` is often asked for as `empty`
    places = tuple(hit for hit in places if hit.symbol_name == name)
    return replace(subject, taken_as=TakenAs.UNPARSED, name=name, places=places[:MAX_DECLARED], near=())


def _list_owners(hit: Hit) -> Sequence[str]:
    """Return the names of the types and modules around a declaration."""
    return split_qualified(hit.symbol or "")[:-1]


def _keep_owned(places: tuple[Hit, ...], owners: Sequence[str], name: str) -> tuple[Hit, ...]:
    """Return the declarations whose owners agree best with those asked for; all, if none does."""
    outer = list(map(_list_owners, places))
    counts = [count_shared(reversed(owners), reversed(one)) for one in outer]
    best = max(counts)
    if not best:
        counts = [bool(set(owners) & {*one, name}) for one in outer]
        best = max(counts)
    return tuple(hit for hit, count in zip(places, counts, strict=True) if count == best)


def _find_declared(state: ResearchState, name: str) -> tuple[Hit, ...]:
    """Return the declarations of a name in files without symbol records; the heading of a text is none."""
    graph = state.source.graph
    return tuple(
        hit
        for hit in state.source.list_spelled(name)
        if state.admits(hit.path)
        and find_language(hit.path).kind != "docs"
        and (graph is None or graph.scan.find_record(hit.path) is None)
        and not (state.source.is_partial and has_parser(hit.path))  # it will have a record
    )


def pair_unparsed(state: ResearchState, reading: Reading) -> Reading:
    """Return a comparison of unparsed members with those of the first type that declares them all, if any."""
    if not all(one.is_unparsed for one in reading.subjects):
        return reading
    found = [
        [hit for hit in _find_declared(state, one.name) if hit.symbol_name == one.name]
        for one in reading.subjects
    ]
    owners = [{split_parts(hit.symbol or "")[:-1]: None for hit in hits} for hits in found]
    owner = next((one for one in owners[0] if one and all(one in others for others in owners)), None)
    if owner is None:
        return reading
    places = [
        tuple(hit for hit in hits if split_parts(hit.symbol or "")[:-1] == owner)[:MAX_DECLARED]
        for hits in found
    ]
    paired = (replace(one, places=own) for one, own in zip(reading.subjects, places, strict=True))
    return replace(reading, subjects=tuple(paired))


def note_unparsed(state: ResearchState, reading: Reading) -> None:
    """Note the declarations of the subjects, then what derives from them, or the places with their names.

    Where it is asked what a subject uses itself, these say nothing.
    """
    room = _ROOM.get(reading.form, SHOWN_CHARS)
    room //= max(1, sum(len(subject.places) for subject in reading.subjects))
    for subject in reading.subjects:
        for hit in subject.places:
            lines = read_declared_lines(hit)
            shown = choose_written(state, hit.path, lines, room)
            place = TextPlace(hit.path, *lines, hit.symbol or "")
            note_lines(state, place, Reason(f"declares {subject.name}"), 0, shown[:1], shown=shown)
        if reading.form is Form.IMPLEMENTATIONS and _note_below(state, subject):
            continue
        if is_option(subject):
            note_option_uses(state, subject)
        elif reading.form in _OF_ITSELF:
            note_needed(state, subject)
        elif subject.places:
            if reading.form is Form.TESTS:
                note_naming_tests(state, subject)
                continue
            near = _WITH.search(state.request.query)
            text = "" if near is None else near[1] or near[2]
            most = MAX_BESIDE if reading.form is Form.DIFFERENCE else MAX_PLACES
            note_places(state, subject, near=text, most=most)


def choose_written(state: ResearchState, path: str, lines: tuple[int, int], room: int) -> tuple[int, ...]:
    """Return the numbers of the lines of a declaration that tell most, of at most about `room` characters."""
    first, last = lines
    body = Body(state.source.read_lines(path), first, last, first, {}, state.source.read_comment_lines(path))
    return tuple(choose_lines(trim_margin(body), {}, room, keeps_comments=True))


def _note_below(state: ResearchState, subject: Subject) -> bool:
    """Note what derives from a type, or overrides a member. Return False for nothing."""
    if subject.places and all(is_member(state, hit) for hit in subject.places):
        return _note_declared_again(state, subject)
    return bool(subject.places) and _note_deriving(state, subject)


def _note_deriving(state: ResearchState, subject: Subject) -> bool:
    """Note the lines that say that something derives from a subject, and from that. Return False for none."""
    bases = {split_parts(hit.symbol or "") for hit in subject.places}
    if len(split_qualified(subject.asked)) == 1:
        bases.update(list_declared(state, subject.name))  # which of them is meant, is not said
    found = _note_lines(state, subject, bases, 1)
    below = [split_parts(one.symbol) for one in found if one.symbol != one.path and is_program(one.path)]
    if 0 < len(below) <= MAX_BELOW:
        _note_lines(state, subject, set(below) - bases, 2)
    return bool(found)


def _note_lines(state: ResearchState, subject: Subject, bases: set[Parts], hop: int) -> list[Deriving]:
    """Note the lines that say that something derives from some bases, and return them."""
    found = list_deriving(state, bases, _list_languages(subject))
    if len(found) > MAX_DERIVING:
        names = subject.name if hop == 1 else f"what derives from {subject.name}"
        state.limit(f"lines that derive from {names}", f"{MAX_DERIVING} of {len(found)} are shown")
    for one in found[:MAX_DERIVING]:
        reason = Reason(f"derives from {one.base[-1]}", Role.DERIVES, subject.name)
        place = TextPlace(one.path, one.line, one.line, one.symbol)
        note_lines(state, place, reason, hop, (one.line,), shown=(one.line,))
    return found


def _note_declared_again(state: ResearchState, subject: Subject) -> bool:
    """Note the members that override a subject. Return False for none."""
    name = subject.name
    found = list_declared_again(state, subject.places, name, _list_languages(subject))
    for hit in found[:MAX_DERIVING]:
        lines = read_declared_lines(hit)
        reason = Reason(f"declares {name} again", Role.DECLARES_AGAIN, name)
        place = TextPlace(hit.path, *lines, hit.symbol or name)
        note_lines(state, place, reason, 1, lines[:1], shown=lines[:1])
    return bool(found)


def _list_languages(subject: Subject) -> set[str]:
    return {find_language(hit.path).name for hit in subject.places}
