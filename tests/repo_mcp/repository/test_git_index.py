"""That Git's index cannot be used is said as long as it is so, not only while the tree is walked."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

from repo_mcp.config.server_config import load_config
from repo_mcp.repository import Repository
from repo_mcp.workspace.walk import GIT_INDEX_NOT_USED
from tests.repo_mcp.git_trees import GitTree, with_git
from tests.repo_mcp.indexed_roots import open_indexed
from tests.written_trees import write_tree


@with_git
def test_the_status_says_that_the_index_is_split(tmp_path: Path) -> None:
    tree = GitTree(tmp_path / "root")
    write_tree(tree.root, {"src/a.py": "a = 1\n", "made/b.py": "b = 1\n", ".gitignore": "made/\n"})
    tree.git("init", "-q")
    tree.git("add", "-f", ".")
    with open_indexed(tree.root) as repository:
        assert repository.status().warnings == ()
        tree.git("update-index", "--split-index")
        repository.refresh()
        said = GIT_INDEX_NOT_USED.format("split")
        assert repository.status().warnings == (said,)
    with closing(Repository(load_config(str(tree.root)))) as repository:
        assert repository.status().warnings == (said,)  # of what another process indexed
        (tree.root / ".gitignore").write_text("")
        repository.refresh()
        assert repository.status().warnings == ()  # without ignored files nothing can be missing
