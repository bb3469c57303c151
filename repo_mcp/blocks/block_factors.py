"""Weigh rated blocks by what they do, as a kind of question wants it: callers choose the factors. Pure."""

from __future__ import annotations

import re

from repo_mcp.blocks.best_blocks import RatedBlock
from repo_mcp.blocks.block_worth import rate_work
from repo_mcp.bodies.body import says_nothing
from repo_mcp.bodies.statements import holds_failure
from repo_mcp.symbols.symbol_record import CALLABLE_KINDS, SymbolKind

TRIVIAL, DECIDING = 0.6, 1.4  # factors for bodies, as `rate_work` gives them
DECIDING_BRANCHES = 3
# If errors are asked for: the factor of a block without any, and what is added to 1 for a block that holds
# all its terms in lines that fail.
FAILS_NOT, FAILING = 0.5, 1.5
REGISTERING = 1.8  # factor for what registers things, if the question is how to add one
NOT_RUN = 0.6  # factor for what does nothing by itself: a value, an interface
RUN = CALLABLE_KINDS | {SymbolKind.CLASS}
_REGISTERS = re.compile(
    r"^_?(?:add|register|load|use|with|install|enable|plug|set|map|bind|append|create|include|mount)(?=[_A-Z]|$)",
    re.IGNORECASE,
)
_REGISTRY = re.compile(
    r"(?:types|registry|plugins?|adapters|handlers|flags|policies|known\w*)$", re.IGNORECASE
)


def weigh_extension(one: RatedBlock) -> float:
    """Return a factor for a declaration that is registered, or that by its name registers something."""
    name = "" if one.block.span is None else one.block.span.name
    return REGISTERING if _REGISTERS.match(name) or _REGISTRY.search(name) else 1.0


def weigh_work(one: RatedBlock) -> float:
    """Return a factor for a body's work: a body that decides explains more than a setter does.

    Comments do not count, however long they are.
    """
    comment_lines, lines = one.view.layout.comment_lines, one.view.live.lines
    numbers = range(one.block.start_line, one.block.end_line + 1)
    code = [lines[at - 1] for at in numbers if at not in comment_lines]
    return rate_work([line for line in code if not says_nothing(line)], DECIDING, TRIVIAL, DECIDING_BRANCHES)


def weigh_failures(one: RatedBlock) -> float:
    """Return a factor for the share of a block's terms that lines with errors hold.

    It is below 1 for a block without such lines.
    """
    lines = one.view.live.lines
    if not any(map(holds_failure, lines[one.block.start_line - 1 : one.block.end_line])):
        return FAILS_NOT
    failing = {term for line, own in one.term_lines.items() if holds_failure(lines[line - 1]) for term in own}
    return 1.0 + FAILING * len(failing) / max(1, len(one.terms))
