"""Overloads of one function, which say the same, leave room for others."""

from __future__ import annotations

from types import SimpleNamespace
from typing import cast

from repo_mcp.code_search.declarations import ChunkHit, discount_overloads


def build_hit(path: str, name: str) -> ChunkHit:
    declared = SimpleNamespace(qualified_name=name) if name else None
    return cast(ChunkHit, SimpleNamespace(chunk=SimpleNamespace(path=path), declared=declared))


def order(*hits: tuple[float, str, str]) -> list[tuple[float, str, str]]:
    found = discount_overloads([(worth, build_hit(path, name)) for worth, path, name in hits])
    return [
        (worth, hit.chunk.path, hit.declared.qualified_name if hit.declared is not None else "")
        for worth, hit in found
    ]


def test_each_further_overload_is_worth_half_of_what_it_would_be() -> None:
    assert order(
        (1.0, "till.cs", "Till.Add"),
        (0.8, "till.cs", "Till.Add"),
        (0.8, "till.cs", "Till.Add"),
        (0.5, "till.cs", "Till.Sum"),
    ) == [
        (1.0, "till.cs", "Till.Add"),
        (0.5, "till.cs", "Till.Sum"),
        (0.4, "till.cs", "Till.Add"),
        (0.2, "till.cs", "Till.Add"),
    ]


def test_namesakes_elsewhere_and_lines_outside_declarations_are_no_overloads() -> None:
    hits = [
        (1.0, "till.cs", "Till.Add"),
        (0.9, "till.cs", "Bag.Add"),
        (0.8, "bag.cs", "Till.Add"),
        (0.7, "till.cs", ""),
        (0.6, "till.cs", ""),
    ]
    assert order(*hits) == hits
