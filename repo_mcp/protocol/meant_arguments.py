"""Reads the arguments that a model means: names, values and forms that it knows from other tools.

A model that has not read our schemas calls as it calls Grep, Glob, Read, ripgrep or a language server. What
can mean one thing only is taken as that: another name of an argument (`file_path`), a number or a boolean in
quotes, a choice in capitals, one string in a list, several globs, `view_range`, `offset` beside `limit`,
`path` beside `line` for a symbol. What a tool does anyway (`-n`, `recursive`) is left out. Everything else
stays as it is given, so that the check of `tool_arguments` names it. Each function returns new arguments.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import cast

from repo_mcp.late_patterns import compile_late
from repo_mcp.protocol.tool_arguments import list_properties
from repo_mcp.protocol.tool_model import JsonSchema

# What an argument is called elsewhere. A name may stand for several arguments, but of one tool only for one.
_OTHER_NAMES_TEXT = """
path: file_path filepath filename file folder directory dir relative_path target_file target_directory
    relative_workspace_path absolute_path
start_line: line_start start from_line startLine offset
end_line: line_end end to_line endLine
line_start: start_line start from_line startLine offset
line_end: end_line end to_line endLine
line: line_number lineNumber
query: pattern question search search_query search_term text regexp substring_pattern name_path name
    symbol symbol_name
prompt: query question task description issue
symbol: name qualified_name symbol_name name_path function_name function class_name method identifier
qualified_name: name symbol symbol_name name_path
node_type: kind symbol_type type
kinds: kind node_type symbol_type type
language: lang type
limit: top_k max_results head_limit max_count n -m k count
top_k: limit max_results head_limit max_count n -m k count
max_results: limit top_k head_limit max_count n count
depth: max_depth
max_depth: depth
glob: pattern path file_glob path_glob path_filter file_mask glob_pattern name include paths
file_glob: path glob path_glob path_filter include include_pattern file_pattern paths files glob_pattern
    relative_path file_path -g directory includePattern
path_glob: path glob file_glob path_filter include include_pattern file_pattern paths files glob_pattern
    relative_path file_path -g includePattern
path_filter: glob file_glob path_glob include include_pattern file_pattern files
context: -C context_lines -A -B
ignore_case: -i case_insensitive ignoreCase
case_sensitive: caseSensitive
whole_word: -w word word_regexp
regex: is_regex use_regex isRegexp is_regexp
include_hidden: hidden --hidden
spans: files paths
"""


def _read_names(text: str) -> Mapping[str, tuple[str, ...]]:
    """Return the other names of each argument; a line that begins with a space continues the one above."""
    rows = (row.partition(":") for row in text.replace("\n ", " ").splitlines() if row)
    return {name: tuple(others.split()) for name, _, others in rows}


_OTHER_NAMES = _read_names(_OTHER_NAMES_TEXT)
_CHOICES: Mapping[str, str] = {  # values of `mode` by the names that they have elsewhere
    **dict.fromkeys(("grep", "pattern", "regexp"), "regex"),
    **dict.fromkeys(("exact", "text", "string", "substring", "fixed"), "literal"),
    **dict.fromkeys(("semantic", "ranked", "keyword", "natural", "hybrid", "words"), "bm25"),
    **dict.fromkeys(("symbols", "definition", "definitions"), "symbol"),
    "files_with_matches": "files",
    "content": "snippets",
}
_DONE_ANYWAY = frozenset(
    {"-n", "-H", "-r", "recursive", "line_numbers", "explanation", "character", "column"}
)
_ENDS = (("start_line", "end_line"), ("line_start", "line_end"))
_SPANS = ("lines", "line_range", "view_range", "range")
_GLOBS = ("glob", "file_glob", "path_glob", "path_filter")
_FOLDERS = ("path", "directory", "dir", "folder", "target_directory")  # beside a glob
_PLAIN = {"string": str, "integer": int, "boolean": bool}
_INTEGER = compile_late(r"-?\d{1,18}")
_SPAN = compile_late(r"L?(\d{1,9})(?:\s*[-:,]\s*L?(\d{1,9}))?")
# Perhaps followed by a column, or by an end and a column.
_LINE = compile_late(r"L?(\d{1,9})(?:[-:,]\s*L?\d{1,9}){0,2}")

MAX_GIVEN = 100  # more arguments than this are left as they are; no tool has a third as many

Arguments = dict[str, object]


def take_meant(schema: JsonSchema, given: Mapping[str, object]) -> Mapping[str, object]:
    """Return the arguments with the names and in the forms that the schema has for them.

    A name that means no argument, or one that is given as well, is left as it is, and refused later. So are
    all arguments if there are more than MAX_GIVEN.
    """
    properties = list_properties(schema)
    if len(given) > MAX_GIVEN or _is_plain(properties, given):
        return given
    arguments = dict(given)
    if isinstance(path := arguments.get("name_path"), str):  # `Ledger/post`
        arguments["name_path"] = path.strip("/").replace("/", ".")
    for change in (
        _drop_done,
        _take_window,
        _take_mode,
        _take_case,
        _take_words,
        _join_globs,
        _name_by_place,
    ):
        arguments = change(properties, arguments)
    return _take_forms(properties, rename_arguments(schema, arguments))


def _is_plain(properties: Mapping[str, JsonSchema], given: Mapping[str, object]) -> bool:
    """Return True if every argument has a name and a type of the schema, as those of most calls do."""
    for name, value in given.items():
        schema = properties.get(name)
        if schema is None or type(value) is not _PLAIN.get(str(schema.get("type"))):
            return False
        choices = schema.get("enum")
        if isinstance(choices, Sequence) and value not in choices:
            return False
    return True


def rename_arguments(schema: JsonSchema, given: Mapping[str, object]) -> Arguments:
    """Return the arguments under the names that the schema has for them, also within lists of objects."""
    properties = list_properties(schema)
    renamed: Arguments = {}
    for name, value in given.items():
        meant = name if name in properties else _find_meant(name, properties)
        if meant != name and (meant in given or meant in renamed):
            meant = name
        inner = properties.get(meant, {}).get("items")
        renamed[meant] = _take_inside(inner, value) if isinstance(inner, Mapping) else value
    return renamed


def _take_inside(schema: JsonSchema, value: object) -> object:
    """Return the entries of a list as they are meant; any other value as it is."""
    if not isinstance(value, list):
        return value
    return [take_meant(schema, one) if isinstance(one, Mapping) else one for one in value]


def _find_meant(name: str, properties: Mapping[str, JsonSchema]) -> str:
    """Return the argument that goes by `name` elsewhere, or the name itself."""
    return next((one for one in properties if name in _OTHER_NAMES.get(one, ())), name)


def _drop_done(properties: Mapping[str, JsonSchema], given: Arguments) -> Arguments:
    return {name: value for name, value in given.items() if name in properties or name not in _DONE_ANYWAY}


def _take_window(properties: Mapping[str, JsonSchema], given: Arguments) -> Arguments:
    """Take `lines: "3-9"`, `view_range: [3, 9]`, `offset` with `limit`, or `line` with `context`."""
    names = next((pair for pair in _ENDS if properties.keys() >= {*pair}), None)
    if names is None or any(name in given for name in names):
        return given
    for name in (*_SPANS, "line"):
        is_one = name == "line" and not _is_range(given.get(name))
        if name in given and not is_one and (span := _read_span(given[name])):
            return _replace(given, (name,), dict(zip(names, span, strict=False)))
    first, count = _read_integer(given.get("offset")), _read_integer(given.get("limit"))
    if "limit" in given and "limit" not in properties and count:
        start = max(1, first or 1)
        return _replace(given, ("offset", "limit"), {names[0]: start, names[1]: start + count - 1})
    line, around = _read_line(given.get("line")), _read_integer(given.get("context", 0))
    if "line" in properties or line is None or around is None:
        return given
    return _replace(given, ("line", "context"), {names[0]: max(1, line - around), names[1]: line + around})


def _read_span(value: object) -> list[int]:
    """Return the first line, and the last one unless it is the last of the file; nothing for other values."""
    if isinstance(value, str) and (match := _SPAN.fullmatch(value.strip())):
        value = [int(match[1]), int(match[2] or match[1])]
    if not isinstance(value, list) or len(value) != 2:
        return []
    first, last = map(_read_integer, value)
    if first is None or last is None:
        return []
    return [max(1, first), last] if last > 0 else [max(1, first)]


def _is_range(value: object) -> bool:
    """Return True for what is meant as several lines, where one is asked for: `12:40` names a column."""
    span = _read_span(value)
    return not isinstance(value, str) or (len(span) == 2 and span[0] < span[1] and "-" in value)


def _read_line(value: object) -> int | None:
    """Return the line that a number, `L12` or `12:40` names."""
    match = _LINE.fullmatch(value.strip()) if isinstance(value, str) else None
    return int(match[1]) if match else _read_integer(value)


def _take_mode(properties: Mapping[str, JsonSchema], given: Arguments) -> Arguments:
    """Take `output_mode` for the detail, and the flags of ripgrep for a pattern or a text for the mode."""
    if "mode" not in properties or "detail" not in properties:
        return given
    if "output_mode" in given and "detail" not in given:
        given = _replace(given, ("output_mode",), {"detail": given["output_mode"]})
    for mode, names in {
        "regex": _OTHER_NAMES["regex"] + ("regex",),
        "literal": ("-F", "fixed_strings"),
    }.items():
        flags = [name for name in names if isinstance(given.get(name), bool)]
        if flags:
            wanted = {"mode": mode} if any(given[name] for name in flags) and "mode" not in given else {}
            given = _replace(given, flags, wanted)
    if "pattern" in given and "query" not in given and not {"mode", "cursor"} & given.keys():
        given = {**given, "mode": "regex"}  # `pattern` is a regular expression in every tool that has one
    return given


def _take_words(properties: Mapping[str, JsonSchema], given: Arguments) -> Arguments:
    """Join several words or names to one query, and several exact texts to a pattern of alternatives."""
    words = given.get("query")
    if (
        "query" not in properties
        or not isinstance(words, list)
        or not all(isinstance(one, str) for one in words)
    ):
        return given
    modes = {"mode": "regex"} if "mode" in properties else {"regex": True}
    if given.items() >= modes.items():
        return {**given, "query": "|".join(words)}
    if len(words) > 1 and (given.get("mode") == "literal" or "regex" in properties):
        return {**given, **modes, "query": "|".join(map(re.escape, words))}
    return {**given, "query": " ".join(words)}


def _join_globs(properties: Mapping[str, JsonSchema], given: Arguments) -> Arguments:
    """Join a folder, and a pattern of files beside it, to one glob."""
    glob = next((name for name in _GLOBS if name in properties), None)
    if glob is None or "path" in properties:
        return given
    folders = [name for name in _FOLDERS if isinstance(given.get(name), str)]
    names = (glob, *_OTHER_NAMES[glob])
    patterns = [
        name
        for name in names
        if name not in _FOLDERS
        and isinstance(given.get(name), str)
        and (name == glob or name not in properties)
    ]
    if len(folders) != 1 or len(patterns) != 1:
        return given
    folder, pattern = str(given[folders[0]]).rstrip("/"), str(given[patterns[0]])
    below = pattern.lstrip("/") if "/" in pattern else f"**/{pattern}"
    joined = pattern if folder in ("", ".") else f"{folder}/{below}"
    return _replace(given, (*folders, *patterns), {glob: joined})


def _take_case(properties: Mapping[str, JsonSchema], given: Arguments) -> Arguments:
    """Read `case_sensitive` as the opposite of `ignore_case`, and the reverse."""
    for name, opposite in (("ignore_case", "case_sensitive"), ("case_sensitive", "ignore_case")):
        if name in properties and name not in given:
            for other in (opposite, *_OTHER_NAMES[opposite]):
                if isinstance(given.get(other), bool) and other not in properties:
                    return _replace(given, (other,), {name: not given[other]})
    return given


def _name_by_place(properties: Mapping[str, JsonSchema], given: Arguments) -> Arguments:
    """Read a path with a line or a name as the symbol there, if the tool takes a symbol and no path."""
    if "symbol" not in properties or "path" in properties:
        return given
    paths = [name for name in ("path", *_OTHER_NAMES["path"]) if name in given and name not in properties]
    keys = [
        name for name in ("line", *_OTHER_NAMES["line"], "symbol", *_OTHER_NAMES["symbol"]) if name in given
    ]
    if len(paths) != 1 or len(keys) > 1:
        return given
    path, key = given[paths[0]], given[keys[0]] if keys else None
    if not isinstance(path, str) or (keys and not isinstance(key, str | int)):
        return given
    return _replace(given, (*paths, *keys), {"symbol": path if key is None else f"{path}:{key}"})


def _take_forms(properties: Mapping[str, JsonSchema], given: Arguments) -> Arguments:
    """Return the arguments with values of the types that the schema names, as far as they tell which."""
    taken: Arguments = {}
    for name, value in given.items():
        if name in properties:
            taken[name] = _take_form(properties[name], value, name)
            continue
        outer = [one for one, inner in properties.items() if name in list_properties(inner)]
        place = taken.setdefault(outer[0], {}) if len(outer) == 1 and outer[0] not in given else None
        if isinstance(place, dict):
            place[name] = _take_form(list_properties(properties[outer[0]])[name], value, name)
        else:
            taken[name] = value
    return _take_each(taken) if "spans" in properties else taken


def _take_each(given: Arguments) -> Arguments:
    """Read several paths or symbols as so many spans; other arguments of a span then apply to each."""
    spans = given.get("spans")
    if isinstance(spans, list) and spans and given.keys() <= {"spans", "path", "about"}:
        common = {name: value for name, value in given.items() if name != "spans"}
        return {"spans": [{**common, **one} if isinstance(one, dict) else one for one in spans]}
    for name in ("path", "symbol"):
        values = given.get(name)
        if isinstance(values, list) and given.keys() <= {"path", "symbol"}:
            return {"spans": [{**given, name: one} for one in values]}
    return given


def _take_form(schema: JsonSchema, value: object, name: str) -> object:
    kind = schema.get("type")
    if kind == "string":
        return _take_string(schema, value, name)
    if kind == "array":
        return _take_list(schema, value)
    if not isinstance(value, str):
        return value
    if kind in ("integer", "number"):
        number = _read_line(value) if name == "line" else _read_integer(value)
        return value if number is None else number
    if kind == "boolean":
        return {"true": True, "false": False}.get(value.strip().lower(), value)
    if kind == "object":
        return _read_json(value, dict)
    return value


def _take_string(schema: JsonSchema, value: object, name: str) -> object:
    """Return a string for the only one in a list, words, or globs; a choice as the schema spells it."""
    if isinstance(value, list) and value and all(isinstance(one, str) for one in value):
        texts = cast(list[str], value)
        if len(texts) == 1:
            value = texts[0]
        elif name in _GLOBS:
            value = "{" + ",".join(texts) + "}"
    choices = schema.get("enum")
    if not isinstance(choices, Sequence) or not isinstance(value, str) or value in choices:
        return value
    plain = value.strip().lower().replace("-", "_")
    meant = plain if plain in choices else _CHOICES.get(plain)
    return meant if meant in choices else value


def _take_list(schema: JsonSchema, value: object) -> object:
    """Return a list for one of its entries, or for its JSON; for a path, an object that has it."""
    if isinstance(value, str):
        value = _read_json(value, list)
    value = [value] if isinstance(value, str | Mapping) else value
    items = schema.get("items")
    if not isinstance(items, Mapping) or not isinstance(value, list):
        return value
    if "path" in list_properties(items):
        return [{"path": one} if isinstance(one, str) else one for one in value]
    return [_take_form(items, one, "") if isinstance(one, str) else one for one in value]


def _read_json(text: str, kind: type) -> object:
    try:
        value = json.loads(text) if text.lstrip()[:1] in ("{", "[") else text
    except (ValueError, RecursionError):
        return text
    return value if isinstance(value, kind) else text


def _read_integer(value: object) -> int | None:
    if isinstance(value, str) and _INTEGER.fullmatch(value.strip()):
        return int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _replace(given: Arguments, names: Sequence[str], instead: Mapping[str, object]) -> Arguments:
    return {name: value for name, value in given.items() if name not in names} | dict(instead)
