"""Two small roots and the `retrieval` tools over them, shared by the tests of that toolset."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from repo_mcp.audit.log import AuditLog
from repo_mcp.config.server_config import Config, NamedRoot, load_config
from repo_mcp.protocol.tool_model import CallContext, Tool, ToolAnswer
from repo_mcp.toolsets.retrieval import Roots, build_toolset, open_roots
from tests.repo_mcp.lean_answers import read_answer
from tests.written_trees import write_tree

CANARY = "canary-7f3a9c51-never-served"
DOCS = {
    "README.md": "# Handbook\n\nHow to mount a volume.\nMount options follow.\n",
    "guide/mount.md": "Mount\n=====\n\nUse `mount_volume` to mount.\n",
    "guide/notes.txt": "nothing here\n",
    "empty.md": "",
    ".hidden.md": "mount hidden\n",
}
CODE = {
    "src/volume.py": "import os\n\n\ndef mount_volume(path):\n    return os.path.ismount(path)\n",
    "src/Zeta.py": "mount = None\n",
    "lib/a.c": "int mount_volume(void)\n{\n\treturn 0;\n}\n",
    ".gitignore": "build/\n*.log\n",
    "build/out.py": f"mount = '{CANARY}'\n",
    "run.log": f"mount {CANARY}\n",
    ".env": f"mount={CANARY}\n",
    ".idea/workflow.yml": "mount: hidden\n",
}
BINARY = b"\x7fELF\x00\x01mount_volume\x00\n"


def make_trees(place: Path) -> tuple[Path, Path]:
    """Make the trees of docs and code, with a secret, a binary and ignored files."""
    docs, code = write_tree(place / "docs", DOCS), write_tree(place / "code", CODE)
    (code / "tool.bin").write_bytes(BINARY)
    (code / "src" / "native").write_bytes(BINARY)
    return docs, code


def make_config(docs: Path, code: Path, data_dir: Path, **limits: int) -> Config:
    named = (NamedRoot("docs", str(docs), "environment"), NamedRoot("code", str(code), "environment"))
    config = load_config(None, data_dir=str(data_dir), toolsets=["retrieval"], workers=1, limits=limits)
    return replace(config, named_roots=named)


class Served:
    """The tools over two roots. Checks of every answer what holds for all."""

    def __init__(self, docs: Path, code: Path, data_dir: Path, *, index: bool = True, **limits: int) -> None:
        self.docs, self.code = docs, code
        self.warnings: list[str] = []
        self.roots: Roots = open_roots(make_config(docs, code, data_dir, **limits), self.warnings.append)
        self.audit = AuditLog(self.roots.directory, f"{docs}\0{code}", b"k" * 32)
        self.toolset = build_toolset(self.roots, self.audit)
        self.tools: dict[str, Tool] = {tool.name: tool for tool in self.toolset.tools}
        if index:
            self.refresh()

    def refresh(self) -> None:
        for repository in self.roots.repositories.values():
            repository.refresh()

    def ask(self, name: str, arguments: Mapping[str, object]) -> ToolAnswer:
        return self.tools[name].call(arguments, CallContext(lambda: False))

    def call(self, name: str, /, **arguments: object) -> dict[str, Any]:
        return check(self.tools[name], self.ask(name, arguments))

    def result(self, name: str, /, **arguments: object) -> Any:
        envelope = self.call(name, **arguments)
        assert "error" not in envelope, envelope
        return envelope["result"]

    def error(self, name: str, /, **arguments: object) -> Any:
        return self.call(name, **arguments)["error"]

    def close(self) -> None:
        for repository in self.roots.repositories.values():
            repository.close()


def check(tool: Tool, answer: ToolAnswer) -> dict[str, Any]:
    """Check what holds for every answer: the schema, the text, the flags, the envelope."""
    envelope = json.loads(answer.text)
    assert envelope == answer.structured
    assert json.dumps(envelope, ensure_ascii=False, separators=(",", ":")) == answer.text == answer.json
    whole: dict[str, Any] = read_answer(tool.output_schema, envelope)
    assert answer.is_error == ("error" in envelope)
    assert ("result" in envelope) != ("error" in envelope)
    assert {"repo", "duration_ms", "truncated"} <= set(envelope["meta"]) <= {
        "repo", "duration_ms", "truncated", "warnings",
    }  # fmt: skip
    assert CANARY not in answer.text
    if answer.is_error:
        assert set(envelope["error"]) == {"code", "message", "details"}
        assert envelope["error"]["details"]["hint"]
    assert isinstance(envelope, dict)
    _name_roots(whole)
    return whole


def _name_roots(envelope: dict[str, Any]) -> None:
    """Write into each match the root that it is in; an answer names a root once."""
    root = envelope["meta"]["repo"]
    for row in envelope.get("result", {}).get("matches", ()):
        assert row.get("repo") != root
        root = row["repo"] = row.get("repo") or root
