"""Look-ups of members of a type whose name many files have."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from repo_mcp.model import SearchRequest
from repo_mcp.repository import Repository
from tests.repo_mcp.indexed_roots import open_indexed

FILES = {
    "lib/parcel.rb": "class Parcel\n  attr_reader :weight, :site\n\n"
    "  def initialize(site)\n    @site = site\n  end\nend\n",
    "lib/drop.rb": "class Drop\n  def site\n    1\n  end\nend\n",
    "src/Parcel.php": "<?php\n\nclass Shipment\n{\n    protected static $site = 'a';\n}\n",
    **{f"lib/use_{number:03}.rb": "site = 1\nsite.site(site)\n" * 9 for number in range(110)},
}


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Repository]:
    with open_indexed(tmp_path_factory.mktemp("qualified") / "root", FILES) as repository:
        yield repository


@pytest.mark.parametrize(
    ("query", "path", "line"),
    [
        ("Parcel.site", "lib/parcel.rb", 2),
        ("Parcel#site", "lib/parcel.rb", 2),
        ("Shipment.site", "src/Parcel.php", 5),
        ("Shipment::$site", "src/Parcel.php", 5),
        ("Drop#site", "lib/drop.rb", 2),
    ],
)
def test_a_member_is_looked_for_where_its_type_is_declared(
    repository: Repository, query: str, path: str, line: int
) -> None:
    answer = repository.search(SearchRequest(query, 5, symbols_only=True))
    assert (answer.hits[0].path, answer.hits[0].start_line) == (path, line)
    assert answer.warnings == ()
