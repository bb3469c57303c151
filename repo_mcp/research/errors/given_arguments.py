"""Tell what a call says of the parameters of a function, and which conditions this decides. Pure.

    def open_shelf(path, *, key=None, strict=False)      open_shelf("rows", strict=True)
        ->  path is no null, key is null, strict is true; `if key is not None` never holds there

Only literals, and the defaults of parameters that the call leaves out, are known. A call that unpacks its
arguments says nothing of parameters that it does not name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from enum import Enum, auto

from repo_mcp.research.findings.open_brackets import CLOSING, OPENING, find_closing

# Languages that write the name of a parameter before its type.
_NAMES_FIRST = frozenset({"python", "typescript", "javascript", "swift", "rust", "go"})
_QUOTES = "\"'`"
_DEFAULT = re.compile(r"(?<![=!<>:])=(?![=>])")
_NAMED = re.compile(r"([A-Za-z_]\w*)\s*(?:=(?!=)|:(?!:))\s*(.*)", re.DOTALL)
_UNPACKS = re.compile(r"\*|\.\.\.")
_NULL = re.compile(r"(?:None|null|undefined|nil|nullptr|NULL)$")
_FALSE, _TRUE = re.compile(r"[Ff]alse$"), re.compile(r"[Tt]rue$")
_LITERAL = re.compile(r"(?:[$@rbfu]?([\"'`])(?!\1).+|[1-9]\d*(?:\.\d+)?)$", re.DOTALL)
_OWN = frozenset({"self", "cls", "&self", "&mut self", "mut self"})
_LEFT_OUT = re.compile(r"\?\s*(?::|$)")  # `key?: string`, which need not be given
_BEGINS = re.compile(r"[\s})]*(?:else\s+if|elif|elsif|if|when|guard|while)\b\s*")
_IS_NULL = re.compile(
    r"([A-Za-z_]\w*)\s*(?:={2,3}|\bis(?!\s+not\b))\s*(?:None|null|undefined|nil|nullptr|NULL)$"
)
_IS_SOME = re.compile(r"([A-Za-z_]\w*)\s*(?:!={1,2}|\bis\s+not)\s*(?:None|null|undefined|nil|nullptr|NULL)$")
_NAME = re.compile(r"[A-Za-z_]\w*$")


class Given(Enum):
    """A value of a parameter, as far as it is known."""

    NULL = auto()
    FALSE = auto()
    TRUE = auto()  # or a text or a number that counts as true


def split_list(text: str, sign: str = ",") -> list[str]:
    """Return the parts of a text between signs that lie in no brackets and no quotes."""
    parts, begun = list[str](), 0
    for at, depth in _iter_unquoted(text):
        if not depth and at >= begun and text.startswith(sign, at):
            parts.append(text[begun:at])
            begun = at + len(sign)
    return [*parts, text[begun:]]


def find_arguments(text: str, name: str) -> str | None:
    """Return the arguments of the first call of a name in a text; None without one, or without its end."""
    found = re.search(rf"(?<![\w$]){re.escape(name)}\s*(?:<[^<>()]*>\s*)?\(", text)
    if found is None:
        return None
    ends = (at for at, depth in _iter_unquoted(text, found.end() - 1) if not depth)
    end = next(ends, None)
    return None if end is None else text[found.end() : end]


def _iter_unquoted(text: str, at: int = 0) -> Iterator[tuple[int, int]]:
    """Yield the places outside of quotes from one on, each with the number of brackets open behind it."""
    depth, quote = 0, ""
    while at < len(text):
        char = text[at]
        if char == "\\":
            at += 1  # what is escaped neither begins nor ends anything
        elif quote:
            quote = "" if char == quote else quote
        elif char in _QUOTES:
            quote = char
        else:
            depth += (char in OPENING) - (char in CLOSING)
            yield at, depth
        at += 1


def read_given(parameters: str, arguments: str, language: str) -> dict[str, Given]:
    """Return what a call with some arguments says of the parameters of a function, by their names."""
    given = [one.strip() for one in split_list(arguments) if one.strip()]
    named = {found[1]: found[2] for one in given if (found := _match_named(one, language)) is not None}
    placed = [one for one in given if _match_named(one, language) is None]
    unpacks = any(_UNPACKS.match(one) for one in given)
    known: dict[str, Given] = {}
    only_named, at = False, 0
    for parameter in split_list(parameters.strip().removeprefix("(").removesuffix(")")):
        text = parameter.strip()
        if not text or text.split(":")[0].strip() in _OWN or text.startswith("this "):
            continue
        if _UNPACKS.match(text) or text.startswith("params "):
            only_named = True
            continue
        name, default = _read_parameter(text, language)
        outer = text.split(":")[0].split()[0] if language == "swift" else name  # `with key: String`
        value = named.get(outer)
        if value is None and not only_named and at < len(placed):
            value = None if unpacks else placed[at]
            at += 1
            is_given = True
        else:
            is_given = value is not None
        value = value if is_given or unpacks else default
        if value is not None and (judged := _judge(value.strip())) is not None:
            known[name] = judged
    return known


def _match_named(argument: str, language: str) -> re.Match[str] | None:
    """Return the match of an argument that names its parameter; JavaScript, Java, Go and C have none."""
    sign = {"python": "=", "csharp": ":", "swift": ":"}.get(language)
    found = _NAMED.match(argument) if sign is not None else None
    return found if found is not None and argument[len(found[1]) :].lstrip().startswith(sign or "") else None


def _read_parameter(text: str, language: str) -> tuple[str, str | None]:
    """Return the name by which a parameter is given, and its default; None if it must be given."""
    head, *default = _DEFAULT.split(text, maxsplit=1)
    if language in _NAMES_FIRST:
        own = head.split(":")[0].strip().rstrip("?").split()
        name = own[0] if language == "go" else own[-1]
        optional = (
            "undefined" if language in ("typescript", "javascript") and _LEFT_OUT.search(head) else None
        )
        return name, default[0] if default else optional
    found = re.search(r"(\w+)\s*(?:\[\s*\])?\s*$", head)
    return found[1] if found is not None else "", default[0] if default else None


def _judge(value: str) -> Given | None:
    """Return what is known of a written value; None for anything but a literal."""
    if _NULL.match(value):
        return Given.NULL
    if _FALSE.match(value):
        return Given.FALSE
    return Given.TRUE if _TRUE.match(value) or _LITERAL.match(value) else None


def decide(condition: str, known: Mapping[str, Given]) -> bool | None:
    """Return whether a condition holds, as far as known parameters decide it; None if they do not."""
    begun = _BEGINS.match(condition)
    text = condition[begun.end() :] if begun is not None else condition
    return _decide(text.strip().rstrip("{:").strip(), known)


def _decide(text: str, known: Mapping[str, Given]) -> bool | None:
    """Return what `decide` does for a condition without the word that begins it."""
    while text.startswith("(") and find_closing(text, 0) == len(text) - 1:
        text = text[1:-1].strip()
    for signs, value in (((" or ", "||"), True), ((" and ", "&&"), False)):
        parts = _split_all(text, signs)
        if len(parts) > 1:
            decided = [_decide(one.strip(), known) for one in parts]
            return value if value in decided else None if None in decided else not value
    negated = re.match(r"not\s+|!(?!=)\s*", text)
    if negated is not None:
        inner = _decide(text[negated.end() :].strip(), known)
        return None if inner is None else not inner
    for pattern, value in ((_IS_NULL, True), (_IS_SOME, False)):
        if (found := pattern.match(text)) is not None:
            given = known.get(found[1])
            return None if given is None else (given is Given.NULL) is value
    given = known.get(text) if _NAME.match(text) else None
    return None if given is None else given is Given.TRUE


def _split_all(text: str, signs: Sequence[str]) -> list[str]:
    """Return the parts of a text between any of some signs, as `split_list` does for one."""
    parts = [text]
    for sign in signs:
        parts = [one for part in parts for one in split_list(part, sign)]
    return parts
