"""Types in functions that have a variable of the same name."""

from __future__ import annotations

import pytest

from repo_mcp.symbols.symbol_record import ReferenceRole
from tests.repo_mcp.graph.resolved import Repository

TEXTS = {
    "a.c": """
        struct view { int at; };
        enum mode { ON };
        typedef struct view pane;
        void given(struct view *view, enum mode mode);
        void local(void) { struct view view; take(&view); }
        void second(struct view *view) { struct view *other = view; take(other); }
        void alias(pane pane);
        int sized(int pane) { return sizeof(pane); }
        """,
    "b.cpp": """
        class Shape {};
        void given(class Shape Shape);
        template <typename Any> void open(Any any) { Any other; take(other); }
        """,
    "go.mod": "module example.org/app\n",
    "a.go": """
        package a
        type config struct { at int }
        func given(config config) { take(config.at) }
        func made() { config := config{}; take(config) }
        func open[part any](one part) { two := one; take(two) }
        """,
}


@pytest.mark.parametrize(
    ("path", "line", "name", "role", "said"),
    [
        ("a.c", "void given", "view", ReferenceRole.ACCEPT, ["a.c:1 view exact"]),
        ("a.c", "void given", "mode", ReferenceRole.ACCEPT, ["a.c:2 mode exact"]),
        ("a.c", "void local", "view", ReferenceRole.TYPE, ["a.c:1 view exact"]),
        ("a.c", "void second", "view", ReferenceRole.TYPE, ["a.c:1 view exact"]),
        ("a.c", "void alias", "pane", ReferenceRole.ACCEPT, ["a.c:3 pane exact"]),
        ("b.cpp", "void given", "Shape", ReferenceRole.ACCEPT, ["b.cpp:1 Shape exact"]),
        ("a.go", "func given", "config", ReferenceRole.ACCEPT, ["a.go:2 config exact"]),
        ("a.go", "func made", "config", ReferenceRole.CALL, ["a.go:2 config exact"]),
    ],
)
def test_a_type_is_used_where_a_variable_has_its_name(
    repository: Repository, path: str, line: str, name: str, role: ReferenceRole, said: list[str]
) -> None:
    assert repository.ask(path, line, name, role) == said


@pytest.mark.parametrize(
    ("path", "line", "name"),
    [
        ("a.c", "int sized", "pane"),
        ("b.cpp", "template", "Any"),
        ("a.go", "func open", "part"),
    ],
)
def test_a_variable_or_a_type_parameter_is_no_use_of_a_type(
    repository: Repository, path: str, line: str, name: str
) -> None:
    record, number = repository.program.find_record(path), repository.find_line(path, line)
    assert record is not None
    rows = (record.get_reference(row) for row in range(record.reference_count))
    assert not [
        one for one in rows if (one.line, one.name) == (number, name) and one.role is not ReferenceRole.BIND
    ]
