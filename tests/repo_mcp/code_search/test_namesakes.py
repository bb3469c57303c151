"""Overloads leave room for others, and a type that the question names comes before others."""

from __future__ import annotations

from types import SimpleNamespace
from typing import cast

from repo_mcp.code_search.namesakes import NAMESAKES, ChunkHit, LineTerms, discount_overloads, put_named_first


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


def build_member(name: str, path: str = "keys.py") -> ChunkHit:
    declared = SimpleNamespace(qualified_name=name, name=name.rpartition(".")[2], owner="")
    return cast(ChunkHit, SimpleNamespace(chunk=SimpleNamespace(path=path), declared=declared, span=(1, 9)))


def put_first(asked: str, *names: str, terms: LineTerms | None = None) -> list[tuple[float, str]]:
    hits = [(1.0 - at / 10, build_member(name, f"{at}.py")) for at, name in enumerate(names)]
    found = put_named_first(hits, asked.split(), terms or {})
    return [(worth, hit.declared.qualified_name) for worth, hit in found if hit.declared is not None]


def test_the_member_of_a_type_that_is_named_comes_before_its_namesakes() -> None:
    assert put_first("key hmac", "Curve.prepare", "Curve.verify", "Rsa.prepare", "Hmac.prepare") == [
        (1.0, "Hmac.prepare"),
        (1.0, "Curve.prepare"),
        (0.9, "Curve.verify"),
        (0.8, "Rsa.prepare"),
    ]


def test_a_word_that_the_other_has_as_well_tells_nothing() -> None:
    names = ("Curve.prepare", "Hmac.prepare")
    unmoved = [(1.0, "Curve.prepare"), (0.9, "Hmac.prepare")]
    assert put_first("key hmac", *names, terms={"0.py": {3: ("hmac",)}}) == unmoved
    assert put_first("key hmac", *names, terms={"0.py": {12: ("hmac",)}})[0] == (1.0, "Hmac.prepare")
    assert put_first("key curve", *names) == unmoved
    assert put_first("key", *names) == unmoved
    assert put_first("hmac", "Hmac.verify", "Hmac.prepare") == [(1.0, "Hmac.verify"), (0.9, "Hmac.prepare")]


def test_only_the_first_hits_are_compared() -> None:
    names = ["Curve.prepare", *(f"Curve.other{at}" for at in range(NAMESAKES - 1)), "Hmac.prepare"]
    assert put_first("hmac", *names)[0] == (1.0, "Curve.prepare")
    assert put_first("hmac", *names[:1], *names[2:])[0] == (1.0, "Hmac.prepare")
