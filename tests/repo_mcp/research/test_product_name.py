"""The product's own name in a question about it is no evidence for the functions that have it."""

from __future__ import annotations

import pytest

from tests.repo_mcp.research.asking import Asked

FILES = {
    "src/pairs.py": "def load_pair(first, second):\n    if first.newer(second):\n        return first\n"
    "    return second\n",
    "src/cli.py": "def acme_main(acme, choice):\n    acme.choose(choice)\n    if acme.copies:\n"
    "        return acme.run(choice)\n    return acme\n",
}
MANIFESTS = {
    "pyproject.toml": '[project]\nname = "acme"\n',
    "package.json": '{\n  "name": "@tools/acme-js",\n  "version": "1.0.0"\n}\n',
    "Cargo.toml": '[package]\nname = "acme"\n',
    "go.mod": "module example.org/tools/acme/v2\n\ngo 1.22\n",
    "CMakeLists.txt": "cmake_minimum_required(VERSION 3.5)\nproject (acme C)\n",
    "pom.xml": "<project>\n  <artifactId>acme-parent</artifactId>\n</project>\n",
}
QUESTION = "how does acme pick the newer pair?"


@pytest.mark.parametrize("manifest", MANIFESTS)
def test_a_product_that_a_manifest_names_ranks_no_function(manifest: str) -> None:
    claim = Asked({**FILES, manifest: MANIFESTS[manifest]}).ask(QUESTION).claim
    assert "pairs.load_pair" in claim
    assert "acme_main" not in claim


@pytest.mark.parametrize(
    "question", ["how does an acme pick the newer pair?", "how is the newer pair of acme copies picked?"]
)
def test_a_noun_that_happens_to_be_its_name_stays(question: str) -> None:
    assert "acme_main" in Asked({**FILES, "Cargo.toml": MANIFESTS["Cargo.toml"]}).ask(question).claim


def test_without_a_manifest_or_another_word_the_name_is_all_there_is() -> None:
    assert "acme_main" in Asked(FILES).ask(QUESTION).claim
    assert (
        "acme_main"
        in Asked({**FILES, "Cargo.toml": MANIFESTS["Cargo.toml"]}).ask("how does acme work?").claim
    )
