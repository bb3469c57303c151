"""Modules of Go beside each other in one repository, and variables that build constraints choose."""

from __future__ import annotations

import pytest

from repo_mcp.graph.go.modules import list_local
from tests.growth import assert_linear
from tests.repo_mcp.graph.resolved import Repository

TEXTS = {
    "go.mod": "module example.org/conf/v2\n",
    "go.work": "use (\n\t.\n\t./stores/disk // local\n)\n",
    "conf.go": "package conf\nfunc Load() int { return 1 }\n",
    "stores/disk/go.mod": "module example.org/stores/disk/v3\n",
    "stores/disk/disk.go": "package disk\nfunc Open() int { return 1 }\n",
    "tools/go.mod": "module example.org/tools\nreplace example.org/other => ../vendored/other\n",
    "tools/main.go": """
        package main
        import (
            "example.org/conf/v2"
            "example.org/stores/disk/v3"
            "example.org/other"
            "example.org/unknown/v2"
        )
        func main() {
            conf.Load()
            disk.Open()
            other.Run()
            unknown.Run()
        }
        """,
    "vendored/other/go.mod": "module example.org/other\n",
    "vendored/other/other.go": "package other\nfunc Run() {}\n",
    "log/plain/plain.go": """
        package plain
        type Encoder struct{}
        func (Encoder) Add() {}
        func (Encoder) Flush() {}
        """,
    "log/packed/packed.go": "package packed\ntype Encoder struct{}\nfunc (Encoder) Add() {}\n",
    "log/a_plain.go": """
        package log
        import "example.org/conf/v2/log/plain"
        var enc = plain.Encoder{}
        """,
    "log/a_packed.go": """
        package log
        import "example.org/conf/v2/log/packed"
        var enc = packed.Encoder{}
        """,
    "log/log.go": "package log\nfunc add() { enc.Add() }\nfunc flush() { enc.Flush() }\n",
}


@pytest.mark.parametrize(
    ("line", "name", "said"),
    [
        ("conf.Load()", "Load", ["conf.go:2 Load exact"]),
        ("disk.Open()", "Open", ["stores/disk/disk.go:2 Open exact"]),
        ("other.Run()", "Run", ["vendored/other/other.go:2 Run exact"]),
        ("unknown.Run()", "Run", ["-> example.org/unknown/v2.Run"]),
    ],
)
def test_a_module_imports_another_one_of_the_repository(
    repository: Repository, line: str, name: str, said: list[str]
) -> None:
    assert repository.ask("tools/main.go", line, name) == said


def test_a_variable_that_a_build_chooses_has_the_members_of_all_its_types(repository: Repository) -> None:
    assert repository.ask("log/log.go", "enc.Add()", "Add") == [
        "log/packed/packed.go:3 Add probable",
        "log/plain/plain.go:3 Add probable",
    ]
    assert repository.ask("log/log.go", "enc.Flush()", "Flush") == ["log/plain/plain.go:4 Flush probable"]


@pytest.mark.parametrize("piece", ["\n", " ", "=>", "use ", "."])
def test_reading_folders_takes_time_by_the_length_of_the_file(piece: str) -> None:
    assert_linear(lambda size: piece * size, list_local, 20_000)


STANDARD = {
    "src/go.mod": "module std\n",
    "src/ropes/ropes.go": "package ropes\nfunc Cut() {}\n",
    "src/vendor/example.org/knots/knots.go": "package knots\nfunc Tie() {}\n",
    "src/net/dial.go": """
        package net
        import (
            "ropes"
            "example.org/knots"
        )
        func Dial() {
            ropes.Cut()
            knots.Tie()
        }
        """,
    "src/cmd/go.mod": "module cmd\n",
    "src/cmd/vendor/example.org/knots/knots.go": "package knots\nfunc Tie() {}\n",
    "src/cmd/tool/main.go": """
        package main
        import (
            "ropes"
            "example.org/knots"
            "cmd/inner"
            "absent"
        )
        func main() {
            ropes.Cut()
            knots.Tie()
            inner.Run()
            absent.Run()
        }
        """,
    "src/cmd/inner/inner.go": "package inner\nfunc Run() {}\n",
    "test/cut.go": 'package main\nimport "ropes"\nfunc main() { ropes.Cut() }\n',
}


@pytest.mark.parametrize(
    ("path", "line", "said"),
    [
        ("src/net/dial.go", "ropes.Cut()", ["src/ropes/ropes.go:2 Cut exact"]),
        ("src/net/dial.go", "knots.Tie()", ["src/vendor/example.org/knots/knots.go:2 Tie exact"]),
        ("src/cmd/tool/main.go", "ropes.Cut()", ["src/ropes/ropes.go:2 Cut exact"]),
        ("src/cmd/tool/main.go", "knots.Tie()", ["src/cmd/vendor/example.org/knots/knots.go:2 Tie exact"]),
        ("src/cmd/tool/main.go", "inner.Run()", ["src/cmd/inner/inner.go:2 Run exact"]),
        ("src/cmd/tool/main.go", "absent.Run()", ["-> absent.Run"]),
        ("test/cut.go", "ropes.Cut()", ["src/ropes/ropes.go:2 Cut exact"]),
    ],
)
def test_packages_of_the_standard_library_and_those_vendored_beside_them_are_found(
    path: str, line: str, said: list[str]
) -> None:
    name = line.removesuffix("()").rpartition(".")[2]
    assert Repository.build(STANDARD).ask(path, line, name) == said
