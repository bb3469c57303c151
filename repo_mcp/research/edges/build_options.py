"""Find what an option of a build decides: other options, what is built, and code.

    config NET_FAST                 obj-$(CONFIG_NET_FAST) += fast.o        #ifdef CONFIG_NET_FAST
        depends on NET

Kconfig declares the options without the prefix that Makefiles and code give them. A comment or a text of help
decides nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from repo_mcp.bodies.body import iter_enclosing
from repo_mcp.languages.patterns.language_registry import find_language
from repo_mcp.model import ExactMatch, ExactRequest, Hit
from repo_mcp.research.edges.unparsed_files import read_declared_lines
from repo_mcp.research.findings.citing import cite_line, join_names
from repo_mcp.research.findings.locating import find_inner_span, is_program
from repo_mcp.research.findings.reasons import Reason, Role
from repo_mcp.research.findings.records import Finding, Form, Reading, Subject, TakenAs
from repo_mcp.research.findings.research_state import ResearchState, TextPlace, note_lines
from repo_mcp.text.citations import write_citation
from repo_mcp.text.guessed_names import list_own_names
from repo_mcp.text.lines import is_comment
from repo_mcp.text.question_words import list_words

PREFIX = "CONFIG_"
MAX_DECLARED, MAX_LINES = 4, 5  # declarations of one option, and lines of code shown of one file
MAX_ENTRIES, MAX_BUILT, MAX_CODE = 12, 8, 10  # options, lines of Makefiles, and files of code that are shown
MOST_MATCHES = 400  # lines with an option that are looked at
MOST_WORDS = 12  # of a question that may be an option
LINES_ABOVE = 200  # of a line, in which the text of help that it may be a part of begins
_KCONFIG, _MAKE = "kconfig", "make"
_ASKS = re.compile(r"\bkconfig\b|\b(?:k?config(?:uration)?|build) (?:option|symbol|switch)", re.IGNORECASE)
_CAPITALS = re.compile(r"[A-Z][A-Z0-9_]*")
_ENTRY = (
    r"^\s*(depends on|(?:visible )?if|select|imply|default|def_bool|def_tristate|bool|tristate|prompt|range)"
    r"\s(?:.*\W)?{}(?:\W|$)"
)
_DEPENDS = re.compile(r"\s*depends on\s+(.+)")
_HELP = re.compile(r"\s*(?:-+)?help\b")
_ENDS = re.compile(r"\s*#\s*(?:else|endif)\b")
# The roles of lines of Kconfig by the words with which they begin.
_ROLES = {
    "depends on": (Role.DEPENDS_ON_OPTION, "depends on {}"),
    "select": (Role.SELECTS_OPTION, "selects {}"),
    "imply": (Role.SELECTS_OPTION, "implies {}"),
}
_IN_CONDITION = (Role.DEPENDS_ON_OPTION, "has {} in a condition")
# Forms of questions for an option that are kept; of any other, it is asked what the option is.
_KEPT = frozenset({Form.DEPENDENTS, Form.DEPENDENCIES})
_OTHER_FORMS = frozenset({Form.DIFFERENCE, Form.EXTENSION, Form.FLOW, Form.OVERVIEW, Form.RAISED})


def read_option(state: ResearchState, reading: Reading) -> tuple[Form, Subject] | None:
    """Return the form and the subject of a question for an option of a build; None for any other.

    The option is written with its prefix, only Kconfig declares its name, or the question asks for such an
    option and guesses its name or has it in any case.
    """
    if reading.form in _OTHER_FORMS:
        return None
    query = state.request.query
    asked = ((one.asked.partition(" ")[0], one) for one in reading.subjects)  # `CONFIG_NET configured`
    named = [name for name, one in asked if name.startswith(PREFIX) or is_option(one)]
    guessed = list_own_names(state.request.guesses)
    names = named
    if not named and (_ASKS.search(query) or any(one.startswith(PREFIX) for one in guessed)):
        names = [word.upper() for word in (*guessed, *list_words(query))][:MOST_WORDS]
    for name in dict.fromkeys(names):
        plain = name.removeprefix(PREFIX)
        places = _find_declared(state, plain) if _CAPITALS.fullmatch(plain) else ()
        if places:
            form = reading.form if named and reading.form in _KEPT else Form.CONFIGURED
            return form, Subject(name, TakenAs.UNPARSED, name=plain, places=places)
    return None


def _find_declared(state: ResearchState, name: str) -> tuple[Hit, ...]:
    hits = (one for one in state.source.list_spelled(name) if state.admits(one.path))
    return tuple(one for one in hits if find_language(one.path).name == _KCONFIG)[:MAX_DECLARED]


def is_option(subject: Subject) -> bool:
    """Return True for a subject that Kconfig declares."""
    return bool(subject.places) and all(find_language(one.path).name == _KCONFIG for one in subject.places)


def note_option_uses(state: ResearchState, option: Subject) -> None:
    """Note the options that depend on one or select it, lines of Makefiles, and code, file by file."""
    own = [(hit.path, *read_declared_lines(hit)) for hit in option.places]
    entries = ExactRequest(_ENTRY.format(option.name), regex=True, limit=MOST_MATCHES, languages=(_KCONFIG,))
    found = [
        one
        for one in state.source.search_exact(entries).matches
        if not any(one.path == path and first <= one.start_line <= last for path, first, last in own)
    ]
    _note_entries(state, option, [one for one in found if not _is_help(state, one)])
    builds = ExactRequest(f"{PREFIX}{option.name}", whole_word=True, limit=MAX_BUILT + 1, languages=(_MAKE,))
    for one in state.source.search_exact(builds).matches[:MAX_BUILT]:
        if not is_comment(one.line):
            reason = Reason(f"decides by {option.name} what is built", Role.BUILDS_BY_OPTION, option.name)
            at = one.start_line
            note_lines(state, TextPlace(one.path, at, at), reason, 1, (at,), shown=(at,))
    _note_code(state, option)


def _note_entries(state: ResearchState, option: Subject, found: Iterable[ExactMatch]) -> None:
    """Note the entries of Kconfig with some lines, each with those of its lines."""
    pattern = re.compile(_ENTRY.format(option.name))
    shown: dict[tuple[str, int], tuple[str, Reason, list[int]]] = {}
    for one in found:
        entry = find_inner_span(state.source.find_layout(one.path).spans, one.start_line)
        begun = pattern.match(one.line)
        role, text = _ROLES.get(begun[1] if begun else "", _IN_CONDITION)
        reason = Reason(text.format(option.name), role, option.name)
        is_alone = entry is None or not one.line[:1].isspace()  # `if NET` around several entries
        place = (one.path, one.start_line if entry is None or is_alone else entry.start_line)
        name = "" if entry is None or is_alone else entry.qualified_name
        shown.setdefault(place, (name, reason, []))[2].append(one.start_line)
    for (path, at), (name, reason, lines) in [*shown.items()][:MAX_ENTRIES]:
        held = tuple(sorted({at, *lines[:MAX_LINES]}))
        entry_place = TextPlace(path, at, held[-1], name, name)
        note_lines(state, entry_place, reason, 1, tuple(lines), shown=held)
    if len(shown) > MAX_ENTRIES:
        state.limit(f"options that name {option.name}", f"{MAX_ENTRIES} of {len(shown)} are shown")


def _is_help(state: ResearchState, match: ExactMatch) -> bool:
    """Return True for a line of a text of help: one that begins it stands above, and less far in."""
    lines = state.source.read_lines(match.path)
    return _HELP.match(next(iter_enclosing(lines, match.start_line, LINES_ABOVE), "")) is not None


def _note_code(state: ResearchState, option: Subject) -> None:
    files = [*_iter_code(state, option)]
    reason = Reason(f"asks for {option.name}", Role.ASKS_FOR_OPTION, option.name)
    for path, lines in files[:MAX_CODE]:
        shown = lines[:MAX_LINES]
        note_lines(state, TextPlace(path, shown[0], shown[0]), reason, 2, shown, shown=shown)
    if len(files) > MAX_CODE:
        state.limit(f"files of code with {option.name}", f"{MAX_CODE} of {len(files)} are shown")


def _iter_code(state: ResearchState, option: Subject) -> Iterator[tuple[str, tuple[int, ...]]]:
    """Yield the files of the program with an option, with the lines that ask for it."""
    request = ExactRequest(
        f"{PREFIX}{option.name}", whole_word=True, limit=MOST_MATCHES, include_tests=False, by_role=True
    )
    held: dict[str, list[int]] = {}
    for one in state.source.search_exact(request).matches:
        is_code = is_program(one.path) and find_language(one.path).kind == "code"
        if is_code and not (_ENDS.match(one.line) or is_comment(one.line)):
            held.setdefault(one.path, []).append(one.start_line)
    yield from ((path, tuple(lines)) for path, lines in held.items())


def describe_option_uses(state: ResearchState, option: Subject, form: Form) -> list[str]:
    """Return sentences on an option: what is asked first, then the rest, each with its places."""
    declared = _describe_declared(state, option)
    using = _describe_entries(state, option)
    return [*using, *declared] if form is Form.DEPENDENTS and using else [*declared, *using]


def _describe_declared(state: ResearchState, option: Subject) -> list[str]:
    """Return where an option is declared, and on what it depends by its own lines."""
    places = [write_citation(hit.path, *read_declared_lines(hit)) for hit in option.places]
    needs = [
        f"{found[1].strip()} ({write_citation(hit.path, at, at)})"
        for hit in option.places
        for first, last in [read_declared_lines(hit)]
        for at, line in enumerate(state.source.read_lines(hit.path)[first - 1 : last], first)
        if (found := _DEPENDS.match(line))
    ]
    sentences = [f"{option.asked} is declared at {join_names(places)}."]
    return [*sentences, f"It depends on {join_names(needs)}."] if needs else sentences


def _describe_entries(state: ResearchState, option: Subject) -> list[str]:
    """Return sentences on the options, Makefiles and code that name an option."""
    cited = {
        role: [_name(one) for one in state.findings if one.role is role and one.reason.about == option.name]
        for role in (
            Role.DEPENDS_ON_OPTION,
            Role.SELECTS_OPTION,
            Role.BUILDS_BY_OPTION,
            Role.ASKS_FOR_OPTION,
        )
    }
    told = (
        (Role.DEPENDS_ON_OPTION, "On {} depend: {}."),
        (Role.SELECTS_OPTION, "{} is selected by {}."),
        (Role.BUILDS_BY_OPTION, "{} decides what is built at {}."),
        (Role.ASKS_FOR_OPTION, "{} is asked for by code at {}."),
    )
    return [text.format(option.name, join_names(cited[role])) for role, text in told if cited[role]]


def _name(one: Finding) -> str:
    return f"{one.name} ({cite_line(one)})" if one.name else cite_line(one)
