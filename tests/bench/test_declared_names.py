"""Names that are drawn for the bench of look-ups, and when one counts as shown."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import pytest

from bench.economy.client import Answer, Client
from bench.quality.declared_names import Declared, choose, is_shown, list_declared_once

FILES = {
    "src/loop.h": "enum mode {\n  RUN_ONCE,\n  RUN_TWICE,\n};\n",
    "src/client.py": "class Client:\n    timeout = 1\n\n    def open_all(self):\n        return RUN_TWICE\n",
    "src/other.py": "class Client:\n    pass\n",
    "notes.txt": "class Nothing\n",
}


def test_names_are_those_that_one_symbol_has(tmp_path: Path) -> None:
    for path, text in FILES.items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(text)
    found = list_declared_once(tmp_path)
    assert {(one.name, one.path, one.line, one.kind, one.language) for one in found} == {
        ("RUN_ONCE", "src/loop.h", 2, "enum_member", "c"),
        ("RUN_TWICE", "src/loop.h", 3, "enum_member", "c"),
        ("mode", "src/loop.h", 1, "enum", "c"),
        ("open_all", "src/client.py", 4, "method", "python"),
        ("timeout", "src/client.py", 2, "property", "python"),
    }
    halves = [choose(found, kept_back=half) for half in (False, True)]
    assert sorted(halves[0] + halves[1]) == sorted(found)
    assert halves[0] == choose(found, kept_back=False)


class Answering:
    """A client whose answer is known."""

    def __init__(self, *hits: dict[str, Any]) -> None:
        self._hits = hits

    def call(self, _tool: str, **_arguments: Any) -> Answer:
        return Answer("", {"result": {"hits": [*self._hits]}}, is_error=False)


@pytest.mark.parametrize(
    ("path", "snippet", "shown"),
    [
        ("a.h", "7\t  RUN_ONCE,\n", True),
        ("a.h", "7\t  RUN_TWICE,\n", False),
        ("a.h", "70\t  RUN_ONCE,\n", False),
        ("b.h", "7\t  RUN_ONCE,\n", False),
    ],
)
def test_a_name_is_shown_by_the_first_hit_alone(path: str, snippet: str, *, shown: bool) -> None:
    wanted = Declared("RUN_ONCE", "a.h", 7, "enum_member", "c")
    client = cast(
        Client, Answering({"path": path, "snippet": snippet}, {"path": "a.h", "snippet": "7\tRUN_ONCE"})
    )
    assert is_shown(client, wanted, "symbol") is shown
    assert not is_shown(cast(Client, Answering()), wanted, "symbol")
