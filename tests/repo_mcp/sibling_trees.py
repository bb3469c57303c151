"""Checkouts of one repository with one package, for tests of indexes that start from another one."""

from __future__ import annotations

import shutil
from contextlib import closing
from pathlib import Path
from random import Random
from typing import Any

from repo_mcp.config.server_config import load_config
from repo_mcp.model import ExactRequest, RefreshReport, SearchRequest
from repo_mcp.repository import Repository
from tests.deep.sizes import choose
from tests.repo_mcp.git_trees import GitTree

QUERIES = choose(30, 200)
FILES = choose(21, 60)
TEXTS = FILES + 10  # with nine pages and a log


def make_main(folder: Path) -> GitTree:
    """Make the first checkout in a folder."""
    tree = GitTree(folder / "main")
    tree.git("init", "-q")
    write_package(tree)
    return tree


def write_package(tree: GitTree) -> None:
    """Write files that use each other's names, documents, an ignored but tracked one, and a binary one."""
    files = {
        f"package/part{number % 7}/module{number:02}.py": f'"""Part {number} of the tree."""\n\n'
        f"from package.part{(number + 1) % 7} import module{(number + 1) % FILES:02}\n\n\n"
        + "\n\n".join(
            f"def name_{number}_{row}(value):\n    return module{(number + 1) % FILES:02}.name_{row}(value)\n"
            for row in range(20)
        )
        for number in range(FILES)
    }
    tree.write(
        {f"docs/page{number}.md": f"# Page {number}\n\nAbout module{number:02}.\n" for number in range(9)}
    )
    tree.write({**files, ".gitignore": "*.log\n.repo_mcp/\n", "kept.log": "tracked though ignored\n"})
    (tree.root / "image.dat").write_bytes(b"\0\1\2" * 99)
    tree.git("add", "-f", "kept.log")
    tree.commit()
    tree.settle()


def change(tree: GitTree) -> None:
    """Edit, add, remove and rename files, as a person does in a work tree."""
    with (tree.root / "package/part1/module01.py").open("a") as file:
        file.write("\n\ndef added_here():\n    return name_1_0(2)\n")
    tree.write(
        {"package/new.py": "def brand_new():\n    return 1\n", "package/part2/module02.py": "TWO = 2\n"}
    )
    (tree.root / "package/part3/module03.py").unlink()
    (tree.root / "docs/page4.md").rename(tree.root / "docs/page40.md")


def open_root(tree: GitTree, **options: Any) -> Repository:
    """Open a tree with one worker."""
    return Repository(load_config(str(tree.root), workers=1, **options))


def build(tree: GitTree, *, structure: bool = False, **options: Any) -> RefreshReport:
    """Index a tree, with `structure` its symbols too."""
    with closing(open_root(tree, **options)) as repository:
        report = repository.refresh()
        if structure:
            repository.symbol_index.build()
    return report


def copy_plainly(tree: GitTree, root: Path) -> GitTree:
    """Return the same files, with a repository of their own that has no other checkout."""
    shutil.copytree(tree.root, root, ignore=shutil.ignore_patterns(".git", ".repo_mcp"))
    copy = GitTree(root)
    copy.git("init", "-q")
    copy.git("add", "-A")
    copy.git("add", "-f", "kept.log")
    return copy


def read_segments(repository: Repository) -> dict[str, list[bytes]]:
    """Return the bytes of the segments of each kind of index."""
    found: dict[str, list[bytes]] = {}
    for path in sorted(Path(repository.data_dir.path).glob("*/*.seg")):
        found.setdefault(path.parent.name.partition("-")[0], []).append(path.read_bytes())
    return found


def ask_all(repository: Repository, seed: int) -> list[object]:
    """Return answers to QUERIES queries of all kinds, without what depends on the index's history."""
    random = Random(seed)
    answers: list[object] = []
    for _ in range(QUERIES):
        number, row = random.randrange(FILES), random.randrange(8)
        words = [
            f"name_{number}_{row}",
            f"module{number:02}",
            "value",
            "added_here",
            "page",
            "tracked",
            "TWO",
        ]
        query = " ".join(random.sample(words, random.choice((1, 1, 2, 3))))
        ranked = repository.search(SearchRequest(query, top_k=10))
        exact = repository.search_exact(ExactRequest(random.choice(words), limit=20))
        with repository.symbol_index.view() as view:
            symbols = [view.find_record_bytes(hit.path) for hit in ranked.hits]
        answers.append((ranked.hits, ranked.total, exact.matches, exact.total, symbols))
    return answers
