"""Find where something is configured: the lines that give its name a value, configuration files first.

A line gives a name a value when `=`, `:` or `:=` follows the name, which may be quoted (a key of JSON or of
a dictionary), or when a defining word precedes it: `#define NAME`, `config NAME`, `export NAME`, `--name`.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence

from repo_mcp.graph.nodes import Node
from repo_mcp.model import ExactMatch, ExactRequest
from repo_mcp.record_classes import replace
from repo_mcp.research.findings.locating import count_shared_folders, is_aside, is_program
from repo_mcp.research.findings.named_symbols import computes
from repo_mcp.research.findings.reasons import Reason, Role
from repo_mcp.research.findings.records import Finding, Subject
from repo_mcp.research.findings.research_state import ResearchState
from repo_mcp.research.settings.accessors import list_through_accessors
from repo_mcp.research.settings.asked_settings import add_keeping, list_setting_names
from repo_mcp.research.settings.kept_values import note_kept
from repo_mcp.research.settings.line_use import LineUse, classify_match, classify_use
from repo_mcp.research.settings.named_defaults import note_named_defaults
from repo_mcp.research.settings.nested_keys import note_nested_keys
from repo_mcp.research.settings.noted_deciding import note_deciding, put_keys_last
from repo_mcp.research.settings.noted_settings import (
    note_matches,
    note_option,
    note_readers,
    put_options_first,
)
from repo_mcp.research.settings.option_calls import explains, list_declaring, list_spelled
from repo_mcp.research.settings.reading_lines import asks_for_readers, find_used, list_reading, reads_only
from repo_mcp.research.settings.setting_lines import (
    MAX_MATCHES,
    MAX_SETTING_CHARS,
    search_mentions,
    search_setting,
)
from repo_mcp.research.settings.setting_owners import (
    is_configuration,
    is_other_case,
    is_owned,
    list_other_fields,
    list_rival_fields,
)
from repo_mcp.research.settings.settings_types import note_settings_type
from repo_mcp.text.generated import is_generated
from repo_mcp.text.lines import is_import
from repo_mcp.text.question_words import count_words
from repo_mcp.text.roles import FileRole, find_role

MAX_HEADINGS = 2  # of documents
_DOTTED = re.compile(r"[A-Za-z_][\w-]*(?:\.[\w-]+)+")


def find_settings(state: ResearchState, subject: Subject) -> None:
    """Note the lines that give the subject a value, and those that read it, or these first if asked for.

    Of the former, those in configuration come first, and those in tests last. What declares an
    option comes before both; if the program has no value of its name, only that and what reads it count.
    """
    if subject.declaring:
        note_option(state, subject)
    if not subject.declaring or subject.nodes:
        _find_values(state, subject)
    else:
        _note_key_readers(state, subject)
    put_options_first(state)


def _note_key_readers(state: ResearchState, option: Subject) -> None:
    """Note the lines that read an option by its name, where what declares it sets nothing: `getini("x")`."""
    for name in dict.fromkeys(call.name for call in option.declaring if not call.bound):
        mentions = [one for one in search_mentions(state, name) if is_program(one.path)]
        note_readers(state, name, list_reading(state, name, mentions, ()), Role.READS)


def add_options(state: ResearchState, subject: Subject) -> Subject:
    """Return a setting with the calls that declare it as an option, under its name or with dashes.

    They give it a default, or a text for its user. What sets a declared field is told with that.
    Declarations that a tool wrote are left out if there are others.
    """
    own = tuple(one for one in subject.nodes if not is_generated(state.source.read_lines(one.path)))
    subject = replace(subject, nodes=own) if own else subject
    if subject.declaring or asks_for_readers(state.request.query):
        return subject
    names = dict.fromkeys(one for name in list_setting_names(subject) for one in list_spelled(name))
    declared = {node.symbol.name for node in subject.nodes}
    for name in names:
        found = list_declaring(state, name) if count_words(name) > 1 else []
        telling = tuple(
            one
            for one in found
            if (one.default or explains(state, one)) and one.bound.rpartition(".")[2] not in declared
        )
        if telling:
            return replace(subject, declaring=telling)
    return subject


def _find_values(state: ResearchState, subject: Subject) -> None:
    """Note the lines that give a setting a value or read it, in the order that `find_settings` promises."""
    if not subject.nodes and _DOTTED.fullmatch(subject.asked) and _note_dotted(state, subject.asked):
        return
    if note_settings_type(state, subject):
        return
    others = list_other_fields(state, subject)
    subject = add_keeping(state, subject)
    used = find_used(state, subject)
    rivals = (*others, *(list_rival_fields(state, subject) if "." in subject.asked else ()))
    foreign = find_used(state, replace(subject, nodes=rivals)) - used
    for name in list_setting_names(subject):
        state.check()
        if all(map(computes, subject.nodes)):  # what is stored is declared elsewhere
            note_nested_keys(state, name)
        every = search_mentions(state, name)  # also of what other layers declare
        matches, mentions = (
            [
                one
                for one in found
                if (one.path, one.start_line) not in foreign and not _is_other(others, name, one)
            ]
            for found in (search_setting(state, name), every)
        )
        note_deciding(state, subject, name, mentions if "." in subject.asked else every)
        matches = [one for one in matches if not is_other_case(subject.nodes, name, one)]
        if subject.nodes and "." in subject.asked:
            matches = [one for one in matches if _is_meant(state, subject, name, one, used)]
            mentions = [one for one in mentions if _is_meant(state, subject, name, one, used)]
        mentions = _sort_near(subject, [one for one in mentions if not _lies_in(subject.nodes, one)])
        declared = bool(subject.nodes)
        reading = list_reading(state, name, mentions, used, is_declared=declared, is_only=not others)
        reading += list_through_accessors(state, name, reading)
        matches = [one for one in matches if one not in reading or not reads_only(state, name, one)]
        _note_uses(state, subject, name, matches, mentions, reading)
        note_named_defaults(state, subject, name)
    put_keys_last(state)


def _sort_near(subject: Subject, matches: Sequence[ExactMatch]) -> list[ExactMatch]:
    """Return lines, those in the folders of the declarations first: others are of programs that try it."""
    own = [node.path for node in subject.nodes]
    return sorted(
        matches, key=lambda one: -max((count_shared_folders(one.path, path) for path in own), default=0)
    )


def _is_meant(
    state: ResearchState, subject: Subject, name: str, match: ExactMatch, used: Collection[tuple[str, int]]
) -> bool:
    """Return True for a line with the name of a member, by the graph or by the text.

    If neither tells, lines of configuration count, and those of files that declare such a member.
    """
    if (match.path, match.start_line) in used:
        return True
    owner = subject.asked.rpartition(".")[0].rpartition(".")[2]
    is_so = is_owned(state, owner, name, match)
    is_near = find_role(match.path) is FileRole.CONFIG or match.path in {node.path for node in subject.nodes}
    return is_near if is_so is None else is_so


def _note_uses(
    state: ResearchState,
    subject: Subject,
    name: str,
    matches: Sequence[ExactMatch],
    mentions: Sequence[ExactMatch],
    reading: Sequence[ExactMatch],
) -> None:
    """Note the lines that set and read a name, and others that only mention it."""
    own = [one for one in matches if is_program(one.path) or find_role(one.path) is FileRole.CONFIG]
    stating = (LineUse.TAKES, LineUse.DECLARES)
    taking = [one for one in mentions if classify_use(name, one.line) in stating and one not in own]
    is_first = asks_for_readers(state.request.query)
    if is_first:
        note_readers(state, name, reading, Role.READS)
        note_kept(state, name, reading)
    note_matches(state, name, [*own, *taking])
    state.report_hop(1)
    if not is_first:
        note_readers(state, name, reading, Role.READS)
    others = [one for one in mentions if one not in reading and not is_import(one.line)]
    code = [one for one in others if one.start_line not in state.source.read_comment_lines(one.path)]
    note_readers(state, name, code if own or reading or code else others, Role.MENTIONS)
    if not subject.nodes:
        _note_headings(state, name)
    if not (is_first and reading):  # that documents and tests set it is not asked for
        note_matches(state, name, [one for one in matches if one not in own])


def _note_headings(state: ResearchState, name: str) -> None:
    """Note the sections of documents that have a setting in their headings."""
    request = ExactRequest(rf"^(?:#+|=+) .*\b{re.escape(name)}\b", regex=True, limit=MAX_MATCHES)
    found = [
        one
        for one in state.source.search_exact(request).matches
        if find_role(one.path) is FileRole.DOCS and not is_aside(one.path)
    ]
    for one in found[:MAX_HEADINGS]:
        reason = Reason(f"documents {name}", Role.OTHER, name)
        line = one.start_line
        state.add_place(Finding(one.path, line, line, one.path, "file", None, reason, 1, "text", (line,)))


def _lies_in(nodes: Iterable[Node], match: ExactMatch) -> bool:
    """Return True for a line of one of some declarations, which are shown anyway."""
    return any(
        node.path == match.path and node.symbol.start_line <= match.start_line <= node.symbol.end_line
        for node in nodes
    )


def _is_other(others: Iterable[Node], name: str, match: ExactMatch) -> bool:
    """Return True for a line of another field of a name, unless it gives what a member of the name has."""
    handed = re.search(rf"(?:=>|\breturn\b)[^=]*[\w)]\??\.{re.escape(name)}\b", match.line)
    return handed is None and _lies_in(others, match)


def _note_dotted(state: ResearchState, key: str) -> bool:
    """Note the lines that have a key of several parts, such as `search.lang`. Return False if none has it."""
    matches = state.source.search_exact(ExactRequest(key, whole_word=True, limit=MAX_MATCHES)).matches
    found = [one for one in matches if len(one.line) <= MAX_SETTING_CHARS]
    setting = [one for one in found if is_configuration(one.path)]
    others = [one for one in found if one not in setting and is_program(one.path)]
    reading = list_reading(state, key, others, ())
    note_matches(state, key, setting)
    owner, name = key.split(".")[-2:]
    inside = [
        one
        for one in search_setting(state, name)
        if one not in setting
        and (is_program(one.path) or is_configuration(one.path))
        and is_owned(state, owner, name, one)
        and classify_match(state, name, one) in (LineUse.SETS, LineUse.FILLS)
    ]
    note_matches(state, name, inside)
    state.report_hop(1)
    note_readers(state, key, reading, Role.READS)
    note_readers(state, key, [one for one in others if one not in reading], Role.MENTIONS)
    return bool(setting or inside or others)
