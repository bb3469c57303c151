"""The labels of Swift's arguments, which are part of a function's name: `move(from:to:)`.

A call names its arguments in the order of the parameters. It may leave out those that have defaults, give a
variadic one any number of values, and write closures behind the brackets, the first of them without a label.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_MARKS = re.compile(r"[(\[{<]|[)\]}>]|,")
_PLAIN = re.compile(
    r"\s*(?:u?int\d*|bool|string|double|float|character|url|data|\[.*\])[?!]?\s*", re.I | re.S
)
_ATTRIBUTES = re.compile(r"^(?:@\w+(?:\([^()]*\))?\s+)+")


@dataclass(frozen=True, slots=True)
class _Parameter:
    label: str  # "_" for none
    is_optional: bool
    is_variadic: bool
    is_plain: bool  # its type is certainly none of functions


def accepts_labels(parameters: str, given: str) -> bool:
    """Return whether a declaration accepts a call, by their labels.

    `parameters` is the declared text with its brackets, `given` is what the parser says of a call: "(for:_:)"
    for `(for: 1, 2)`, and closures behind the brackets after them, as "()_:then:". Without it, or where the
    declared text was cut, everything is accepted.
    """
    if not given or not parameters.endswith(")"):
        return True
    inside, _, behind = given.removeprefix("(").partition(")")
    wanted = _read_parameters(parameters)
    at = _take(wanted, inside.split(":")[:-1])
    if at < 0:
        return False
    left, closures = wanted[at:], behind.split(":")[:-1]
    free = [one.label for one in left if not one.is_plain]
    if len(closures) > len(free) or any(one not in free for one in closures[1:]):
        return False
    needed = [one.is_plain for one in left if not one.is_optional]
    return len(needed) <= len(closures) and not any(needed)


def _take(wanted: list[_Parameter], labels: list[str]) -> int:
    """Return how many parameters the arguments in the brackets use up, or -1 when they do not fit."""
    at = 0
    for label in labels:
        if label == "_" and at and wanted[at - 1].is_variadic:
            continue
        while at < len(wanted) and wanted[at].label != label and wanted[at].is_optional:
            at += 1
        if at == len(wanted) or wanted[at].label != label:
            return -1
        at += 1
    return at


def _read_parameters(text: str) -> list[_Parameter]:
    found = []
    for part in _split(text[1:-1].replace("->", "  ")):
        head, _, rest = _ATTRIBUTES.sub("", part.strip()).partition(":")
        if head:
            declared, equals, _ = rest.partition("=")
            is_variadic = declared.rstrip().endswith("...")
            is_plain = _PLAIN.fullmatch(declared) is not None
            label = head.split()[0].strip("`")
            found.append(_Parameter(label, bool(equals) or is_variadic, is_variadic, is_plain))
    return found


def _split(text: str) -> list[str]:
    """Return the parts between the commas that stand in no brackets."""
    parts, depth, start = [], 0, 0
    for found in _MARKS.finditer(text):
        if found[0] != ",":
            depth += 1 if found[0] in "([{<" else -1
        elif depth <= 0:
            parts.append(text[start : found.start()])
            start = found.end()
    return [*parts, text[start:]]
