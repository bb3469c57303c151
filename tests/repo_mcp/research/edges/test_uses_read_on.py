"""A name that others use often hides no use: more is read, and what was not read is not denied."""

from __future__ import annotations

from functools import cache

import pytest

from tests.repo_mcp.research.asking import Asked

TYPES = """package store

type Keeper struct{}

func (k *Keeper) Save(one int) {}

type Other struct{}

func (o *Other) Save(one int) {}
"""


@cache
def _index(uses: int) -> Asked:
    calls = "".join(f"\to.Save({number})\n" for number in range(uses))
    files = {
        "go.mod": "module example.com/shop\n",
        "store/store.go": TYPES,
        "store/other.go": f"package store\n\nfunc SaveAll(o *Other) {{\n{calls}}}\n",
        "shop/use.go": 'package shop\n\nimport "example.com/shop/store"\n\n'
        "func Sell(k *store.Keeper) {\n\tk.Save(1)\n}\n",
        "shop/use_test.go": 'package shop\n\nimport "example.com/shop/store"\n\n'
        "func TestSell(k *store.Keeper) {\n\tk.Save(1)\n}\n",
    }
    return Asked(files)


@pytest.mark.parametrize(
    ("query", "named"),
    [
        ("what calls Keeper.Save?", "is called by shop.Sell"),
        ("what depends on Keeper.Save?", "is used by shop.Sell"),
        ("which tests cover Keeper.Save?", "is used by shop.TestSell"),
    ],
)
def test_uses_behind_many_of_the_same_name_are_found(query: str, named: str) -> None:
    assert named in _index(510).ask(query).claim


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("what calls Keeper.Save?", "Of the uses of this name that were read, none is known to call"),
        ("which tests cover Keeper.Save?", "No test that was read is known to use"),
    ],
)
def test_what_was_not_read_is_not_denied(query: str, said: str) -> None:
    assert said in _index(6_010).ask(query).claim
