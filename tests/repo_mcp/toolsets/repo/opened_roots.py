"""The tool `repo.open_file` over small written roots, for tests of what it opens."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, cast

from repo_mcp.config.server_config import load_config
from repo_mcp.protocol.tool_model import CallContext
from repo_mcp.repository import Repository
from repo_mcp.toolsets.repo import build_toolset
from tests.repo_mcp.schema_check import validate
from tests.written_trees import write_tree

SOURCE = """\
import os

LIMIT = 3


class Worker:
    size: int = 4

    @property
    def name(self) -> str:
        return "worker"

    def run(self) -> None:
        def step() -> None:
            print("step")

        step()


def run() -> None:
    Worker().run()
"""
LINES = SOURCE.splitlines()


def show(first: int, last: int) -> str:
    """Return lines of SOURCE as answers number them."""
    return "".join(f"{number}\t{LINES[number - 1]}\n" for number in range(first, last + 1))


class Served:
    """A repository and its tool."""

    def __init__(self, root: Path, data: Path) -> None:
        self.root = root
        self.repository = Repository(load_config(str(root), data_dir=str(data)))
        tools = build_toolset(self.repository).tools
        self.tool = next(tool for tool in tools if tool.name == "repo.open_file")

    def call(self, **arguments: Any) -> dict[str, Any]:
        answer = self.tool.call(arguments, CallContext(lambda: False))
        envelope = json.loads(answer.text)
        validate(self.tool.output_schema, envelope)
        assert len(answer.text.encode()) <= 65_536
        assert answer.is_error == (not envelope["ok"])
        return cast(dict[str, Any], envelope)

    def open(self, **arguments: Any) -> dict[str, Any]:
        return cast(dict[str, Any], self.call(**arguments)["result"])


@contextmanager
def open_parsed(place: Path, files: Mapping[str, str]) -> Iterator[Served]:
    """Write the files below a new directory, and yield their tool, which knows their symbols."""
    served = Served(write_tree(place / "r", files), place / "data")
    with closing(served.repository):
        served.repository.refresh()
        served.repository.symbol_index.build()
        yield served


@contextmanager
def serve_sources(root: Path, data: Path) -> Iterator[Served]:
    """Write one file of each kind that is opened otherwise into a root, and yield the tool."""
    (root / "a.py").write_text(SOURCE)
    (root / "notes.md").write_text("# Notes\n\ntext\n\n## More\n\nmore\n\n# End\n")
    (root / "odd.xyz").write_text("one\ntwo\n")
    (root / "broken.py").write_text("x = (\n" * 100)
    (root / "edited.py").write_text("def whole():\n    return 1\n\ndef half(:\n    return (2\n\nLAST = 3\n")
    body = "".join(f"    x{number} = {number}\n" for number in range(3_000))
    (root / "long.py").write_text(f"def long():\n{body}\n\ndef after(): pass\n")
    (root / "wide.py").write_text(f"def wide():\n{body[: body.index('    x150')]}")
    methods = "".join(f"    # Adds.\n\n    def m{one}(self):\n        return {one}\n" for one in range(60))
    (root / "large.py").write_text(f"class Large:\n    size = 4\n{methods}")
    methods = "".join(f"    def m{one}(self):\n        x = 1\n        return x\n\n" for one in range(600))
    (root / "huge.py").write_text(f"class Huge:\n{methods}")
    documented = [
        "class Shop:",
        "    # Sells",
        "    # something.",
        "    def sell(",
        "        self,",
        "    ) -> None:  # a comment:",
        '        r"""Sell something.',
        "",
        *[f"        parameter {at}" for at in range(20)],
        '        """',
        "        return None",
        "",
        "    def buy(self):",
        "        '''Buy.",
        "        Short.'''",
        "        return None",
    ]
    (root / "shop.py").write_text("\n".join(documented) + "\n")
    said = [f"    // said {at}" for at in range(30)]
    body_of_sum = [f"    int x{at} = {at};" for at in range(60)]
    (root / "sum.c").write_text("\n".join(["int sum(void) {", *said, *body_of_sum, "}"]) + "\n")
    (root / ".env").write_text("canary")
    (root / "link.py").symlink_to(".env")
    served = Served(root, data)
    with closing(served.repository):
        yield served
