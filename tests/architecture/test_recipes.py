"""The recipes of ARCHITECTURE.md, "How to change it", name every file that a change of their kind touches.

Each recipe has an example that is in the code already. The files that know the example, in the package that
the recipe is about, are those that a further one of its kind has to be put into. Of forms of questions, all
are the example: none is in every file.
"""

from __future__ import annotations

import re

import pytest

from repo_mcp.research.findings.records import Form
from tests.architecture.source_tree import ROOT, expect_none, load_modules

# Beginning of a recipe -> what its example is known by.
EXAMPLES = {
    "An argument of `repo.search`": r"\bmax_per_file\b",
    "A field of an outline record": r"\bdecl_context\b",
    "The order of hits": r"\bheld_title\b",
    "A section of a segment": r"\.norms\b|\bNRM[UF]\b",
    "A language without a parser": r"\blua\b",
    "A language with a parser": r'"swift"',
    "A form of question": rf"\bForm\.(?:{'|'.join(Form.__members__)})\b",
}
GOES_ON_FROM = {"A language with a parser": "A language without a parser"}
NAMED = re.compile(r"`((?:repo_mcp|index_format)/[\w/]+\.py)`")


def list_named(beginning: str) -> set[str]:
    """Return the modules that a recipe names, with those of the recipe that it goes on from."""
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    parts = text.replace("\n\n|", "\n|").split("\n\n")  # a table belongs to what is above it
    (recipe,) = [part for part in parts if part.startswith(f"**{beginning}")]
    before = GOES_ON_FROM.get(beginning)
    return {*NAMED.findall(recipe), *(list_named(before) if before else ())}


@pytest.mark.parametrize("beginning", EXAMPLES)
def test_a_recipe_names_the_files_that_know_its_example(beginning: str) -> None:
    named, known_by = list_named(beginning), re.compile(EXAMPLES[beginning])
    packages = {path.partition("/")[0] for path in named}
    knowing = {module.path for module in load_modules() if known_by.search(module.text)}
    missing = [path for path in sorted(knowing - named) if path.partition("/")[0] in packages]
    expect_none(missing, f"ARCHITECTURE.md, recipe {beginning!r}: name these too, as they know its example:")
    assert knowing & named
