"""Find where something is configured: the lines that give its name a value, configuration files first.

A line gives a name a value when `=`, `:` or `:=` follows the name, which may be quoted (a key of JSON or of
a dictionary), or when a defining word precedes it: `#define NAME`, `config NAME`, `export NAME`, `--name`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from enum import StrEnum

from repo_mcp.model import ExactMatch, ExactRequest, Hit
from repo_mcp.research.locating import is_program, is_test_place, rank_role
from repo_mcp.research.records import Finding, Subject
from repo_mcp.research.research_state import ResearchState, search_words
from repo_mcp.text.roles import FileRole, find_role
from repo_mcp.text.stop_words import STOP_WORDS

MAX_MATCHES = 200  # lines examined for one name
MAX_OF_FILE = 3  # lines shown of one file
MAX_PLACES = 40
MAX_READERS = 10
LEAST_ENDING = 5  # characters of the part of a name that is searched for alone
MAX_SEARCHED, MAX_HITS = 50, 12
_WORDS_FOR_IT = "config setting option default"
_OPERATOR = r"(?:\?\?|\|\||&&|[|&+])?"  # before `=`: sets a value only if there is none, or adds to one
_CONFIG_PATH = re.compile(
    r"(?:^|/|_)(?:conf|configs?|configuration|settings?|options|defaults?|env|constants)\b"
    r"|\.(?:env|ini|cfg|toml|ya?ml|json|properties|conf)$",
    re.IGNORECASE,
)
_NAME = re.compile(r"[A-Za-z_$][\w$]*")
_READING = re.compile(r"(?:get|pop|read|lookup|env|has|is_)", re.IGNORECASE)  # functions that read a setting
_SETTING = re.compile(r"(?:set|define|declare|register|add|default|option)", re.IGNORECASE)


def list_setting_names(subject: Subject) -> list[str]:
    """Return at most two names to search for: those of the declarations found, else the text itself."""
    names = dict.fromkeys(node.symbol.name for node in subject.nodes if subject.how.startswith("declared"))
    if not names:
        last = subject.asked.rpartition(".")[2]
        names = dict.fromkeys([last] if _NAME.fullmatch(last) else _join_words(subject.asked))
    return list(names)[:2]


def _join_words(text: str) -> list[str]:
    words = [word for word in re.findall(r"\w+", text) if word.lower() not in STOP_WORDS]
    return ["_".join(words)] if words else []


def find_settings(state: ResearchState, subject: Subject) -> None:
    """Note the lines that give the subject a value: configuration first, tests last."""
    for name in list_setting_names(subject):
        state.check()
        matches = _search(state, name)
        own = [one for one in matches if is_program(one.path) or find_role(one.path) is FileRole.CONFIG]
        if not any(_is_configuration(one.path) for one in own):
            _note_endings(state, name)  # the value may be set under only a part of the name
        _note_matches(state, name, own)
        state.tell_hop(1)
        _note_readers(state, name)
        _note_matches(state, name, [one for one in matches if one not in own])


def _is_configuration(path: str) -> bool:
    return _CONFIG_PATH.search(path) is not None or find_role(path) is FileRole.CONFIG


def _search(state: ResearchState, name: str) -> tuple[ExactMatch, ...]:
    request = ExactRequest(_build_pattern(name), regex=True, case_sensitive=False, limit=MAX_MATCHES)
    found = state.source.search_exact(request)
    if found.truncated:
        state.limit(f"lines that set {name}", f"the first {MAX_MATCHES} by path are read")
    return tuple(match for match in found.matches if tell_how(name, match.line) is not How.READS)


def _note_endings(state: ResearchState, name: str) -> None:
    """Note where the end of a name is set in configuration files, such as `prefetch` in a group `worker`."""
    ending = name.partition("_")[2]
    if len(ending) >= LEAST_ENDING:
        matches = [match for match in _search(state, ending) if _is_configuration(match.path)]
        own = [match for match in matches if is_program(match.path)]
        _note_matches(state, ending, own, f", the last part of {name}")


def _note_readers(state: ResearchState, name: str) -> None:
    """Note other lines of the program that mention the name, since they read the setting."""
    found = state.source.search_exact(
        ExactRequest(name, whole_word=True, limit=MAX_MATCHES, include_tests=False)
    )
    reading = [match for match in found.matches if is_program(match.path)]
    noted = 0
    for match in reading:
        if noted >= MAX_READERS:
            state.limit(f"more lines that mention {name}", f"{MAX_READERS} are shown")
            break
        noted += state.add_place(_build_place(state, name, match, f"mentions {name}", 2))


def _build_pattern(name: str) -> str:
    """Return an expression made of whole words, because the index can look whole words up."""
    spelled = dict.fromkeys(re.escape(name.replace("_", joint)) for joint in ("_", "-", ""))
    return "|".join(map(_build_spelled, spelled))


def _build_spelled(quoted: str) -> str:
    before = r"(?:(?:#\s*define|\bconfig|\bexport|\bENV|\bARG|\bset|::)\s+|--|::)"
    named = rf"[\"']{quoted}[\"']\s*,"  # registered by its name
    valued = rf"\b{quoted}\b[\"']?\]?\s*(?::=|{_OPERATOR}=(?:[^=>]|$)|:(?:[^:]|$))"
    return rf"(?:{valued}|{before}{quoted}\b|{named})"


class How(StrEnum):
    """The use that a line makes of a name."""

    SETS = "sets"
    DECLARES = "declares or documents"
    HANDS_ON = "passes the name"
    READS = "reads"


def tell_how(name: str, line: str) -> How:
    """Return what a line does with a name. When the name stands in quotes before a comma, the function called
    decides: `get("NAME", 0)` reads it, `setdefault("NAME", 0)` sets it.
    """
    quoted = re.escape(name).replace("_", "[_-]?")
    if re.search(rf"(?:\w::|\bconfig|\bARG|--)\s{{0,40}}{quoted}\b(?!\s*=)", line, re.IGNORECASE):
        return How.DECLARES
    handed = re.search(
        rf"(\w{{0,40}})(\(?)(?:[\w.]{{1,80}}, ?)?\s{{0,40}}[\"']{quoted}[\"']\s{{0,40}},", line, re.IGNORECASE
    )
    if handed is None:
        return How.SETS
    if handed[2] and _READING.match(handed[1]):
        return How.READS
    return How.SETS if handed[2] and _SETTING.match(handed[1]) else How.HANDS_ON


def _note_matches(state: ResearchState, name: str, matches: Iterable[ExactMatch], which: str = "") -> None:
    """Note matching lines, with lines that set the name before lines that pass it on."""
    counts: dict[str, int] = {}
    ordered = sorted(
        matches,
        key=lambda one: (
            find_role(one.path) is not FileRole.CONFIG,
            rank_role(one.path),
            tell_how(name, one.line) is How.HANDS_ON,
            one.path,
        ),
    )
    noted = 0
    for match in ordered:
        counts[match.path] = counts.get(match.path, 0) + 1
        if noted >= MAX_PLACES:
            state.limit(f"places that set {name}", f"{MAX_PLACES} are shown")
            break
        if counts[match.path] > MAX_OF_FILE:
            state.limit("more lines", f"{MAX_OF_FILE} of one file are shown", match.path)
            continue
        written = _find_written(name, match.line) or name
        why = f"{tell_how(name, match.line).value} {written}{which}, in {_name_role(match.path)}"
        noted += state.add_place(_build_place(state, name, match, why, 1))


def _name_role(path: str) -> str:
    role = FileRole.TEST if is_test_place(path) else find_role(path)
    return {
        FileRole.CONFIG: "configuration",
        FileRole.CODE: "the program",
        FileRole.TEST: "a test",
        FileRole.DOCS: "a document or example",
        FileRole.FOREIGN: "others' code",
    }[role]


def _build_place(state: ResearchState, name: str, match: ExactMatch, why: str, hop: int) -> Finding:
    line = match.start_line
    around = state.source.find_around(match.path, line)
    return Finding(
        match.path,
        line,
        line,
        around.qualified_name if around is not None else match.path,
        around.kind if around is not None else "file",
        around.node_id if around is not None else None,
        why,
        hop,
        "text",
        (line,),
        _find_written(name, match.line),
    )


def _find_written(name: str, line: str) -> str:
    """Return a name as the line spells it, perhaps in another case, or "" for a line without it."""
    written = re.search(re.escape(name).replace("_", "[_-]?"), line, re.IGNORECASE)
    return written[0] if written else ""


def find_by_words(state: ResearchState, text: str) -> None:
    """Note the configuration files and configuration symbols that a search for the words finds."""
    hits = search_words(state, f"{text} {_WORDS_FOR_IT}", MAX_SEARCHED)
    fitting = [hit for hit in hits if _is_about_config(hit)]
    for hit in fitting[:MAX_HITS]:
        state.add_place(build_hit_address(state, hit, "found by searching configuration for its words", 1))
    if len(fitting) > MAX_HITS:
        state.limit(f"{len(fitting) - MAX_HITS} more places with these words", f"{MAX_HITS} are shown")


def _is_about_config(hit: Hit) -> bool:
    if find_role(hit.path) is FileRole.CONFIG or _CONFIG_PATH.search(hit.path):
        return True
    return re.search(r"config|setting|option|default", hit.symbol or "", re.IGNORECASE) is not None


def build_hit_address(state: ResearchState, hit: Hit, why: str, hop: int) -> Finding:
    """Return a hit of a word search as a finding that spans the lines of its snippet."""
    numbers = [int(line.partition("\t")[0]) for line in split_snippet(hit)]
    start, end = (numbers[0], numbers[-1]) if numbers else (hit.start_line, hit.start_line)
    terms = ", ".join(hit.matched_terms[:6])
    best = choose_line(hit)
    return Finding(
        hit.path, start, end, hit.path, "text", None, f"{why}: {terms}", hop, "text", (best,)
    )  # fmt: skip


def split_snippet(hit: Hit) -> list[str]:
    """Return the numbered lines of a snippet. Form feeds and Unicode separators do not end a line."""
    return hit.snippet.removesuffix("\n").split("\n") if hit.snippet else []


def choose_line(hit: Hit) -> int:
    """Return the number of the snippet line that holds the most matched terms."""
    best, most = hit.start_line, -1
    for row in split_snippet(hit):
        number, _, text = row.partition("\t")
        folded = text.lower()
        count = sum(term in folded for term in hit.matched_terms)
        if count > most:
            best, most = int(number), count
    return best
