"""Understand a question as the narrowest of its forms whose subjects exist in this repository.

"what calls authenticate()"      callers of AuthService.authenticate and Session.authenticate
"how does login reach the db"    a path from login to what the words "the db" find, as `db` is not declared
"Router"                         a declared name alone: what it is, who uses it, what it uses
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from repo_mcp.graph.graph import Graph
from repo_mcp.record_classes import replace
from repo_mcp.research.findings.citing import join_names
from repo_mcp.research.findings.records import Focus, Form, Reading, ResearchRequest, Subject, TakenAs
from repo_mcp.research.question.asked_keys import find_texts, read_keys
from repo_mcp.research.question.grammar import OF_WORDS, Parsed, parse_question
from repo_mcp.research.question.phrases import Phrase, read_phrase
from repo_mcp.research.question.subject_description import (
    describe_subject,
    is_declared_nowhere,
    is_several,
    is_unparsed,
)
from repo_mcp.research.question.subjects import Subjects
from repo_mcp.text.question_words import list_words

# Guesses that say of no setting which one it is. A package may be called so.
_ANY_SETTING = frozenset(
    ("config", "configuration", "default", "defaults", "option", "options", "setting", "settings")
)
_PHRASES = {
    Form.IMPLEMENTATIONS: "what implements, extends or overrides {}",
    Form.CALLERS: "what calls {}, and what calls that",
    Form.TESTS: "which tests use {}, or what uses it",
    Form.CALLEES: "what {} calls, and what that calls",
    Form.DEPENDENCIES: "what {} depends on",
    Form.DEPENDENTS: "what depends on {}",
    Form.CONFIGURED: "where {} is configured",
    Form.FLOW: "how {} leads to {}",
    Form.DEFINED: "what {} is: where it is declared, what uses it, what it uses",
    Form.EXTENSION: "where to add: {}",
    Form.ERRORS: "which errors are raised: {}",
    Form.DIFFERENCE: "the difference between {} and {}",
    Form.OPEN: "an open question, answered from its words",
    Form.OVERVIEW: "the structure of {}",
}
_OF_SEVERAL = {
    Form.TESTS: "which tests use {}, or what uses them",
    Form.CALLEES: "what {} call, and what that calls",
    Form.DEPENDENCIES: "what {} depend on",
    Form.CONFIGURED: "where {} are configured",
    Form.FLOW: "how {} lead to {}",
    Form.DEFINED: "what {} are: where they are declared, what uses them, what they use",
}
# Forms for which the hits of a word search may stand for a subject that is not declared.
_BY_WORDS = frozenset(
    {Form.CALLERS, Form.DEPENDENTS, Form.IMPLEMENTATIONS, Form.FLOW, Form.CONFIGURED, Form.DIFFERENCE}
)
# Forms that ask about symbols: if no symbol has the name, the answer says so first. A setting is often only a
# text.
_OF_SYMBOLS = frozenset(
    {Form.CALLERS, Form.CALLEES, Form.TESTS, Form.DEPENDENTS, Form.DEPENDENCIES, Form.IMPLEMENTATIONS,
     Form.DEFINED, Form.DIFFERENCE, Form.FLOW}
)  # fmt: skip
MAX_SUBJECT_WORDS = 4
_WHOLE = frozenset(
    {"", "it", "this", "codebase", "code base", "code", "repo", "repository", "project", "system", "program",
     "application", "app", "library", "package", "everything", "whole", "framework", "software"}
)  # fmt: skip

_ABOUT_SHAPES = frozenset(
    """
    repeated shape shapes pattern patterns design idiom idioms convention conventions common similar duplicate
    duplicated boilerplate structures families repository codebase project program
    """.split()  # noqa: SIM905
)


def is_about_shapes(request: ResearchRequest) -> bool:
    """Return True for a question about patterns whose words name only shapes and no particular code."""
    own = {*_ABOUT_SHAPES, *request.folder.lower().split("/")}
    return request.focus is Focus.PATTERNS and own.issuperset(map(str.lower, list_words(request.query)))


def understand(
    graph: Graph | None,
    request: ResearchRequest,
    is_absent: Callable[[str], bool] = lambda _word: False,
    *,
    is_partial: bool = False,
    read_lines: Callable[[str], Sequence[str]] = lambda _path: (),
    find_unparsed: Callable[[Subject], Subject] = lambda subject: subject,
) -> Reading:
    """Return the way a question is understood. Without a graph, every question is open.

    If no file has the only word of a subject (`is_absent`), the word is a name that is not declared. If the
    graph `is_partial`, it may lack a name that a text declares: then its words are searched for instead.
    `find_unparsed` takes an undeclared subject, and returns it as one that a language without a parser
    declares, if it is.
    """
    parsed = parse_question(request.query)
    if graph is None:
        return build_reading(Form.OPEN, (Subject(request.query, TakenAs.WORDS),))
    subjects = Subjects(graph, request.folder, read_lines)
    kept = _try_keys(subjects, request.query, read_lines, find_unparsed)
    if kept is not None:
        return kept
    for one in parsed:
        reading = None
        if one.form is Form.ERRORS and not is_partial:
            reading = _try_unknown_function(subjects, one, find_unparsed)
        reading = reading or _try(subjects, one, request) or _try_compared(one, find_unparsed)
        if reading is None and one.form is Form.DIFFERENCE and not is_partial:
            # Otherwise it would be taken for a question about the one subject that is declared.
            reading = _try_undeclared(subjects, one, is_absent, find_unparsed)
        if reading is not None:
            return reading
    guessed = _try_guesses(subjects, parsed, request.guesses, is_absent)
    if guessed is not None:
        return guessed
    for one in parsed:
        reading = _try_undeclared(subjects, one, is_absent, find_unparsed)
        if reading is not None and (not is_partial or any(map(is_unparsed, reading.subjects))):
            return reading
        if reading is not None and all(map(is_declared_nowhere, reading.subjects)):
            return _say_so_far(reading, is_absent)
    for one in parsed:
        reading = _try_words(subjects, one)
        if reading is not None:
            return reading
    for one in parsed:
        if one.form is Form.TESTS:  # of what is no name: only its words are looked for
            return build_reading(Form.OPEN, (Subject(one.phrases[0].text, TakenAs.WORDS),))
    if is_about_shapes(request):
        where = f"the folder {request.folder}" if request.folder else "the whole repository"
        return Reading(Form.OPEN, f"what is repeated in {where}", (Subject(request.query, TakenAs.WORDS),))
    return build_reading(Form.OPEN, (Subject(request.query, TakenAs.WORDS),))


def _try_keys(
    subjects: Subjects,
    query: str,
    read_lines: Callable[[str], Sequence[str]],
    find_unparsed: Callable[[Subject], Subject],
) -> Reading | None:
    """Return the reading of a question for the uses of keys that what is named beside them has as texts."""
    asked = read_keys(query)
    if asked is None:
        return None
    holders = [subjects.find(read_phrase(name), Form.CALLEES) for name in asked.holders]
    holders = [
        one if one.nodes else find_unparsed(replace(one, taken_as=TakenAs.UNDECLARED)) for one in holders
    ]
    found = [_hold_key(key, one, read_lines) for key in asked.keys for one in holders]
    own = {one.asked: one for one in reversed(found) if one.nodes or one.places}  # by its first holder
    return (
        build_reading(Form.DEPENDENTS, tuple(own[key] for key in asked.keys if key in own)) if own else None
    )


def _hold_key(key: str, holder: Subject, read_lines: Callable[[str], Sequence[str]]) -> Subject:
    """Return a key as a subject with those declarations of its holder that have it in a text."""

    def holds(path: str, first: int, last: int) -> bool:
        lines = read_lines(path)
        return any(find_texts(lines, at, key, first) for at in range(first, min(last, len(lines)) + 1))

    nodes = [one for one in holder.nodes if holds(one.path, one.symbol.start_line, one.symbol.end_line)]
    places = [
        one for one in holder.places if holds(one.path, *(one.symbol_lines or (one.start_line, one.end_line)))
    ]
    return Subject(key, TakenAs.KEY, tuple(nodes), holder.asked, places=tuple(places))


def _say_so_far(reading: Reading, is_absent: Callable[[str], bool]) -> Reading:
    """Return the reading of a question about undeclared names; files that are not parsed may declare some."""
    names = [one.asked for one in reading.subjects]
    if all(map(is_absent, names)):
        return reading
    return replace(
        reading, text=f"a question about {join_names(names)}, which no file parsed so far declares"
    )


def _try(subjects: Subjects, parsed: Parsed, request: ResearchRequest) -> Reading | None:
    """Return the reading of one form, or None when one of its subjects does not exist."""
    if parsed.form is Form.OPEN:
        return _try_name(subjects, request)
    if parsed.form is Form.OVERVIEW:
        return _try_overview(subjects, parsed, request)
    if parsed.form in OF_WORDS:
        text = " ".join(one.text for one in parsed.phrases)
        return build_reading(parsed.form, (Subject(text, TakenAs.WORDS),))
    found = tuple(subjects.find(phrase, parsed.form) for phrase in parsed.phrases)
    if parsed.form is Form.CONFIGURED and found[0].taken_as in (TakenAs.OUTSIDE, TakenAs.DECLARED_OTHERWISE):
        # Settings are often attributes of objects made elsewhere.
        return build_reading(parsed.form, (Subject(found[0].asked, TakenAs.WORDS),))
    if not all(one.is_found for one in found):
        return None
    return build_reading(_fit_form(parsed.form, found), found)


def _try_compared(parsed: Parsed, find_unparsed: Callable[[Subject], Subject]) -> Reading | None:
    """Return the reading of a comparison of what no parser reads; None for any other."""
    if parsed.form is not Form.DIFFERENCE:
        return None
    texts = (phrase.headed or phrase.whole or phrase.text for phrase in parsed.phrases)
    found = tuple(find_unparsed(Subject(text, TakenAs.UNDECLARED)) for text in texts)
    return build_reading(parsed.form, found) if all(map(is_unparsed, found)) else None


def _try_guesses(
    subjects: Subjects, parsed: Sequence[Parsed], guesses: Sequence[str], is_absent: Callable[[str], bool]
) -> Reading | None:
    """Return the reading of a question that only describes its subject, with a guessed name as that, or None.

    "Who calls the check of settings? (validate)": the first guess that is declared is meant. Where something
    is configured, any word that a file has may be. If the question has a name, it has to be said that nothing
    declares that.
    """
    asked = [one for one in parsed if len(one.phrases) == 1 and one.form in (*_OF_SYMBOLS, Form.CONFIGURED)]
    asked = [one for one in asked if one.form is not Form.DEFINED or not _is_long(one.phrases[0].text)]
    if any(subjects.find_undeclared(one.phrases[0]) is not None for one in asked):
        return None
    if any(one.form is Form.CONFIGURED for one in asked):
        guesses = [guess for guess in guesses if guess.lower() not in _ANY_SETTING]
    for form, guess in ((one.form, guess) for one in asked for guess in guesses):
        found = subjects.find(read_phrase(guess), form)
        if found.taken_as is TakenAs.DECLARED:
            return build_reading(form, (found,))
        if form is Form.CONFIGURED and " " not in guess and not is_absent(guess):
            return build_reading(form, (Subject(guess, TakenAs.WORDS),))
    return None


def _is_long(text: str) -> bool:
    """Return True for a phrase that describes more than one subject can be: "the difference between ..."."""
    return len(text.split()) > MAX_SUBJECT_WORDS


def _fit_form(form: Form, found: tuple[Subject, ...]) -> Form:
    """Return the form that fits the subject: nothing calls a folder, and nothing configures a file."""
    if found and found[0].taken_as is TakenAs.FOLDER:
        return form if form in (Form.DEPENDENCIES, Form.DEPENDENTS) else Form.OVERVIEW
    if (
        found
        and found[0].taken_as is TakenAs.OUTSIDE
        and form not in (Form.IMPLEMENTATIONS, Form.CALLERS, Form.CONFIGURED)
    ):
        return Form.DEPENDENTS
    return form


def _try_name(subjects: Subjects, request: ResearchRequest) -> Reading | None:
    """Return the reading of a question that is a single name, or None."""
    phrase = read_phrase(request.query)
    if len(phrase.text.split()) != 1:
        return None
    form = Form.DEPENDENCIES if request.focus is Focus.DEPENDENCIES else Form.DEFINED
    found = subjects.find(phrase, form)
    return build_reading(_fit_form(form, (found,)), (found,)) if found.is_found else None


def _try_overview(subjects: Subjects, parsed: Parsed, request: ResearchRequest) -> Reading | None:
    """Return the reading that asks for the structure of the whole, of a folder, or of a file's folder."""
    phrase = parsed.phrases[0] if parsed.phrases else Phrase("")
    if phrase.text.lower() in _WHOLE:
        whole = Subject(phrase.text, TakenAs.FOLDER, name=request.folder or ".")
        return build_reading(Form.OVERVIEW, (whole,))
    found = subjects.find(phrase, Form.OVERVIEW)
    if found.taken_as is TakenAs.FOLDER:
        return build_reading(Form.OVERVIEW, (found,))
    folder = subjects.find_folder(phrase.text)
    return None if folder is None else build_reading(Form.OVERVIEW, (folder,))


def _try_undeclared(
    subjects: Subjects,
    parsed: Parsed,
    is_absent: Callable[[str], bool],
    find_unparsed: Callable[[Subject], Subject],
) -> Reading | None:
    """Return the reading of a question about a symbol whose name is not declared; None for any other."""
    if parsed.form not in _OF_SYMBOLS:
        return None
    check = is_absent if len(parsed.phrases) == 1 else lambda _word: False  # else it may be a word of prose
    found = []
    for phrase in parsed.phrases:
        declared = subjects.find(phrase, parsed.form)
        found.append(declared if declared.is_found else subjects.find_undeclared(phrase, check))
    undeclared = (one for one in found if one is not None and one.taken_as is TakenAs.UNDECLARED)
    missing = tuple(map(find_unparsed, undeclared))
    is_written = [one.taken_as is TakenAs.UNDECLARED and not is_absent(one.asked) for one in missing]
    if parsed.form is Form.DIFFERENCE and len(missing) > 1 and all(is_written):
        return None  # parameters or options: what has their names tells the difference
    return build_reading(parsed.form, missing) if missing else None


def _try_unknown_function(
    subjects: Subjects, parsed: Parsed, find_unparsed: Callable[[Subject], Subject]
) -> Reading | None:
    """Return the reading of a question about the errors of an undeclared name; None for any other."""
    phrase = read_phrase(parsed.phrases[0].text)
    if subjects.find(phrase, Form.CALLEES).is_found:
        return None
    missing = subjects.find_undeclared(phrase)
    if missing is None or find_unparsed(missing).taken_as is not TakenAs.UNDECLARED:
        return None
    return build_reading(Form.ERRORS, (missing,))


def _try_words(subjects: Subjects, parsed: Parsed) -> Reading | None:
    """Return the reading with subjects found by their words; None if these are too many or find nothing."""
    if parsed.form not in _BY_WORDS or not parsed.phrases:
        return None
    if any(_is_long(phrase.text) for phrase in parsed.phrases):
        return None
    found = []
    for phrase in parsed.phrases:
        if parsed.form is Form.CONFIGURED and len(phrase.text.split()) == 1:
            found.append(Subject(phrase.text, TakenAs.WORDS))  # only named, without a symbol
            continue
        declared = subjects.find(phrase, parsed.form)
        found.append(declared if declared.nodes else subjects.find_by_words(phrase, parsed.form))
    if parsed.form is Form.CONFIGURED or all(one.nodes for one in found):
        return build_reading(parsed.form, tuple(found))
    return None


def build_reading(form: Form, subjects: tuple[Subject, ...]) -> Reading:
    """Return the reading of a form and its subjects, with words that say how they are understood."""
    if form is Form.OVERVIEW:
        name = subjects[0].name
        text = "the structure of " + ("the whole repository" if name == "." else f"the folder {name}")
    elif subjects[0].taken_as in (TakenAs.UNDECLARED, TakenAs.UNPARSED):
        text = f"a question about {' and '.join(map(describe_subject, subjects))}"
    elif subjects[0].taken_as is TakenAs.KEY:
        text = f"what has {join_names(map(describe_subject, subjects), len(subjects))}"
    elif form in (Form.OPEN, *OF_WORDS):
        text = _PHRASES[form].format(subjects[0].asked)
    else:
        phrase = _OF_SEVERAL.get(form, _PHRASES[form]) if is_several(subjects[0]) else _PHRASES[form]
        text = phrase.format(*map(describe_subject, subjects))
    return Reading(form, text, subjects)
