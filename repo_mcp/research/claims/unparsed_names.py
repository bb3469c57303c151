"""Say what the text tells of names that are declared in a language without a symbol parser."""

from __future__ import annotations

from collections.abc import Sequence
from types import MappingProxyType

from repo_mcp.languages.patterns.language_registry import find_language
from repo_mcp.research.edges.build_options import describe_option_uses, is_option
from repo_mcp.research.edges.declared_again import is_member
from repo_mcp.research.edges.naming_tests import describe_naming_tests
from repo_mcp.research.edges.shared_members import MAX_ALONE
from repo_mcp.research.edges.unparsed_files import read_declared_lines
from repo_mcp.research.findings.citing import join_names, name_findings, write_count
from repo_mcp.research.findings.first_sentences import read_comment
from repo_mcp.research.findings.locating import is_test_place
from repo_mcp.research.findings.reasons import Role
from repo_mcp.research.findings.records import Form, Subject
from repo_mcp.research.findings.research_state import ResearchState
from repo_mcp.research.question.phrase_names import is_path
from repo_mcp.text.citations import write_citation

# Names of languages that are written in another way than with a capital letter.
_SPELLED = MappingProxyType(
    {
        "antlr": "ANTLR",
        "bnf": "BNF",
        "cmake": "CMake",
        "coffeescript": "CoffeeScript",
        "common-lisp": "Common Lisp",
        "css": "CSS",
        "fsharp": "F#",
        "graphql": "GraphQL",
        "html": "HTML",
        "ocaml": "OCaml",
        "peg": "PEG",
        "php": "PHP",
        "powershell": "PowerShell",
        "sql": "SQL",
        "vim-script": "Vim script",
        "visual-basic": "Visual Basic",
        "xml": "XML",
    }
)


def describe_unparsed(state: ResearchState, subjects: Sequence[Subject], form: Form) -> list[str]:
    """Return sentences on where subjects are declared, what their comments say, and what is not known.

    Of several, say also what only one of them declares.
    """
    if all(map(is_option, subjects)):  # or there is none
        return [sentence for one in subjects for sentence in describe_option_uses(state, one, form)]
    sentences = [_describe(state, one) for one in subjects]
    if len(subjects) > 1:
        sentences += _describe_own(state, subjects)
    languages = dict.fromkeys(_spell(find_language(one.places[0].path).name) for one in subjects)
    told = "references are not followed, and what is shown was found by its name alone"
    if form is Form.IMPLEMENTATIONS:
        sentences += (_describe_deriving(state, one) for one in subjects)
        told = "this is what lines of text say"
    elif form in (Form.CALLERS, Form.DEPENDENTS):
        sentences += filter(None, (_describe_calls(state, one) for one in subjects))
    elif form is Form.TESTS:
        sentences += (describe_naming_tests(state, one) for one in subjects)
    elif form in (Form.CALLEES, Form.DEPENDENCIES):
        sentences += (_describe_needed(state, one) for one in subjects)
        told = "references are not followed"
    sentences.append(f"Nothing here parses {join_names(languages)}: {told}.")
    return sentences


def _describe_deriving(state: ResearchState, subject: Subject) -> str:
    """Return a sentence that names what derives from a subject, or declares such a member again.

    Only what is of the program is named, if any of that does.
    """
    name = subject.name
    roles = Role.DERIVES, Role.DECLARES_AGAIN
    found = [one for one in state.findings if one.role in roles and one.reason.about == name]
    own = [one for one in found if not is_test_place(one.path)] or found
    tests = len(found) - len(own)
    also = f" and {write_count(tests, 'place')} in tests" if tests else ""
    members = all(is_member(state, hit) for hit in subject.places)
    if not found and members:
        return f"No type that derives from that of {name}, or is mixed in beside it, declares {name} again."
    if not found:
        return f"No line{state.inside} says that anything extends, implements or includes {name}."
    does = "is declared again in" if members else "is extended, implemented or included by"
    return f"{name} {does} {name_findings(own)}{also}."


def _describe_calls(state: ResearchState, subject: Subject) -> str:
    """Return a sentence on what calls something of the name of a subject; "" for nothing.

    What has that name itself comes last: it hands on to another one.
    """
    roles = [one for one in state.findings if one.role is Role.CALLS_BY_NAME]
    found = [one for one in roles if one.reason.about == subject.name]
    found.sort(key=lambda one: one.symbol.rpartition(".")[2] == subject.name)  # stable
    return f"{subject.name} is called by name in {name_findings(found)}." if found else ""


def _describe_needed(state: ResearchState, subject: Subject) -> str:
    """Return a sentence on the lines in which the file of a subject says what it needs."""
    found = [one for one in state.findings if one.role is Role.NEEDS and one.reason.about == subject.asked]
    count = sum(len(one.shown) for one in found)
    path = subject.places[0].path
    if not count:
        return f"No line of {path} says what it imports."
    return f"{write_count(count, 'line')} of {path} say what it imports."


def _spell(language: str) -> str:
    """Return the name of a language as its users write it."""
    return _SPELLED.get(language, language.title())


def _describe(state: ResearchState, subject: Subject) -> str:
    """Return where a subject is declared, and the first sentence of its comment."""
    first = subject.places[0]
    start, end = read_declared_lines(first)
    more = len(subject.places) - 1
    others = f" and at {write_count(more, 'more place')}" if more else ""
    said = read_comment(state, first.path, start)
    place = write_citation(first.path, start, end)
    if first.symbol and is_path(subject.asked) and first.path.endswith(subject.asked.strip("/")):
        return f"{subject.asked} declares {first.symbol} ({place}){f': {said}' if said else '.'}"
    if " " in subject.asked and not said:
        return f"{subject.asked} is {subject.name} ({place}{others})."
    return (
        f"{subject.asked} ({place}{others}): {said}"
        if said
        else f"{subject.asked} is declared at {place}{others}."
    )


def _describe_own(state: ResearchState, subjects: Sequence[Subject]) -> list[str]:
    """Return a sentence for each subject on the members that it alone declares."""
    members = {one.name: _list_members(state, one) for one in subjects}
    sentences = []
    for name, own in members.items():
        others = {member for other, theirs in members.items() if other != name for member in theirs}
        alone = [member for member in own if member not in others]
        if alone and all(0 < len(theirs) <= MAX_ALONE for theirs in members.values()):
            sentences.append(f"Only {name} declares {join_names(alone)}.")
    return sentences


def _list_members(state: ResearchState, subject: Subject) -> list[str]:
    """Return the names of what the text declares inside of a subject, in the order of its lines."""
    place = subject.places[0]
    first, last = read_declared_lines(place)
    return list(
        dict.fromkeys(
            one.name
            for one in state.source.find_layout(place.path).spans
            if first < one.name_line <= last
            and one.qualified_name.rpartition(".")[0].rpartition(".")[2] == subject.name
        )
    )
