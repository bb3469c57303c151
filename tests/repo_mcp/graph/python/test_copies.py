"""Copies made by functions of other packages, and annotated variables that get values of other packages."""

from __future__ import annotations

import pytest

from tests.repo_mcp.graph.resolved import Repository

TEXTS = {
    "pkg/__init__.py": "",
    "pkg/mode.py": """
        class Mode:
            def key(self, at):
                return at
        DEFAULT = Mode()
        """,
    "pkg/use.py": """
        import copy
        from dataclasses import replace
        from outside import wrap
        from pkg.mode import DEFAULT, Mode
        def one(source, mode: Mode):
            if source:
                mode = replace(mode, name=1)
            mode.key(1)
        def two():
            made = replace(DEFAULT, name=1)
            made.key(2)
        def three(mode: Mode):
            copied = copy.deepcopy(mode)
            copied.key(3)
        def new(mode: Mode):
            made = copy.replace(mode, name=1)  # since Python 3.13
            made.key(6)
        def four(mode: Mode):
            mode = wrap(mode)
            mode.key(4)
        def five(text):
            text = text.replace(DEFAULT, 1)
            text.key(5)
        """,
}


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("mode.key(1)", ["pkg/mode.py:2 key exact"]),
        ("made.key(2)", ["pkg/mode.py:2 key exact"]),
        ("copied.key(3)", ["pkg/mode.py:2 key exact"]),
        ("made.key(6)", ["pkg/mode.py:2 key exact"]),
        ("mode.key(4)", ["pkg/mode.py:2 key probable"]),
        ("text.key(5)", []),
    ],
)
def test_the_class_of_a_copy_is_known(line: str, said: list[str]) -> None:
    assert Repository.build(TEXTS).ask("pkg/use.py", line, "key") == said
