"""Modules of a tree and how they stand above each other."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from repo_mcp.research.structure import architecture
from repo_mcp.research.structure.architecture import name_package
from repo_mcp.research.structure.module_names import ENOUGH, FEW_FILES, name_modules
from repo_mcp.research.structure.module_ranks import build_layers, compute_strengths
from tests.repo_mcp.research.asking import Asked

NAMES = st.sampled_from("abcd")  # not more cycles than are named
COUNTS = st.dictionaries(st.tuples(NAMES, NAMES).filter(lambda ends: ends[0] != ends[1]), st.integers(1, 9))


def test_few_files_are_modules_of_their_own() -> None:
    paths = [f"a/{n}.py" for n in range(FEW_FILES)]
    assert name_modules(paths) == {path: path for path in paths}


def test_many_files_fall_into_their_folders() -> None:
    paths = [f"src/{folder}/{n}.py" for folder in ("api", "core", "web") for n in range(60)] + ["src/main.py"]
    assert Counter(name_modules(paths).values()) == {
        "src/api": 60,
        "src/core": 60,
        "src/web": 60,
        "src/main.py": 1,
    }


def test_of_many_folders_the_small_ones_are_one() -> None:
    paths = [f"net/p{n:03}/{m}.c" for n in range(100) for m in range(1 + n % 7)]
    names = name_modules(paths)
    assert len(set(names.values())) <= 2 * ENOUGH
    assert "net/*" in names.values()
    assert set(names) == set(paths)


@given(
    st.sets(st.lists(st.sampled_from("abc"), min_size=1, max_size=5).map("/".join), min_size=1, max_size=200)
)
def test_every_path_has_one_module_that_it_lies_in(paths: set[str]) -> None:
    ordered = sorted(one for one in paths if not any(other.startswith(f"{one}/") for other in paths))
    names = name_modules(ordered)  # of files: none of them is a folder, too
    assert sorted(names) == ordered
    for path, name in names.items():
        assert name in (".", "*") or path.startswith(name.removesuffix("*"))


@given(COUNTS)
def test_layers_hold_every_module_and_imports_lead_down(counts: dict[tuple[str, str], int]) -> None:
    names = sorted({name for ends in counts for name in ends}) or ["a"]
    layers = build_layers(names, counts)
    level = {name: ordinal for ordinal, (own, _) in enumerate(layers) for name in own}
    assert sorted(level) == names
    cycles = [set(cycle) for _, own in layers for cycle in own]
    for source, target in counts:
        down = level[source] > level[target]
        assert down or any({source, target} <= cycle for cycle in cycles)


@given(COUNTS)
def test_strengths_are_shares_of_the_whole(counts: dict[tuple[str, str], int]) -> None:
    names = sorted({name for ends in counts for name in ends}) or ["a"]
    strengths = compute_strengths(names, counts)
    assert sum(strengths.values()) == pytest.approx(100, abs=0.1)
    assert compute_strengths(names, dict(reversed(counts.items()))) == strengths


def test_of_a_large_tree_evenly_spread_files_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(architecture, "MAX_FILES", 20)
    files = {
        f"{folder}/f{n:03}.py": "from base.f000 import x\n" for folder in ("one", "two") for n in range(40)
    }
    files |= {"base/__init__.py": "", "base/f000.py": "x = 1\n"}
    report = Asked(files).ask("architecture")
    assert report.modules is not None
    assert report.modules[0].name.startswith("base")
    assert any("evenly spread" in limit.why for limit in report.limits)


def test_of_a_large_module_the_files_that_are_looked_at_are_said(monkeypatch: pytest.MonkeyPatch) -> None:
    files = {f"core/f{n:02}.py": f"def f{n}():\n" + "    pass\n" * n for n in range(1, 30)}
    files |= {f"web/w{n:02}.py": "from core.f01 import f1\n" for n in range(29)}
    report = Asked(files).ask("architecture")
    first = next(one for one in report.findings if one.path.startswith("core"))
    assert (first.symbol, first.why.partition(",")[0]) == (
        "f29.f29",
        "largest public function or type of core",
    )
    monkeypatch.setattr(architecture, "MAX_LOOKED_AT", 10)
    first = next(one for one in Asked(files).ask("architecture").findings if one.path.startswith("core"))
    assert first.symbol == "f10.f10"
    assert first.why.startswith("largest public function or type in 10 of 29 files of core,")


@pytest.mark.parametrize(
    ("written", "package"),
    [
        ("os.path", "os"),
        ("@trpc/server/http", "@trpc/server"),
        ("react", "react"),
        ("std::collections", "std"),
        ("<linux/slab.h>", "linux"),
        ("github.com/gin-gonic/gin", "github.com"),
    ],
)
def test_the_package_of_something_outside(written: str, package: str) -> None:
    assert name_package(written, "") == package
