"""The product that a question is about is no evidence for its bundle and its page, where it stands alone."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from repo_mcp.repository import Repository
from tests.repo_mcp.indexed_roots import open_indexed
from tests.repo_mcp.toolsets.repo.repo_calls import call

FILES = {
    "go.mod": "module example.org/tools/acme\n",
    "pairs.go": "package main\n\n"
    "func loadPair(a, b Pair) Pair {\n\tif a.newer(b) {\n\t\treturn a\n\t}\n\treturn b\n}\n",
    "acme.go": "package main\n\n// acme of acme\n"
    'func acmeMain(acme Acme) error {\n\treturn fail("stopped in acme")\n}\n',
    **{
        f"other{at}.go": f"package main\n\n// a newer pair, stopped\nfunc other{at}() {{\n\treturn\n}}\n"
        for at in range(9)
    },
}
NAMED = [
    "How does acme pick the newer pair?",
    "In acme, how is the newer pair picked?",
    "how is the newer pair picked by this library?",
]


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Repository]:
    with open_indexed(tmp_path_factory.mktemp("product") / "root", FILES) as opened:
        yield opened


@pytest.mark.parametrize("question", NAMED)
def test_no_file_is_found_by_the_product_alone(repository: Repository, question: str) -> None:
    hits = call(repository, "repo.search", query=question)["result"]["hits"]
    assert hits[0]["path"] == "pairs.go"
    assert "acme.go" not in [hit["path"] for hit in hits]
    chosen = call(repository, "repo.build_context_bundle", prompt=question)["result"]["selections"]
    assert chosen[0]["path"] == "pairs.go"
    assert "acme.go" not in [one["path"] for one in chosen]


def test_a_name_alone_a_quote_and_pasted_text_keep_it(repository: Repository) -> None:
    for query in ("acme", "acmeMain", '"stopped in acme"', "acme fails\n\nIn acme, nothing is chosen.\n"):
        hits = call(repository, "repo.search", query=query)["result"]["hits"]
        assert hits[0]["path"] == "acme.go"
