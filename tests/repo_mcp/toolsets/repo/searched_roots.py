"""Small roots that are searched with `repo.search`, and the calls that search them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, cast

from repo_mcp.config.server_config import load_config
from repo_mcp.protocol.tool_model import CallContext
from repo_mcp.repository import Repository
from tests.repo_mcp.lean_answers import read_answer
from tests.repo_mcp.toolsets.repo.repo_calls import get_tool

FILES = {
    "a.py": "def get_user(name):\n    return users[name]\n",
    "b/c.py": "from a import get_user\n\n\ndef get_user_name():\n    return get_user('x').name\n",
    "b/user.ts": "function getUser() {}\nconst User = 'get_USER';\n",
    "tests/test_a.py": "assert get_user('x')\n",
    "hiding.txt": "get_user \u202e reversed\n",
}


def build(root: Path, **more: str) -> Repository:
    for path, text in (FILES | {f"{name}.py": text for name, text in more.items()}).items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    repository = Repository(load_config(str(root)))
    repository.refresh()
    return repository


def call(repository: Repository, query: str, *, cancelled: bool = False, **arguments: Any) -> dict[str, Any]:
    tool = get_tool(repository, "repo.search")
    answer = tool.call({"query": query, **arguments}, CallContext(lambda: cancelled))
    envelope = json.loads(answer.text)
    return cast(dict[str, Any], read_answer(tool.output_schema, envelope))


def search(repository: Repository, query: str, **arguments: Any) -> dict[str, Any]:
    envelope = call(repository, query, **arguments)
    assert envelope["ok"], envelope
    return cast(dict[str, Any], envelope["result"])


def tell(hit: dict[str, Any]) -> dict[str, Any]:
    """Return what a hit says: without the fields that say nothing."""
    return {name: value for name, value in hit.items() if value}


def places(result: dict[str, Any]) -> list[tuple[str, int]]:
    return [(hit["path"], hit["start_line"]) for hit in result["hits"]]


LEDGER = "".join(
    [
        "import post\n",
        "\n",
        "class Ledger:\n",
        "    @cached\n",
        "    def post(self):\n",
        "        post(1)\n",
        "        post(2)\n",
        "        return None\n",
        "\n",
        "    def close(self):\n",
        "        return post(3)\n",
        "\n",
        "\n",
        "def other():\n",
        "    pass\n",
        *("    post(4)\n" for _ in range(60)),
    ]
)
