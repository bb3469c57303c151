"""Declarations rated by falling bounds, against rating each of them."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest

from repo_mcp.languages.patterns.enclosing import OUTSIDE, Declarations, find_declarations
from repo_mcp.languages.patterns.language_registry import find_language
from repo_mcp.ranking.page import declaration_rating
from repo_mcp.ranking.page.declaration_rating import (
    COMMENT_SHARE,
    NAME_WORTH,
    OWNER_WORTH,
    SATURATION,
    Rated,
    list_asked,
)
from repo_mcp.ranking.page.line_terms import find_line_terms
from repo_mcp.text.analysis import get_word_terms

TELLING = {"reset": 5.0, "queue": 3.5, "ring": 2.0, "mask": 1.25}
PARTS = ("reset", "queue", "ring", "mask", "dma", "base", "size")


def build_header(draw: random.Random, macros: int) -> list[str]:
    """Return lines of macros, mostly, with some structs, functions and comments between them."""
    lines = ["/* The registers of the ring. */", ""]
    for number in range(macros):
        name = "_".join(draw.choices(PARTS, k=draw.randint(1, 4)))
        kind = draw.random()
        if kind < 0.03:
            lines += [f"/* Has the {name}. */", f"struct {name}_{number} {{", f"\tint {name};", "};", ""]
        elif kind < 0.06:
            lines += [f"static int {name}_{number}(void)", "{", f"\treturn {name}();", "}", ""]
        else:
            lines.append(f"#define {name.upper()}_{number % 97} 0x{number:x}")
    return lines


def rate_clearly(
    declarations: Declarations, found: Sequence[int], is_comment: Sequence[int], *, reads_names: bool
) -> list[Rated]:
    """Return all declarations with words, rated one by one, the best first."""

    def weigh(held: int) -> float:
        return sum([weight for at, weight in enumerate(TELLING.values()) if held >> at & 1])

    rated: list[Rated] = []
    grouped = declarations.group_innermost(1, found, with_comments=reads_names)
    for number, places in grouped.items():
        if number == OUTSIDE:
            continue
        span, held, worth = declarations.get(number), 0, 0.0
        for place in places:
            held |= found[place]
        for at, weight in enumerate(TELLING.values()):
            shares = [COMMENT_SHARE if is_comment[one] else 1.0 for one in places if found[one] >> at & 1]
            worth += weight * sum(shares) / (sum(shares) + SATURATION) if shares else 0.0
        name, share, owned = found[span.name_line - 1], 1.0, 0.0
        if reads_names:
            owner = span.qualified_name.removesuffix(span.name).removesuffix(".").rpartition(".")[2]
            name, around = find_line_terms([span.name, owner], [*TELLING])
            owned = OWNER_WORTH * weigh(around)
            whole, *parts = get_word_terms(span.name)
            parts = parts or [whole]
            share = len([part for part in parts if part in TELLING]) / len(parts)
        worth = owned + worth
        if name & held:
            worth += NAME_WORTH * weigh(name & held) * share
        rated.append((worth, span))
    return sorted(rated, key=lambda row: row[0], reverse=True)


@pytest.mark.parametrize("macros", [3, 40, 700])
@pytest.mark.parametrize("reads_names", [True, False])
def test_the_best_are_those_of_rating_each(
    monkeypatch: pytest.MonkeyPatch, macros: int, *, reads_names: bool
) -> None:
    named: list[str] = []

    def find_terms(lines: Sequence[str], terms: Sequence[str]) -> list[int]:
        named.extend(lines)
        return find_line_terms(lines, terms)

    monkeypatch.setattr(declaration_rating, "find_line_terms", find_terms)
    for seed in range(6):
        lines = build_header(random.Random(seed), macros)
        text = "\n".join(lines).encode() + b"\n"
        declarations = find_declarations(find_language("a.h"), text, f"{macros} {seed}".encode())
        found = find_line_terms(lines, [*TELLING])
        is_comment = declarations.mark_comments(len(found))
        every = rate_clearly(declarations, found, is_comment, reads_names=reads_names)
        for most in (1, 16):
            named.clear()
            asked = list_asked(declarations, found, is_comment, TELLING, most, reads_names=reads_names)
            assert asked == every[:most]
            assert len(named) <= max(150, len(every) * 0.6)  # of a long header, a part of the names
