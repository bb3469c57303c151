"""Reads what the macros of a file declare, as far as their bodies show it.

    #define BUFFER_FNS(bit, name) \\
        static inline void set_buffer_##name(struct buffer *b) { set_bit(BH_##bit, &b->state); }
    BUFFER_FNS(Dirty, dirty)

declares set_buffer_dirty, a name that is nowhere in the text. A body may call other macros of the file, or
end in a variable: `static struct attribute dev_##name = {`.

Left out on purpose: macros of other files, whose bodies a parser of one file does not see, prototypes, and
names that are made of anything but words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from repo_mcp.languages.treesitter.blanking import blank, join_blanked

MAX_MACROS = 200  # of one file
MAX_BODY_BYTES = 6_000  # of one macro
MAX_HEAD_CHARS = 300  # of what a body declares, or of a call in it
MAX_DEPTH = 4  # of macros that call others
_DEFINED = re.compile(rb"\n[ \t]*+#[ \t]*+define[ \t]++(\w++)\(([\w \t,.]*+)\)([^\\\n]*+(?:\\\n?[^\\\n]*+)*)")
_CONTINUED = re.compile(rb"\\\n")
_NO_TEXT = re.compile(rb"/\*.*?(?:\*/|\Z)|//[^\n]*|\"(?:[^\"\\\n]|\\.)*\"", re.S)
_MARK = re.compile(r"[(){};=]")
_CHAIN = r"\w+(?:\s*##\s*\w+)*"
_LAST = re.compile(rf"(?<!\w)({_CHAIN})\s*(?:\[[^\[\]]*\]\s*)*$")
_TYPED = re.compile(r"\w[\s*]+$")  # the end of a type, before a name
_TAGGED = re.compile(r"(?:struct|union|enum)\s+$")
_WORD = re.compile(r"\w+")
_CALLED = re.compile(r"\s*+(\w++)\s*+$")
_EVENTS = re.compile(r"(?:TRACE|DEFINE)_EVENT(?:_[A-Z]+)*")  # what these declare, `preprocessor.py` knows
_STATEMENTS = frozenset({"return", "goto", "do", "while", "for", "if", "switch", "else", "case", "typedef"})


class Made(NamedTuple):
    """A name that the body of a macro declares, in the words of the macro."""

    name: str  # parts joined by "##"
    is_function: bool


class Called(NamedTuple):
    """A call of another macro in such a body."""

    macro: str
    arguments: Sequence[str]


class Template(NamedTuple):
    """The names that a macro declares, and the macros that it calls."""

    parameters: Sequence[str]
    items: Sequence[Made | Called]


@lru_cache(1)
def list_templates(text: bytes) -> Mapping[str, Template]:
    """Return the macros of a text that make names or events, or call such macros, by their names."""
    found: dict[str, Template] = {}
    if b"##" not in text and b"TP_PROTO" not in text:
        return found
    for defined in _DEFINED.finditer(b"\n" + text):
        if len(found) == MAX_MACROS:
            break
        name = defined[1].decode()
        body = _CONTINUED.sub(b" ", _NO_TEXT.sub(join_blanked, defined[3][:MAX_BODY_BYTES]))
        parameters = [one.strip(" \t.") for one in defined[2].decode().split(",")]
        written = " ".join(body.decode("utf-8", "replace").split())
        items = [*_iter_items(written, frozenset(parameters))]
        if items and name not in found:
            found[name] = Template(parameters, items)
    return _keep_declaring(found)


def _keep_declaring(found: Mapping[str, Template]) -> dict[str, Template]:
    """Return the macros that declare something themselves, or call one that does."""
    kept = {name for name, one in found.items() if any(map(_is_declaring, one.items))}
    for _ in range(MAX_DEPTH):
        kept |= {
            name
            for name, one in found.items()
            if any(isinstance(item, Called) and item.macro in kept for item in one.items)
        }
    return {name: one for name, one in found.items() if name in kept}


def _is_declaring(item: Made | Called) -> bool:
    return isinstance(item, Made) or _EVENTS.fullmatch(item.macro) is not None


def _iter_items(body: str, parameters: frozenset[str]) -> Iterator[Made | Called]:
    """Yield what the body of a macro declares outside brackets, and the macros that it calls there."""
    depth = start = opened = 0
    function: Made | None = None
    for mark in _MARK.finditer(body):
        sign, piece = mark[0], body[start : mark.start()]
        if sign in ")}":
            depth -= 1
            if depth:
                continue
            if sign == "}":
                start, function = mark.end(), None
            elif (called := _CALLED.match(body, start, opened)) is not None:
                yield Called(called[1], [one.strip() for one in body[opened + 1 : mark.start()].split(",")])
                start = mark.end()
        elif depth == 0 and sign == "(":
            opened, function = mark.start(), function or _read_made(piece, parameters, is_function=True)
        elif depth == 0:
            made = function if sign == "{" else None if function else _read_made(piece, parameters)
            if made is not None and made.name:
                yield made
            if sign == ";":
                start, function = mark.end(), None
            elif sign == "=":
                function = Made("", is_function=False)  # what follows is the value
        depth += sign in "({"
        if depth < 0:
            return


def _read_made(piece: str, parameters: frozenset[str], *, is_function: bool = False) -> Made | None:
    """Return the name at the end of a declaration's head, if a parameter of the macro is a part of it."""
    last = _LAST.search(piece) if len(piece) <= MAX_HEAD_CHARS else None
    if last is None or not _TYPED.search(piece, 0, last.start()) or _TAGGED.search(piece, 0, last.start()):
        return None
    words = _WORD.findall(piece)
    is_given = not parameters.isdisjoint(_WORD.findall(last[1]))
    return Made(last[1], is_function) if is_given and _STATEMENTS.isdisjoint(words[:2]) else None


def iter_declared(
    templates: Mapping[str, Template], macro: str, arguments: Sequence[str], depth: int = 0
) -> Iterator[tuple[str, bool] | Called]:
    """Yield each name that a call of a macro declares, and whether it is a function; calls of others, too.

    What is no identifier is yielded as well, so that the caller can bound the work: macros that call each
    other many times make millions.
    """
    template = templates.get(macro)
    if template is None or depth == MAX_DEPTH:
        yield Called(macro, arguments)
        return
    given = dict(zip(template.parameters, arguments, strict=False))
    for item in template.items:
        if isinstance(item, Called):
            passed = [given.get(one, one) for one in item.arguments]
            yield from iter_declared(templates, item.macro, passed, depth + 1)
            continue
        name = "".join(given.get(part.strip(), part.strip()) for part in item.name.split("##"))
        yield name, item.is_function


def spell_called(text: bytes, templates: Mapping[str, Template]) -> bytes:
    """Return a text in which each call of such a macro at the begin of a line, or behind another one, is a
    statement without arguments, whatever they are."""
    if not templates:
        return text
    names = b"|".join(one.encode() for one in sorted(templates, key=len, reverse=True))
    called = re.compile(rb"(?<=[\n)])([ \t]*+(?:%s)\()([^()\n;{}]{1,300}\))(?=[ \t;\n])" % names)
    return called.sub(lambda found: found[1] + blank(found[2][2:]) + b");", text)
