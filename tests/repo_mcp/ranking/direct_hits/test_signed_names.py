"""Look-ups of names with signs, as Lisps, Ruby and style sheets have them; of names in scripts."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from repo_mcp.model import SearchRequest
from repo_mcp.repository import Repository
from tests.repo_mcp.indexed_roots import open_indexed

FILES = {
    "src/core.clj": "(ns app.core)\n\n(defn go-loop [x]\n  x)\n\n(defn go [loop]\n  (go-loop loop))\n",
    "src/queue.rb": "class Queue\n  def empty?\n    true\n  end\n\n  def empty!\n  end\nend\n",
    "web/site.css": ".card-title {\n  --card-gap: 1px;\n}\n.card { }\n.title { }\n",
    "src/Cache.m": "@implementation Cache\n- (void)put:(id)row {\n}\n"
    "- (void)put:(id)row at:(int)place {\n}\n@end\n",
    "bin/start": "#!/usr/bin/env bash\nset -e\nstart_all() {\n  echo 1\n}\n",
    "sql/rows.sql.in": "CREATE FUNCTION list_rows() RETURNS int AS $$\nSELECT 1;\n$$ LANGUAGE sql;\n",
}


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Repository]:
    with open_indexed(tmp_path_factory.mktemp("signed") / "root", FILES) as repository:
        yield repository


@pytest.mark.parametrize("symbols_only", [True, False])
@pytest.mark.parametrize(
    ("query", "path", "lines"),
    [
        ("go-loop", "src/core.clj", (3, 4)),
        ("core/go-loop", "src/core.clj", (3, 4)),
        ("empty?", "src/queue.rb", (2, 4)),
        ("Queue#empty!", "src/queue.rb", (6, 7)),
        ("card-title", "web/site.css", (1, 3)),
        ("--card-gap", "web/site.css", (2, 2)),
        ("put:at:", "src/Cache.m", (4, 5)),
        ("start_all", "bin/start", (3, 5)),
        ("list_rows", "sql/rows.sql.in", (1, 3)),
    ],
)
def test_a_name_is_shown_where_it_is_declared(
    repository: Repository, query: str, path: str, lines: tuple[int, int], symbols_only: bool
) -> None:
    answer = repository.search(
        SearchRequest(query, 5, symbols_only=symbols_only, names_alone=not symbols_only)
    )
    assert (answer.hits[0].path, answer.hits[0].symbol_lines) == (path, lines)


def test_what_is_missing_is_named_whole(repository: Repository) -> None:
    answer = repository.search(SearchRequest("no-loop", 5, symbols_only=True))
    assert any("No declaration is named `no-loop`" in one for one in answer.warnings)


def test_a_script_is_outlined_and_opened_by_its_interpreter(repository: Repository) -> None:
    assert [one.name for one in repository.outline("bin/start").symbols] == ["start_all"]
    assert repository.open_file("bin/start", None, None, symbol="start_all").start_line == 3
