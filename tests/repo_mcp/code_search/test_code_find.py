"""Shares and percents: never above the whole, in the order of scores, the same whatever the segments."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from repo_mcp.code_search.declarations import find_chunks
from repo_mcp.code_search.records import CodeHit
from repo_mcp.config.server_config import load_config
from repo_mcp.ranking.query.query import Query, parse_query
from repo_mcp.ranking.scoring.file_masks import Filter
from repo_mcp.ranking.scoring.searcher import Searcher
from repo_mcp.repository import Repository
from repo_mcp.text.schema import FIELDS
from tests.deep.sizes import first
from tests.repo_mcp.ranking.plain_search import iter_postings, score
from tests.repo_mcp.ranking.scoring.test_block_max_maxscore import searcher as searcher  # noqa: PLC0414
from tests.repo_mcp.text.test_whoosh_oracle import choose_queries, read_sources

WORDS = ["alpha", "beta", "gamma", "read", "write", "open", "parse", "token", "session", "store", "cache"]


def percent(share: float) -> float:
    return CodeHit("a", 1, 1, "", share, "code", ()).relevance_percent


def open_searcher(repository: Repository) -> Searcher:
    return repository._index.get_searcher()


def write_random_tree(root: Path, draw: random.Random) -> None:
    """Write files whose paths, names, comments and code repeat a few words, some of them many times."""
    for number in range(draw.randint(1, 14)):
        folder = draw.choice(["", f"{draw.choice(WORDS)}/", f"{draw.choice(WORDS)}/{draw.choice(WORDS)}/"])
        path = root / f"{folder}{draw.choice(WORDS)}_{number}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        lines = []
        for _ in range(draw.randint(0, 120)):
            words = " ".join(draw.choices(WORDS, k=draw.randint(1, 12)))
            name = "_".join(draw.choices(WORDS, k=2))
            lines.append(draw.choice([f"# {words}", f"def {name}(): pass", f"x = '{words}'", ""]))
        path.write_text("\n".join(lines))


@pytest.mark.parametrize("seed", first(4, range(12)))
def test_no_share_is_above_the_whole_and_all_order_as_scores_do(tmp_path: Path, seed: int) -> None:
    draw = random.Random(seed)
    root = tmp_path / "root"
    root.mkdir()
    write_random_tree(root, draw)
    repository = Repository(load_config(str(root), data_dir=str(tmp_path / "data"), workers=1))
    repository.refresh()
    found_any = 0
    for _ in range(25):
        text = " ".join(draw.choices([*WORDS, "nowhere", "read_write"], k=draw.randint(1, 5)))
        query = parse_query(text, 100)
        if draw.random() < 0.3:
            query.terms += ["cach"]
            query.terms = list(dict.fromkeys(query.terms))
            query.weights = {"cach": draw.choice([0.1, 0.4])}
        wanted = Filter(lambda path: "read" in path, "read") if draw.random() < 0.3 else Filter()
        found = find_chunks(open_searcher(repository), query, wanted, 30)
        scores = [chunk.score for chunk in found.chunks]
        found_any += len(scores)
        assert all(0.0 < share <= 1.0 for share in found.shares)
        assert all(score / share >= score for score, share in zip(scores, found.shares, strict=True))
        for one, other in zip(range(len(scores)), range(1, len(scores)), strict=False):
            assert (scores[one] > scores[other]) == (found.shares[one] > found.shares[other])
            assert percent(found.shares[one]) >= percent(found.shares[other])
    repository.close()
    assert found_any


def test_shares_are_scores_by_one_number_for_each_query(searcher: Searcher) -> None:
    for text in choose_queries(read_sources())[:12]:
        found = find_chunks(searcher, parse_query(text, 100), Filter(), 20)
        bounds = [chunk.score / share for chunk, share in zip(found.chunks, found.shares, strict=True)]
        assert bounds == pytest.approx([bounds[0]] * len(bounds))


def test_the_strongest_unit_of_a_list_is_that_of_looking_at_all(searcher: Searcher) -> None:
    for term in ("the", "self", "loop", "email", "async", "charset", "py", "return"):
        expected = 0.0
        for field in range(len(FIELDS)):
            postings = list(iter_postings(searcher, term, field))
            frequency = sum(len(one.units) for one in postings)
            found = [score(searcher, one, term, field, frequency).max() for one in postings]
            expected += max(found, default=0.0)
        assert searcher.find_strongest(searcher._lists.read([term])[0]) == pytest.approx(expected, abs=1e-9)


def test_a_word_that_counts_less_gives_that_share_of_its_points(searcher: Searcher) -> None:
    for weight in (0.1, 0.25, 0.4):
        whole = searcher.find_best_units(Query(terms=["email"]), 1_000, Filter())
        part = searcher.find_best_units(Query(terms=["email"], weights={"email": weight}), 1_000, Filter())
        for one, other in zip(whole.segments, part.segments, strict=True):
            assert one.units.tolist() == other.units.tolist()
            assert other.scores == pytest.approx(weight * one.scores, abs=2e-6)
        assert searcher.find_strongest(part.terms[0]) == pytest.approx(
            weight * searcher.find_strongest(whole.terms[0]), abs=1e-9
        )


def test_percents_say_the_same_from_query_to_query(tmp_path: Path) -> None:
    """All words in one place is much, one word of three is little, whatever the words."""
    root = tmp_path / "root"
    root.mkdir()
    filler = "value = 1\n" * 40
    (root / "retry_policy.py").write_text(f"def retry_policy():\n    # retry policy of a session\n{filler}")
    (root / "cache.py").write_text(f"def evict():\n    # an evicted entry of the cache\n{filler}")
    for number in range(12):
        (root / f"other_{number}.py").write_text(f"def other_{number}(): pass\n{filler}")
    repository = Repository(load_config(str(root), data_dir=str(tmp_path / "data"), workers=1))
    repository.refresh()

    def best(text: str) -> float:
        found = find_chunks(open_searcher(repository), parse_query(text, 100), Filter(), 5)
        return percent(max(found.shares, default=0.0))

    assert best("retry policy") > 60
    assert best("evict cache") > 60
    assert best("retry weather zebra crossing") < best("retry session") < best("retry policy")
    assert best("retry weather zebra crossing") < 50
    assert best("nothing of that") == 0.0
    repository.close()


def test_percents_do_not_depend_on_segments(tmp_path: Path) -> None:
    draw = random.Random(99)
    root = tmp_path / "root"
    root.mkdir()
    write_random_tree(root, draw)
    texts = ["read session", "alpha", "retry cache token store"]

    def measure(data: str, *, in_steps: bool) -> list[list[float]]:
        repository = Repository(load_config(str(root), data_dir=str(tmp_path / data), workers=1))
        if in_steps:
            hidden = sorted(root.rglob("*.py"))[::2]
            for path in hidden:
                path.rename(path.with_suffix(".hidden"))
            repository.refresh()
            for path in hidden:
                path.with_suffix(".hidden").rename(path)
            (root / "gone.py").write_text("read session alpha " * 50)
            repository.refresh()
            (root / "gone.py").unlink()
        repository.refresh()
        found = [
            find_chunks(open_searcher(repository), parse_query(text, 100), Filter(), 20) for text in texts
        ]
        repository.close()
        return [list(one.shares) for one in found]

    assert measure("one", in_steps=False) == measure("two", in_steps=True)
