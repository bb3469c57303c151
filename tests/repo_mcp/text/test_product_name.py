"""The product's own name in a question about it is no evidence for the functions that have it."""

from __future__ import annotations

import pytest

from repo_mcp.errors import ErrorCode, RepoError
from repo_mcp.text.product_name import leave_out_product, read_name
from tests.growth import assert_linear
from tests.repo_mcp.research.asking import Asked, list_found

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
    "settings.gradle.kts": 'pluginManagement {}\n\nrootProject.name = "acme"\n',
    "settings.gradle": "rootProject.name = 'acme-parent'\n",
    "pom.xml": "<project>\n  <artifactId>acme-parent</artifactId>\n</project>\n",
    "Package.swift": '// swift-tools-version:5.9\nlet package = Package(\n    name: "Acme",\n)\n',
    "meson.build": "project('acme', 'c',\n  version : '1.0')\n",
}
QUESTION = "how does acme pick the newer pair?"
LONG = {  # manifest -> a text that gives no name, in pieces
    "pyproject.toml": ("[project]\nname\n", "name =\n"),
    "setup.cfg": ("[metadata]\n", " \n"),
    "setup.py": (" ", "name ", "name="),
    "package.json": ('{"name": ', "[", " "),
    "Cargo.toml": ("[package]\n", "a.", "\n"),
    "go.mod": ("module a/a ", "module a/", " ", "\n"),
    "CMakeLists.txt": (" \n", " ", "project (\n"),
    "configure.ac": ("AC_INIT( ", " "),
    "settings.gradle": ("rootProject.name ", " ", "rootProject.name = '"),
    "pom.xml": ("<parent>\n", "</parent>", "    <artifactId>", "\n"),
    "Package.swift": ("Package(", " ", "Package( "),
    "meson.build": ("project(", " ", "project(\n"),
}


@pytest.mark.parametrize("manifest", MANIFESTS)
def test_a_product_that_a_manifest_names_ranks_no_function(manifest: str) -> None:
    claim = Asked({**FILES, manifest: MANIFESTS[manifest]}).ask(QUESTION).claim
    assert "pairs.load_pair" in claim
    assert "acme_main" not in claim


@pytest.mark.parametrize(
    "question", ["how does an acme pick the newer pair?", "how is the newer pair of acme copies picked?"]
)
def test_a_noun_that_happens_to_be_its_name_stays(question: str) -> None:
    assert "cli.acme_main" in list_found(
        Asked({**FILES, "Cargo.toml": MANIFESTS["Cargo.toml"]}).ask(question)
    )


def test_without_a_manifest_or_another_word_the_name_is_all_there_is() -> None:
    assert "acme_main" in Asked(FILES).ask(QUESTION).claim
    assert (
        "acme_main"
        in Asked({**FILES, "Cargo.toml": MANIFESTS["Cargo.toml"]}).ask("how does acme work?").claim
    )


@pytest.mark.parametrize(
    "question", ["Does acme pick the newer pair?", "When acme starts, which newer pair?"]
)
def test_a_question_may_begin_with_a_capital(question: str) -> None:
    claim = Asked({**FILES, "Cargo.toml": MANIFESTS["Cargo.toml"]}).ask(question).claim
    assert "acme_main" not in claim


@pytest.mark.parametrize("subject", ["the library", "this library", "this project", "the codebase"])
def test_what_stands_for_the_product_ranks_no_function(subject: str) -> None:
    files = {**FILES, "src/cli.py": FILES["src/cli.py"].replace("acme", subject.split()[1])}
    claim = Asked(files).ask(f"how does {subject} pick the newer pair?").claim
    assert "pairs.load_pair" in claim
    assert subject.split()[1] not in claim


@pytest.mark.parametrize(
    ("question", "rest"),
    [
        ("How does acme pick the newer pair?", "How does  pick the newer pair?"),
        ("How does the library pick the newer pair?", "How does  pick the newer pair?"),
        ("Where are pairs kept in this project?", "Where are pairs kept in ?"),
        ("How does the project list pick a row?", "How does the project list pick a row?"),
        ("How does the library work?", "How does the library work?"),
        ("How is the library path found?", "How is the library path found?"),
        ("acme", "acme"),
    ],
)
def test_the_product_is_left_out_where_it_stands_alone(question: str, rest: str) -> None:
    files = {"go.mod": ["module example.org/acme"]}

    def read(path: str) -> list[str]:
        if path not in files:
            raise RepoError(ErrorCode.NOT_FOUND, "There is no such file.")
        return files[path]

    assert leave_out_product(question, read) == rest


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("package.json", '{"author": {\n  "name": "Bob"\n},\n"name": "acme"}'),
        ("package.json", '{"name": "acme", "version": "1.0.0"}'),
        ("pyproject.toml", '[[tool.uv.index]]\nname = "pypi"\n\n[project]\nversion = "1"\nname = "acme"\n'),
        ("pyproject.toml", '[tool.poetry]\nname = "acme"\n'),
        ("setup.cfg", "[tool]\nname = other\n[metadata]\nname = acme\n"),
        ("Cargo.toml", '[[bin]]\nname = "other"\n\n[package]\nname = "acme"\n'),
        (
            "pom.xml",
            "<parent>\n  <artifactId>other</artifactId>\n</parent>\n  <artifactId>acme</artifactId>\n",
        ),
    ],
)
def test_the_name_of_something_else_in_a_manifest_is_not_the_product(path: str, text: str) -> None:
    assert read_name(path, text) == "acme"


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("package.json", '{"author": {"name": "Bob"}}'),
        ("package.json", "[" * 100_000),
        ("package.json", '["name"]'),
        ("package.json", '{"name": 3}'),
        ("package.json", '{"name": "acme"'),
        ("pyproject.toml", '[project]\nversion = "1"\n\n[[tool.uv.index]]\nname = "pypi"\n'),
        ("pom.xml", "<parent>\n  <artifactId>other</artifactId>\n"),
    ],
)
def test_a_manifest_may_give_no_name(path: str, text: str) -> None:
    assert read_name(path, text) == ""


@pytest.mark.parametrize(("path", "piece"), [(path, piece) for path, own in LONG.items() for piece in own])
def test_a_long_manifest_takes_time_in_proportion(path: str, piece: str) -> None:
    assert_linear(lambda size: piece * size, lambda text: read_name(path, text), 1_000)
