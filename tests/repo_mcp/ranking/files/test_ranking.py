"""The pipeline on small trees: what comes first and why, and that points add up."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import fields, replace
from pathlib import Path

import numpy as np
import pytest

from repo_mcp.config.server_config import load_config
from repo_mcp.model import Hit, SearchRequest
from repo_mcp.ranking.files import candidates, ranking
from repo_mcp.ranking.files.ranking_weights import WEIGHTS, RankingWeights
from repo_mcp.ranking.query.query import parse_query
from repo_mcp.ranking.scoring.file_masks import Filter
from repo_mcp.ranking.scoring.searcher import BestUnits, Searcher
from repo_mcp.repository import Repository
from repo_mcp.text.schema import PATH, SYMBOL
from tests.repo_mcp.trees import edit_tree, make_tree
from tests.written_trees import write_tree

LONG = (
    " ".join(f"seen{letter}" for letter in "abcdefghijklmnopqrstuvwxyz") + " and much else that nobody wrote"
)
FILLER = "# nothing of note\nvalue = 1\n" * 20
FILES = {
    "src/net/retry_policy.py": "class RetryPolicy:\n    pass\n\nclass Backoff:\n    def wait(self): ...\n"
    + FILLER,
    "src/net/client.py": "from net.retry_policy import Backoff\n# retry, retry and retry\nretry = 1\n"
    + FILLER,
    "src/net/work_queue.py": "def drain_jobs(jobs):\n    return jobs\n" + FILLER,
    "src/pool.py": "def acquire_slot():\n    # takes a slot of the pool\n    return slot\n" + FILLER,
    "lib/drain.late.py": FILLER,
    "src/user.py": "slot = acquire_slot()\nother = acquire_slot() or acquire_slot()\n" + FILLER,
    "tests/test_pool.py": "def test_acquire_slot():\n    assert acquire_slot()\n" + FILLER,
    "docs/pool.md": "# The pool\n\nacquire_slot takes a slot of the pool. acquire_slot!\n",
    "vendor/pool.py": "def acquire_slot():\n    return acquire_slot\n" + FILLER,
    "empty/retry.py": "",
    "src/long.py": "".join(
        f"def step_{at}():\n    # common phrase {at}\n    return {at}\n\n" for at in range(300)
    ),
    "src/short.py": "# common phrase\n",
    "lib/v2/parcels.py": "def wrap_parcel(parcel):\n    # parcel\n    return parcel\n" + FILLER,
    "lib/v3/parcels.py": "def wrap_parcel(parcel):\n    return parcel\n" + FILLER,
}


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Repository:
    return build(tmp_path_factory.mktemp("ranking"), FILES)


def search(repository: Repository, query: str, top_k: int = 10, **options: object) -> tuple[Hit, ...]:
    return repository.search(SearchRequest(query, top_k, **options)).hits  # type: ignore[arg-type]


def first(repository: Repository, query: str, **options: object) -> str:
    return search(repository, query, **options)[0].path


@pytest.mark.parametrize(
    ("query", "path"),
    [
        ("acquire_slot", "src/pool.py"),  # where it is defined, not where it is used most
        ("acquireSlot", "src/pool.py"),  # in another spelling
        ("acquiring slots", "src/pool.py"),
        ("retry policy", "src/net/retry_policy.py"),  # by its name
        ("how are jobs drained by the work queue", "src/net/work_queue.py"),
        ("Backoff.wait", "src/net/retry_policy.py"),
        ("src/user.py", "src/user.py"),
        ("broken since I touched net/client.py: Backoff waits for ever", "src/net/client.py"),
        ("tests acquire_slot", "tests/test_pool.py"),
        ("documentation of the pool", "docs/pool.md"),
        ("vendored acquire_slot", "vendor/pool.py"),
    ],
)
def test_what_comes_first(repository: Repository, query: str, path: str) -> None:
    assert first(repository, query) == path


def test_a_traceback_is_text_and_its_innermost_frame_comes_first(repository: Repository) -> None:
    text = (
        "Traceback (most recent call last):\n"
        '  File "/home/me/src/user.py", line 1, in <module>\n    slot = acquire_slot()\n'
        '  File "/home/me/src/pool.py", line 3, in acquire_slot\n    return slot\n'
        "NameError: name 'slot' is not defined\n"
    )
    assert [hit.path for hit in search(repository, text, 2)] == ["src/pool.py", "src/user.py"]


def test_texts_of_another_language_stand_behind_unless_the_query_is_about_locales(tmp_path: Path) -> None:
    formats = "DATE_FORMAT = 'j. F Y'\n" + FILLER
    paths = ("conf/locale/de/formats.py", "conf/locale/kn/formats.py", "utils/formats.py")
    repository = build(tmp_path, dict.fromkeys(paths, formats))
    assert first(repository, "where is DATE_FORMAT in de") == "utils/formats.py"
    assert first(repository, "where is DATE_FORMAT of locale de") == "conf/locale/de/formats.py"
    pasted = "DATE_FORMAT of locale de is wrong\n\nThe month must not be written out.\nIt is too long.\n"
    assert first(repository, pasted) == "conf/locale/de/formats.py"


def test_roles_stand_behind_the_code_unless_asked_for(repository: Repository) -> None:
    order = [hit.path for hit in search(repository, "acquire_slot pool")]
    behind = {"tests/test_pool.py", "docs/pool.md", "vendor/pool.py"}
    assert order[0] == "src/pool.py"
    assert behind <= set(order[1:])
    assert "tests/test_pool.py" not in {
        hit.path for hit in search(repository, "acquire_slot pool", include_tests=False)
    }


def test_an_older_version_stands_behind_the_newer_one_unless_it_is_named(tmp_path: Path) -> None:
    for path in ("lib/v2/parcels.py", "lib/v3/parcels.py"):
        (tmp_path / "root" / path).parent.mkdir(parents=True)
        (tmp_path / "root" / path).write_text(FILES[path])
    repository = Repository(load_config(str(tmp_path / "root"), data_dir=str(tmp_path / "data")))
    repository.refresh()
    assert first(repository, "how are parcels wrapped") == "lib/v3/parcels.py"
    assert "older version" in dict(search(repository, "how are parcels wrapped")[1].explanation)
    assert first(repository, "how are parcels wrapped in v2") == "lib/v2/parcels.py"
    assert first(repository, "wrap_parcel") == "lib/v3/parcels.py"
    (tmp_path / "root/lib/v3/parcels.py").unlink()
    repository.refresh()
    (hit,) = search(repository, "how are parcels wrapped")
    assert "older version" not in dict(hit.explanation)


def test_an_older_version_in_a_legacy_directory_loses_twice(tmp_path: Path) -> None:
    text = "int open_strip(void);\n"
    kept = ["codec.c", "legacy/codec_v2.c", "legacy/codec_v1.c"]
    repository = build(tmp_path, dict.fromkeys(kept, text))
    hits = search(repository, "how is a strip opened")
    assert [hit.path for hit in hits] == kept
    shares = [dict(hit.explanation).get("older version", 0.0) for hit in hits]
    assert shares[2] < shares[1] < shares[0] == 0.0


def test_of_pasted_text_the_name_of_the_product_gives_files_no_points(tmp_path: Path) -> None:
    texts = {f"hovercraft/part{at}.py": f"value = {at}\n" for at in range(9)}
    texts["hovercraft/hovercraft.py"] = "# the hovercraft\ncraft = 1\n"
    repository = build(tmp_path, texts)
    (hit,) = search(repository, "The hovercraft is full of eels\n\nHow to get rid of eels?", 1)
    assert {"file name", "directory"}.isdisjoint(dict(hit.explanation))
    (hit,) = search(repository, "hovercraft eels", 1)
    assert "file name" in dict(hit.explanation)


def test_a_script_beside_its_minified_copy_stands_behind_its_sources(tmp_path: Path) -> None:
    texts = {
        "browser/strips.js": "function openStrip(strip) { return strip }\n" * 3,
        "browser/strips.min.js": "function openStrip(s){return s}",
        "src/open.js": "function openStrip(strip) { return strip }\n",
    }
    repository = build(tmp_path, texts)
    assert first(repository, "which strip is opened") == "src/open.js"
    assert first(repository, "the generated strips") == "browser/strips.js"
    (tmp_path / "root/browser/strips.min.js").rename(tmp_path / "root/browser/strips.min.js.map")
    repository.refresh()
    assert first(repository, "which strip is opened") == "browser/strips.js"


def test_the_source_of_a_small_library_stands_before_its_tests(tmp_path: Path) -> None:
    text = "function openStrip(strip) { return strip }\n"
    texts = {"strips.js": text, "strips.min.js": text, "test/open.js": text * 3}
    assert first(build(tmp_path, texts), "which strip is opened") == "strips.js"


def test_a_class_made_from_a_template_stands_behind_it(tmp_path: Path) -> None:
    text = "string OpenStrip(Strip strip) { return strip; }\n"
    texts = {
        "src/StripWriter.cs": f"class StripWriter {{\n{text * 3}}}\n",
        "src/StripWriter.tt": f"<# open #>\n{text}",
        "src/Other.tt": text * 4,
    }
    repository = build(tmp_path, texts)
    assert first(repository, "which strip is opened") == "src/StripWriter.tt"
    (tmp_path / "root/src/StripWriter.tt").unlink()
    repository.refresh()
    assert first(repository, "which strip is opened") == "src/StripWriter.cs"


def test_words_of_the_own_template_for_reports_are_not_looked_for(tmp_path: Path) -> None:
    asked = "Please mention the hovercraft before anything else."
    texts = {
        ".github/ISSUE_TEMPLATE.md": f"{asked}\n",
        "src/hovercraft.py": "def mention_hovercraft():\n    return 1\n" * 3,
        "src/eels.py": "def count():\n    return 'full of eels'\n",
    }
    repository = build(tmp_path, texts)
    issue = f"It is full of eels\n\n{asked}\n\nIt was empty before.\n"
    assert {hit.path for hit in search(repository, issue)} == {"src/eels.py"}
    (tmp_path / "root/.github/ISSUE_TEMPLATE.md").unlink()
    repository.refresh()
    assert {hit.path for hit in search(repository, issue)} == {"src/eels.py", "src/hovercraft.py"}


def test_of_equal_files_the_one_that_holds_more_of_the_query_comes_first(tmp_path: Path) -> None:
    """Beside the best text, a file that has one word often stands behind one that has all of them once."""
    texts = {
        "src/a.py": "def ship():\n    parcel = crate = label\n    return parcel, crate\n"
        + "label = 1\n" * 30,
        "src/b.py": "parcel = parcel or parcel\n" * 40,
        "src/c.py": "crate = crate or crate\n" * 40,
        "src/d.py": "label = label or label\n" * 40,
    }
    repository = build(tmp_path, texts)
    hits = search(repository, "which parcel goes into which crate with which label")
    assert hits[0].path == "src/a.py"
    held = {hit.path: dict(hit.explanation).get("held words", 0.0) for hit in hits}
    assert held["src/a.py"] > 2 * max(held[path] for path in texts if path != "src/a.py")


def test_a_file_gets_points_for_the_words_of_a_title_that_it_holds_anywhere(tmp_path: Path) -> None:
    """A report tells symptoms below its title: what the title says together may be far apart in a file."""
    texts = {
        "src/a.py": "parcel = 1\n" + FILLER * 4 + "crate = 2\n" + FILLER * 4 + "label = 3\n",
        "src/b.py": "parcel = parcel or parcel\n" * 40,
        "src/c.py": FILLER,
    }
    repository = build(tmp_path, texts)
    title = "Parcel in a crate without its label"
    hits = search(repository, f"{title}\n\nThe parcel is gone. {LONG}")
    given = {hit.path: dict(hit.explanation).get("title", 0.0) for hit in hits}
    assert given["src/a.py"] == WEIGHTS.held_title
    assert 0.0 < given["src/b.py"] < 0.5 * WEIGHTS.held_title
    for short in (title, f"{title}\n\nThe parcel is gone."):  # the title is much of them
        assert all("title" not in dict(hit.explanation) for hit in search(repository, short))


def test_files_with_good_neighbours_come_before_those_alone(tmp_path: Path) -> None:
    text = "parcel = crate = label\n" * 10
    paths = ("alone/a.py", "depot/b.py", "depot/c.py", "depot/d.py")
    repository = build(tmp_path, dict.fromkeys(paths, text))
    hits = search(repository, "parcel and crate with label")
    assert [hit.path for hit in hits] == ["depot/b.py", "depot/c.py", "depot/d.py", "alone/a.py"]
    beside = [dict(hit.explanation).get("neighbours", 0.0) for hit in hits]
    assert beside[0] == beside[1] == beside[2] > beside[3] == 0.0
    assert "neighbours" not in dict(
        search(repository, "crate")[0].explanation
    )  # a name: who declares it counts


def test_a_variant_stands_behind_the_file_whose_name_has_no_further_part(tmp_path: Path) -> None:
    text = "parcel = crate\n" * 10
    repository = build(tmp_path, dict.fromkeys(("parcel.async.cs", "parcel.cs", "parcel.tests.cs"), text))
    hits = search(repository, "how a parcel is put into a crate")
    assert hits[0].path == "parcel.cs"
    names = [dict(hit.explanation)["file name"] for hit in hits[:2]]
    assert names[1] == pytest.approx(WEIGHTS.variant * names[0], abs=1e-5)


def test_a_name_with_the_requested_one_in_it_does_not_come_before_what_ranks_better(tmp_path: Path) -> None:
    texts = {
        "lib/application.py": "# the application\nserve(application, application)\n" * 20,
        "lib/factory.py": "def create_application():\n    return {}\n" + FILLER,
    }
    repository = build(tmp_path, texts)
    assert first(repository, "application") == "lib/application.py"
    assert first(repository, "create_application") == "lib/factory.py"


def build(directory: Path, texts: Mapping[str, str]) -> Repository:
    root = write_tree(directory / "root", texts)
    repository = Repository(load_config(str(root), data_dir=str(directory / "data")))
    repository.refresh()
    return repository


def test_one_file_does_not_fill_the_page_unless_asked_for(repository: Repository) -> None:
    hits = search(repository, "common phrase", 5)
    assert {hit.path for hit in hits[:3]} == {"src/long.py", "src/short.py"}
    alone = search(repository, "common phrase", 5, file_glob="src/long.py")
    assert len(alone) == 5
    assert len({hit.start_line for hit in alone}) == 5


def fill_page_clearly(best: BestUnits, files: list[ranking.RankedFile], top_k: int) -> list[object]:
    """Return every chunk of every file, named by the first of its best units."""
    page = []
    for file in files:
        first, end = file.part.first_units[file.file : file.file + 2].tolist()
        found = best.segments[file.part.position]
        own = {
            unit: score
            for unit, score in zip(found.units.tolist(), found.scores.tolist(), strict=True)
            if first <= unit < end
        } or {first: 1.0}
        chunks: dict[int, list[int]] = {}
        for unit in own:
            chunks.setdefault(int(file.part.find_chunks(np.array([unit]))[0]), []).append(unit)
        firsts = sorted((min((-own[unit], unit) for unit in units) for units in chunks.values()), key=list)
        for position, (negative, unit) in enumerate(firsts):
            share = WEIGHTS.repeat**position * negative / firsts[0][0]
            points = (*file.points, *([("repeat", round((share - 1.0) * file.score, 6))] if position else []))
            page.append((-ranking.add_up(points), file.path.encode(), unit, points))
    return [(unit, points) for _, _, unit, points in sorted(page)[:top_k]]


def test_the_page_is_that_of_all_chunks(repository: Repository) -> None:
    searcher = repository._index.get_searcher()
    for text in ("common phrase", "acquire_slot", "retry policy", "step_7 phrase", "nothing such"):
        query = parse_query(text, 100)
        best = searcher.find_best_units(query, ranking.BEST_UNITS, Filter())
        for top_k in (1, 2, 5, 30):
            files = ranking.rank_files(searcher, query, best, top_k)
            page = ranking.fill_page(best, files, top_k, WEIGHTS)
            assert [(one.unit, points) for one, points in page] == fill_page_clearly(best, files, top_k)


def test_the_best_files_are_those_of_all(repository: Repository) -> None:
    """Roles of files that cannot be among them are not looked at, and nobody can tell."""
    searcher = repository._index.get_searcher()
    for text in ("common phrase", "acquire_slot", "pool tests", "slot value note"):
        query = parse_query(text, 100)
        best = searcher.find_best_units(query, ranking.BEST_UNITS, Filter())
        every = ranking.rank_files(searcher, query, best, 1_000)
        for count in range(1, len(every) + 2):
            assert ranking.rank_files(searcher, query, best, count) == every[:count]


def test_points_add_up_to_the_score(repository: Repository) -> None:
    for query in ("acquire_slot", "common phrase", "retry policy", "tests", "see src/user.py and pool"):
        hits = search(repository, query, 20)
        assert hits
        for hit in hits:
            assert hit.explanation
            assert round(sum(points for _, points in hit.explanation), 6) == hit.score
        assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)


# Together they give points for each signal.
QUERIES = [
    parse_query(text, 100)
    for text in (
        "acquire_slot", "common phrase", "work queue", "how is acquire_slot used", "retry policy net",
        "clientele Backoff", "see src/user.py", "drain jobs", "how are jobs drained, and how long",
        "Backoff.wait", "wrap parcel",
        "acquire_slot takes a slot of the pool while drain_jobs retries by a policy of the client, waits,"
        " backs off, wraps parcels, returns jobs and values, and notes common phrases and other steps",
        'File "src/user.py", line 1, in f\nFile "src/pool.py", line 2, in g',
        "jobs are not drained\n```\nsrc/user.py\n```",
        f"A slot of the pool is lost\n\nSeen in drain_jobs. {LONG}",
    )
]  # fmt: skip
# Weights that are shares of something, 1 at most.
SHARES = (
    "next_unit", "variant", "next_frame", "code_path", "test", "document", "configuration", "foreign",
    "older_version", "repeat",
)  # fmt: skip


def test_every_weight_counts(repository: Repository) -> None:
    """No weight stands in the table for nothing: each changes some score here."""
    searcher = repository._index.get_searcher()

    def pages(weights: RankingWeights) -> list[object]:
        return [ranking.rank(searcher, query, 20, Filter(), weights).chunks for query in QUERIES]

    usual = pages(WEIGHTS)
    silent = [
        one.name
        for one in fields(WEIGHTS)
        if pages(replace(WEIGHTS, **{one.name: getattr(WEIGHTS, one.name) / 2})) == usual
    ]
    assert silent == ["small_tree", "configuration"]  # the tree is small and has no such files


@pytest.mark.parametrize("name", [one.name for one in fields(WEIGHTS) if one.name not in SHARES])
def test_no_score_is_above_its_bound(repository: Repository, name: str) -> None:
    """However much one weight counts: each signal that gives points is in `bound_scores`."""
    searcher = repository._index.get_searcher()
    for query in QUERIES:
        for weights in (WEIGHTS, replace(WEIGHTS, **{name: 100.0})):
            found = ranking.rank(searcher, query, 20, Filter(), weights, bounded=True)
            assert max((chunk.score for chunk in found.chunks), default=0.0) <= found.bound, query.text


def test_names_of_files_count_less_in_a_large_tree_most_of_all_common_ones(tmp_path: Path) -> None:
    files = {f"app_{number}/cache.py": FILLER for number in range(4)} | {"app/parcel.py": FILLER}
    searcher = build(tmp_path, files)._index.get_searcher()

    def list_points(query: str, small_tree: float) -> set[float]:
        weights = replace(WEIGHTS, small_tree=small_tree)
        chunks = ranking.rank(searcher, parse_query(query, 10), 20, Filter(), weights).chunks
        return {dict(one.explanation)["file name"] for one in chunks}

    for query, alike in (("parcel", 1), ("cache", 4)):
        (whole,) = list_points(query, len(files))
        (less,) = list_points(query, len(files) / 4)  # half of the points, and less if others have the name
        assert less == pytest.approx(whole * 0.5 / alike**0.5, abs=1e-6)


def test_files_with_a_term_are_those_of_its_documents(repository: Repository) -> None:
    searcher = repository._index.get_searcher()
    for term in ("acquire_slot", "pool", "retri", "nowhere"):
        for field in (PATH, SYMBOL):
            rows = {
                int(searcher.documents.bases[part.position]) + (doc if field == PATH else part.find_file(doc))
                for part, docs in searcher.documents.list_docs(term, field)
                for doc in docs.tolist()
            }
            for _ in range(2):  # read, and kept
                (found,) = searcher.documents.find_files([term], field)
                assert found.tolist() == sorted(rows)


def test_filters_hold_for_files_that_are_found_by_name(repository: Repository) -> None:
    assert {hit.path for hit in search(repository, "retry", file_glob="src/net/c*")} == {"src/net/client.py"}
    assert {hit.path for hit in search(repository, "retry +import")} == {"src/net/client.py"}


def test_a_cut_at_equal_files_goes_by_paths(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """However many candidates are looked at, and however files came into segments."""
    root = tmp_path / "root"
    root.mkdir()
    repository = Repository(load_config(str(root), data_dir=str(tmp_path / "data")))
    names = [f"same{at:02}.txt" for at in range(30)]
    random.Random(3).shuffle(names)
    for name in names:
        (root / name).write_text("identical twin words\n")
        repository.refresh()
    searcher = repository._index.get_searcher()
    assert len(searcher.snapshot.segments) > 1
    monkeypatch.setattr(candidates, "TEXT_FILES", 7)
    chunks = ranking.rank(searcher, parse_query("identical twin", 10), 20).chunks
    assert [chunk.path for chunk in chunks] == sorted(names)[:7]
    monkeypatch.setattr(ranking, "BEST_UNITS", 5)
    chunks = ranking.rank(searcher, parse_query("identical twin", 10), 20).chunks
    assert [chunk.path for chunk in chunks] == sorted(names)[:5]


def rank_everything(
    searcher: Searcher, text: str, monkeypatch: pytest.MonkeyPatch
) -> list[tuple[str, float]]:
    """Return the ranking with every file a candidate and every unit looked at."""
    with monkeypatch.context() as patch:
        patch.setattr(candidates, "TEXT_FILES", 10**6)
        patch.setattr(candidates, "PATH_FILES", 10**6)
        patch.setattr(ranking, "BEST_UNITS", 10**6)
        chunks = ranking.rank(searcher, parse_query(text, 100), 10).chunks
    return [(chunk.path, chunk.score) for chunk in chunks]


def test_candidates_are_enough(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = make_tree(tmp_path / "root", 21, files=150)
    repository = Repository(load_config(str(root), data_dir=str(tmp_path / "data")))
    repository.refresh()
    draw = random.Random(22)
    for _ in range(3):
        edit_tree(root, draw)
        repository.refresh()
    searcher = repository._index.get_searcher()
    assert len(searcher.snapshot.segments) > 1
    for text in ("schedule work queue", "getUserName", "HTTPResponse", "d1 manifest", "naïve commit"):
        chunks = ranking.rank(searcher, parse_query(text, 100), 10).chunks
        assert [(chunk.path, chunk.score) for chunk in chunks] == rank_everything(searcher, text, monkeypatch)
