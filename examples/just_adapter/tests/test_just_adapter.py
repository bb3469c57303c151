"""The adapter alone: what it finds in a justfile."""

from __future__ import annotations

from repo_mcp_just import JustAdapter

TEXT = """\
set shell := ["bash", "-c"]
version := "1.2"
image := "shop:" + version
alias b := build-image

# Make the image.
[private]
build-image tag=version: test (lint "src") && publish
    docker build -t {{image}} .
    just clean-up {{ quote(tag) }}

test:
    pytest

"""
ADAPTER = JustAdapter()


def test_names() -> None:
    yes = ["justfile", "ci/Justfile", ".justfile", "release.just"]
    no = ["just.md", "adjust", "justfile.bak"]
    assert [path for path in (*yes, *no) if ADAPTER.supports_path(path)] == yes


def test_declarations() -> None:
    found = [(one.kind, one.name, one.start_line, one.end_line) for one in ADAPTER.outline("j", TEXT).symbols]
    assert found == [
        ("variable", "version", 2, 2),
        ("variable", "image", 3, 3),
        ("constant", "b", 4, 4),
        ("function", "build-image", 6, 10),
        ("function", "test", 12, 13),
    ]
    assert [one.doc for one in ADAPTER.outline("j", TEXT).symbols if one.doc] == ["Make the image."]


def test_references() -> None:
    assert [(one.name, one.line, one.role) for one in ADAPTER.references("j", TEXT)] == [
        ("version", 3, "use"),
        ("build-image", 4, "call"),
        ("test", 8, "call"),
        ("lint", 8, "call"),
        ("publish", 8, "call"),
        ("image", 9, "use"),
        ("clean-up", 10, "call"),
        ("tag", 10, "use"),
    ]


def test_chunks_begin_at_declarations() -> None:
    assert ADAPTER.smart_chunks("j", TEXT) is None
    long = "".join(f"# Recipe {number}\nr{number}:\n    echo {number}\n\n" for number in range(30))
    assert ADAPTER.smart_chunks("j", long) == (1, 41, 81)


def test_hints() -> None:
    assert ADAPTER.symbol_hints("Does `just build-image` need `clean-up`?") == ("build-image", "clean-up")
