"""Requests about files, sent on to the root that each is about.

A URI may name its root. All roots are listed, each by a call of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial

from repo_mcp.protocol.resources import LIST, READ, find_root, join_lists
from repo_mcp.protocol.tool_model import CallContext, Tool, ToolAnswer
from repo_mcp.record_classes import replace
from repo_mcp.serving.root_set import ServedRoot

Arguments = Mapping[str, object]
Entered = tuple[str, ServedRoot, tuple[str, ...]]  # the name of a root, the root, notes on the choice
Enter = Callable[[object, CallContext], Entered | None]  # whoever enters a root must leave it
Drop = Callable[[object, Callable[[ServedRoot], Tool], Arguments, CallContext], None]


class RoutedFiles:
    """Answers the methods for files from whichever roots are served."""

    def __init__(self, where_none: Iterable[Tool], enter: Enter, drop: Drop) -> None:
        """Take the tools that answer while nothing is served, and the ways to reach a root by name."""
        self._where_none = {tool.name: tool for tool in where_none}
        self._enter = enter
        self._drop = drop

    def bind(self) -> tuple[Tool, ...]:
        """Return the tools that answer the methods."""
        calls = {LIST: self._list_all, READ: self._read}
        return tuple(
            replace(self._where_none[method], call=call, drop=partial(self._note_dropped, method))
            for method, call in calls.items()
        )

    def _list_all(self, arguments: Arguments, context: CallContext) -> ToolAnswer:
        entered = self._enter(None, context)
        if entered is None:
            return self._where_none[LIST].call(arguments, context)
        _, served, _ = entered
        served.root.leave()
        names = served.names if len(served.names) > 1 else (None,)
        return join_lists([self._ask(LIST, name, arguments, context) for name in names])

    def _read(self, arguments: Arguments, context: CallContext) -> ToolAnswer:
        return self._ask(READ, find_root(arguments.get("uri")), arguments, context)

    def _ask(self, method: str, name: str | None, arguments: Arguments, context: CallContext) -> ToolAnswer:
        entered = self._enter(name, context)
        if entered is None:
            return self._where_none[method].call(arguments, context)
        chosen, served, _ = entered
        try:
            names_root = name is not None or len(served.names) > 1
            asked = replace(context, root=chosen if names_root else "")
            return served.find_resources()[method].call(arguments, asked)
        finally:
            served.root.leave()

    def _note_dropped(self, method: str, arguments: Arguments, context: CallContext) -> None:
        root = find_root(arguments.get("uri"))
        self._drop(root, lambda served: served.find_resources()[method], arguments, context)
