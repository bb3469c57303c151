"""Variables of JavaScript that get a further value."""

from __future__ import annotations

import pytest

from tests.repo_mcp.graph.resolved import Repository

CODE = """
    class Disk { open() {} }
    class Tape { open() {} rewind() {} }
    function choose(flag) {
        let store = new Disk();
        if (flag) {
            store = new Tape();
        }
        store.open();
        store.rewind();
        return store;
    }
    function late(given) {
        let store = null;
        store = new Tape();
        store.open() // late
        let other = new Disk();
        other = given.find(1);
        other.open();
        const kept = new Disk();
        kept.open();
    }
    """


TEXTS = {"a.js": CODE, "b.ts": CODE.replace("// late", "// typed")}


@pytest.mark.parametrize(
    ("line", "name", "said"),
    [
        ("    store.open();", "open", ["a.js:1 open probable", "a.js:2 open probable"]),
        ("store.rewind();", "rewind", ["a.js:2 rewind probable"]),
        ("store.open() // late", "open", ["a.js:2 open probable"]),
        ("other.open();", "open", ["a.js:1 open probable"]),
        ("kept.open();", "open", ["a.js:1 open exact"]),
    ],
)
def test_each_value_may_be_meant(repository: Repository, line: str, name: str, said: list[str]) -> None:
    assert repository.ask("a.js", line, name) == said


def test_in_typescript_the_first_value_is_the_type(repository: Repository) -> None:
    assert repository.ask("b.ts", "    store.open();", "open") == ["b.ts:1 open exact"]
