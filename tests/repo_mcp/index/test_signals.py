"""Each signal by itself, against its plain definition."""

from __future__ import annotations

import random

import numpy as np
import pytest

from repo_mcp.index.ranking_weights import WEIGHTS
from repo_mcp.index.roles import FileRole, find_role
from repo_mcp.index.signals import (
    StemMatcher,
    keep_shares,
    split_path,
    sum_text,
    weigh_rarity,
)


def test_units_of_a_file_add_up_ever_less() -> None:
    draw = random.Random(1)
    files = [draw.randrange(6) for _ in range(60)]
    scores = [draw.choice([0.5, 1.0, draw.random()]) for _ in files]
    rows, sums = sum_text(np.array(files), np.array(scores), 0.6)
    assert rows.tolist() == sorted(set(files))
    for place, file in enumerate(rows.tolist()):
        own = sorted((score for one, score in zip(files, scores, strict=True) if one == file), reverse=True)
        assert sums[place] == pytest.approx(sum(score * 0.6**at for at, score in enumerate(own)))


def test_the_order_of_units_leaves_no_trace() -> None:
    files, scores = np.array([1, 0, 1, 1, 0]), np.array([0.3, 0.1, 0.7, 0.3, 0.1])
    shuffled = np.array([4, 2, 0, 3, 1])
    again = sum_text(files[shuffled], scores[shuffled], 0.6)
    assert sum_text(files, scores, 0.6)[1].tolist() == again[1].tolist()


def test_rarity_is_a_share() -> None:
    assert [weigh_rarity(count, 1000) for count in (0, 1)] == [1.0, 1.0]
    assert weigh_rarity(1000, 1000) < 0.001 < weigh_rarity(100, 1000) < weigh_rarity(10, 1000) < 1
    assert weigh_rarity(0, 0) == 1.0


def test_a_name_is_covered_by_the_share_of_its_parts() -> None:
    matcher = StemMatcher({"ledger": 1.0, "report": 0.5}, 0.8)
    assert matcher.cover(("ledger",)) == 1.0
    assert matcher.cover(("ledger", "extra")) == 0.5
    assert matcher.cover(("ledger", "report")) == 0.75
    assert matcher.cover(("reporter",)) == pytest.approx(0.4)  # begins as a stem does
    assert matcher.cover(("rep",)) == 0.0  # too short to tell
    assert matcher.cover(()) == 0.0


def test_directories_add_up() -> None:
    matcher = StemMatcher({"net": 0.5, "ipv": 1.0}, 0.8)
    parts = split_path("net/ipv4/tcp_cong.c")
    assert matcher.cover_all(parts.directory_stems) == pytest.approx(1.5)
    assert matcher.cover_all(()) == 0.0


@pytest.mark.parametrize(
    ("path", "name", "stems"),
    [
        ("lib/core/mergeConfig.js", "mergeConfig", ("merg", "config")),
        ("plugins/ssh-agent.plugin.bash", "ssh-agent", ("ssh", "agent")),
        (".gitignore", ".gitignore", ("gitignor",)),
        ("a/__init__.py", "__init__", ("init",)),
    ],
)
def test_the_name_of_a_file_ends_at_its_first_dot(path: str, name: str, stems: tuple[str, ...]) -> None:
    parts = split_path(path)
    assert (parts.name, parts.name_stems) == (name, stems)


@pytest.mark.parametrize(
    ("path", "role"),
    [
        ("src/a.py", FileRole.CODE),
        ("bin/run", FileRole.CODE),
        ("lib/bats-core/test_functions.bash", FileRole.CODE),
        ("tests/a.py", FileRole.TEST),
        ("pkg/a_test.go", FileRole.TEST),
        ("web/a.spec.tsx", FileRole.TEST),
        ("Demo.Tests/Reader.cs", FileRole.TEST),
        ("src/ReaderTests.ReadInt.cs", FileRole.TEST),
        ("docs/a.py", FileRole.DOCS),
        ("README.md", FileRole.DOCS),
        ("LICENSE", FileRole.DOCS),
        ("pyproject.toml", FileRole.CONFIG),
        ("vendor/x/a.go", FileRole.FOREIGN),
        ("dist/axios.js", FileRole.FOREIGN),
        ("web/a.min.js", FileRole.FOREIGN),
        ("api/a_pb2.py", FileRole.FOREIGN),
        ("latest/contest.py", FileRole.CODE),
        ("distance/vendors.py", FileRole.CODE),
    ],
)
def test_roles(path: str, role: FileRole) -> None:
    assert find_role(path) is role


def test_every_role_has_its_share_and_keeps_all_where_it_is_asked_for() -> None:
    for role in FileRole:
        assert keep_shares(frozenset([role]), WEIGHTS)[role] == 1.0
        assert 0 < keep_shares(frozenset(), WEIGHTS)[role] <= 1.0
