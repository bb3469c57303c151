"""The `research` toolset: index a code base, search its code and its documentation.

Tools are in the order in which clients see them; each module of calls lists its own. Each call checks its
arguments strictly, asks the engine, renders one answer and, however it ended, writes one line of the log of
calls.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from repo_mcp.config.server_config import Limits
from repo_mcp.protocol import instructions
from repo_mcp.protocol.call_guard import UNGUARDED, CallGuard
from repo_mcp.protocol.tool_model import Toolset
from repo_mcp.toolsets import icons
from repo_mcp.toolsets.answers import answer_call
from repo_mcp.toolsets.binding import Binding, Opened, find_plain_writer
from repo_mcp.toolsets.research import code_calls, docs_calls, index_calls, research_calls
from repo_mcp.toolsets.research.answers import FORM, take_arguments

if TYPE_CHECKING:
    from repo_mcp.repository import Repository

__all__ = ["bind_toolset"]

_ENTRIES = (*index_calls.ENTRIES, *code_calls.ENTRIES, *docs_calls.ENTRIES, *research_calls.ENTRIES)


def bind_toolset(
    limits: Limits, opened: Opened[Repository], guard: CallGuard = UNGUARDED, roots: Sequence[str] = ()
) -> Toolset:
    """Return the tools of the repository that `opened` gives when one of them is called."""
    answer = partial(answer_call, FORM, max_bytes=limits.max_total_bytes_per_response)
    binding = Binding(
        limits,
        opened,
        answer,
        find_plain_writer,
        icon=icons.RESEARCH,
        take=take_arguments,
        guard=guard,
        roots=roots,
    )
    return Toolset("research", binding.bind(_ENTRIES), instructions.RESEARCH)
