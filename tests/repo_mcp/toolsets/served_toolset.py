"""The tools of one toolset over one root, called without a client, for tests of several toolsets."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import ClassVar, Self

from repo_mcp.audit.log import AuditLog
from repo_mcp.config.server_config import load_config
from repo_mcp.protocol.tool_model import CallContext, Progress, Question, Tool, ToolAnswer, Toolset
from repo_mcp.repository import Repository


class ServedToolset:
    """One toolset over one root."""

    name: ClassVar[str]
    bind_toolset: ClassVar[Callable[..., Toolset]]

    def __init__(
        self, root: Path, data_dir: Path, *, index: bool = True, model: Path | None = None, **limits: int
    ) -> None:
        self.root = root
        config = load_config(
            str(root),
            data_dir=str(data_dir),
            toolsets=[self.name],
            workers=1,
            watch=False,
            semantic_model=None if model is None else str(model),
            limits=limits,
        )
        self.repository = Repository(config)
        self.audit = AuditLog(self.repository.data_dir.path, str(root), b"k" * 32)
        self.toolset = self.bind_toolset(self.repository.config.limits, lambda: (self.repository, self.audit))
        self.tools: dict[str, Tool] = {tool.name: tool for tool in self.toolset.tools}
        if index:
            self.index()

    def index(self) -> None:
        """Bring both indexes up to date."""
        self.repository.refresh()
        self.repository.symbol_index.build()

    def ask(
        self,
        name: str,
        arguments: Mapping[str, object],
        *,
        cancelled: Callable[[], bool] = lambda: False,
        report: Callable[[Progress], None] | None = None,
        model: Callable[[Question], str | None] | None = None,
    ) -> ToolAnswer:
        """Return the answer to a call, whatever it is."""
        return self.tools[name].call(arguments, CallContext(cancelled, report, ask=model))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the root."""
        self.repository.close()
