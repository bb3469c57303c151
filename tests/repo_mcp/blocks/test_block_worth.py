"""How much a block says about a prompt."""

from __future__ import annotations

import pytest

from repo_mcp.blocks.block_worth import Rater, rate_work
from repo_mcp.blocks.blocks import Block, cut_blocks
from repo_mcp.blocks.file_view import FileView, PromptTermFinder
from repo_mcp.blocks.layouts import read_layout
from repo_mcp.blocks.source import LiveFile
from repo_mcp.blocks.weights import WEIGHTS
from repo_mcp.languages.patterns.declared_spans import SymbolSpan
from tests.repo_mcp.blocks.small_views import FILLING, SOURCE


def rate(
    text: str, terms: dict[str, float], path: str = "a.py", *, is_program: bool = True
) -> list[tuple[str, float]]:
    """Return the name and the worth of each block, best first."""
    finder = PromptTermFinder(terms)
    data = text.encode()
    live = LiveFile(path, data, tuple(text.splitlines()), b"f")
    seen = FileView(live, read_layout(path, data), finder)
    blocks = cut_blocks(live.lines, seen.layout.spans)
    rater = Rater(terms, finder, WEIGHTS)
    rated = zip(blocks, rater.rate(seen, blocks, is_program=is_program), strict=True)
    named = [(one.span.qualified_name if one.span else "", worth) for one, worth in rated]
    return sorted(named, key=lambda one: -one[1])


def test_the_comment_above_a_declaration_counts_more_than_one_inside_it() -> None:
    body = "".join(f"\tstep{number}();\n" for number in range(4))
    above = f"/* Picks the victim. */\nvoid above(void)\n{{\n\t/* Loop. */\n{body}}}\n"
    inside = f"/* Loop. */\nvoid inside(void)\n{{\n\t/* Picks the victim. */\n{body}}}\n"
    filling = "".join(f"\nvoid filling{number}(void)\n{{\n\treturn;\n}}\n" for number in range(9))
    worth = dict(rate(f"{above}\n{inside}{filling}", {"victim": 1.0}, "a.c"))
    assert worth["above"] > 1.5 * worth["inside"] > 0.0


def test_a_body_is_worth_more_than_a_docstring() -> None:
    text = (
        'def documented():\n    """Refund the order."""\n    return 1\n\n\n'
        "def working(order):\n    order.refund = True\n    return order\n"
    )
    best = rate(text + FILLING, {"refund": 1.0, "order": 1.0})
    assert [name for name, _ in best[:2]] == ["working", "documented"]


def test_a_declared_name_is_worth_more_than_a_use_and_a_rare_term_more_than_a_common_one() -> None:
    assert rate(SOURCE + FILLING, {"post": 1.0, "transfer": 0.9})[0][0] == "Account"
    assert rate(SOURCE + FILLING, {"first": 1.0, "transfer": 1.0})[0][0] == "first"
    best = [name for name, _ in rate(SOURCE + FILLING, {"first": 0.1, "transfer": 1.0})[:3]]
    assert best == ["Account", "last", "first"]


def test_a_body_that_decides_is_worth_more_than_one_that_hands_on() -> None:
    deciding = "".join(f"    if order.kind == {kind}:\n        order.refund()\n" for kind in range(3))
    text = f"def get_order(self):\n    return self.order\n\n\ndef choose(order):\n{deciding}"
    assert [name for name, _ in rate(text + FILLING, {"order": 1.0})[:2]] == ["choose", "get_order"]


def test_a_body_decides_from_so_many_branches_on() -> None:
    branch = "if order.kind == 1:"
    rated = [rate_work([branch] * count, deciding=1.5, trivial=0.5, least_branches=2) for count in range(4)]
    assert rated == [0.5, 1.0, 1.5, 1.5]


RUST = """pub fn refund(order: &Order) -> bool {
    order.close()
}

#[cfg(test)]
mod tests {
    fn refund_of_an_order() {
        assert!(refund(&order(1)));
        assert!(!refund(&order(2)));
    }
}
"""


def test_a_test_in_a_file_of_the_program_is_worth_less_unless_tests_are_asked_for() -> None:
    text, terms = RUST + "fn f() {\n}\n" * 20, {"refund": 1.0, "order": 1.0}
    (beside,) = [worth for name, worth in rate(text, terms, "a.rs") if name.startswith("tests")]
    (wanted,) = [
        worth for name, worth in rate(text, terms, "a.rs", is_program=False) if name.startswith("tests")
    ]
    assert beside == pytest.approx(WEIGHTS.inner_test * wanted)
    assert wanted > 0


def test_a_member_is_worth_more_in_a_class_of_the_prompt() -> None:
    members = "".join(f"\n    def m{n}(self):\n        return {n}\n" for n in range(30))
    text = f"class Wall:\n{members}\n\nclass Door:\n{members}\n    def read(self):\n        return 0\n"
    text += "\n\nclass Gate:\n" + members + "\n    def read(self):\n        return 0\n"
    assert [name for name, _ in rate(text, {"read": 1.0, "gate": 1.0})[:2]] == ["Gate.read", "Door.read"]


def test_names_of_declarations_may_have_line_ends() -> None:
    finder = PromptTermFinder({"ledger"})
    named = [SymbolSpan(1, 1, 1, 1, name, name) for name in ("a\nb", "post ledger\n", "ledger")]
    rater = Rater({"ledger": 2.0}, finder, WEIGHTS)
    rated = rater._rate_names([Block(span.start_line, span.end_line, span) for span in named])
    assert list(rated) == ["post ledger\n", "ledger"]
