"""The program over the index on disk says what the plain one over texts says."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from repo_mcp.config.server_config import load_config
from repo_mcp.graph.graph import Graph
from repo_mcp.graph.index_program import IndexProgram
from repo_mcp.graph.live_graph import RESOLVERS
from repo_mcp.graph.vocabulary import EdgeType, SymbolFilter
from repo_mcp.repository import Repository
from repo_mcp.symbols.symbol_record import ReferenceRole
from tests.repo_mcp.graph.memory_index import MemoryIndex
from tests.repo_mcp.indexed_roots import open_indexed
from tests.repo_mcp.toolsets.graph.graph_roots import CSHARP, PYTHON, TYPESCRIPT
from tests.written_trees import write_tree

TEXTS: dict[str, str] = {
    **PYTHON,
    **TYPESCRIPT,
    **CSHARP,
    "README.md": "# The shop\n",
    "lib/été.py": "def été():\n    return Größe\n\n\nGröße = 1\n",
    "lib/sub/deep.py": "from ..été import été as summer\n\nsummer()\n",
    "lib/broken.py": "def half(:\n",
}


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Repository]:
    """Indexed in three rounds: files changed, were added and went away."""
    ordinal = tmp_path_factory.mktemp("index")
    root = write_tree(ordinal / "root", {"x.py": "x = 1\n"})
    repository = Repository(load_config(str(root), data_dir=str(ordinal / "d")))
    for texts in (
        {path: text.replace("save", "keep") for path, text in TEXTS.items() if path < "shop"},
        dict(list(TEXTS.items())[::2]),
        TEXTS,
    ):
        write_tree(root, texts)
        repository.refresh()
        repository.symbol_index.build()
    (root / "x.py").unlink()
    repository.refresh()
    repository.symbol_index.build()
    yield repository
    repository.close()


@pytest.fixture(scope="module")
def disk(repository: Repository) -> IndexProgram:
    with repository.engines.graph.open() as graph:
        program = graph._program
        assert isinstance(program, IndexProgram)
        return program


@pytest.fixture(scope="module")
def memory() -> MemoryIndex:
    return MemoryIndex(TEXTS)


def test_files_folders_and_structures_are_the_same(disk: IndexProgram, memory: MemoryIndex) -> None:
    assert disk.list_paths() == memory.list_paths()
    assert list(disk.list_source_paths()) == memory.list_source_paths()
    for path in [*TEXTS, "x.py", "nothing.py", "shop"]:
        assert disk.has_file(path) == memory.has_file(path), path
        assert disk.find_status(path) == memory.find_status(path), path
        assert (disk.find_record(path) is None) == (memory.find_record(path) is None), path
        one, two = disk.find_record(path), memory.find_record(path)
        if one is not None and two is not None:
            assert one.strings == two.strings
            assert [one.get_symbol(ordinal) for ordinal in range(one.symbol_count)] == [
                two.get_symbol(ordinal) for ordinal in range(two.symbol_count)
            ]
    for folder in ("", "shop", "web/src", "web/src/lib", "lib/sub", "sho", "x", "shop/orders.py"):
        assert disk.has_folder(folder) == memory.has_folder(folder), folder
    for path in TEXTS:
        assert disk.find_language(path) == memory.find_language(path) or memory.find_language(path) == ""
        assert disk.read_text(path) == memory.read_text(path)
    assert disk.read_text("nothing.py") is None


def _is_deep(path: str, module: str) -> bool:
    return path.count("/") > 1 or module.startswith(".")


def test_names_lead_to_the_same_files(disk: IndexProgram, memory: MemoryIndex) -> None:
    names = {"", "nosuchname", "x", "keep"}
    for path in memory.list_paths():
        record = memory.find_record(path)
        assert record is not None
        names.update(record.strings)
        names.update(part for text in record.strings for part in text.replace("/", ".").split("."))
    assert len(names) > 100
    for name in sorted(names):
        assert list(disk.list_declaring(name)) == list(memory.list_declaring(name)), name
        if name:
            assert list(disk.list_using(name)) == list(memory.list_using(name)), name
            assert disk.count_using(name) == memory.count_using(name), name
            assert list(disk.list_uses(name)) == list(memory.list_uses(name)), name
            for most in (1, 2, 100):
                rare = [list(paths) for paths in disk.list_rare(name, most) if paths]
                assert rare == [list(paths) for paths in memory.list_rare(name, most) if paths], name
            assert list(disk.list_importing(name)) == list(memory.list_importing(name)), name
            deep = [list(one.list_importing(name, _is_deep)) for one in (disk, memory)]
            assert deep[0] == deep[1], name


def test_declared_names_are_listed_by_their_beginnings(disk: IndexProgram, memory: MemoryIndex) -> None:
    for prefix in ("", "s", "S", "sa", "Ba", "ét", "zz"):
        live = [name for name in disk.names.iter_declared(prefix) if disk.list_declaring(name)]
        assert live == list(memory.iter_declared(prefix)), prefix
        parts = [part for part in disk.names.iter_parts(prefix) if disk.names.count_declaring(part)]
        assert parts == sorted(parts, key=str.encode)
        assert set(parts) >= set(memory.iter_parts(prefix)), prefix
        for part in memory.iter_parts(prefix):
            assert disk.names.count_declaring(part) == memory.count_declaring(part), part


def test_edges_are_the_same(disk: IndexProgram, memory: MemoryIndex) -> None:
    one, two = Graph(disk, RESOLVERS), Graph(memory, RESOLVERS)
    asked = 0
    for path in memory.list_paths():
        assert one.outline(path) == two.outline(path)
        for node in [*two.look_up(path, SymbolFilter())[0], *two.outline(path)]:
            for find, other in (
                (one.find_incoming, two.find_incoming),
                (one.find_outgoing, two.find_outgoing),
            ):
                assert find(node, tuple(EdgeType)) == other(node, tuple(EdgeType)), node.qualified_name
                asked += 1
    assert asked > 60


def test_structures_are_forgotten_and_read_again(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    view = repository.symbol_index.find_view()
    assert view is not None
    monkeypatch.setattr("repo_mcp.graph.index_program.CACHED_RECORD_BYTES", 1)
    monkeypatch.setattr("repo_mcp.graph.index_program.CACHED_PATHS", 2)
    disk = IndexProgram(view, lambda: (), lambda _: b"", {})
    first = {path: disk.find_record(path) for path in disk.list_paths()}
    again = {path: disk.find_record(path) for path in disk.list_paths()}
    for path, record in first.items():
        other = again[path]
        assert record is not None
        assert other is not None
        assert record.list_role(ReferenceRole.CALL) == other.list_role(ReferenceRole.CALL)
    assert disk.list_declaring("save") == disk.list_declaring("save")
    for name in ("add", "check", "note"):
        disk.list_declaring(name)
    assert disk.list_declaring("save")
    before = disk.count_decoded()
    disk.find_record(disk.list_paths()[0])
    assert disk.count_decoded() > before


def test_a_file_that_changed_since_is_not_answered_from_its_old_structure(tmp_path: Path) -> None:
    root = write_tree(tmp_path / "r", {"a.py": "def old(): ...\n", "b.py": "def other(): ...\n"})
    with open_indexed(root, data_dir=str(tmp_path / "d")) as repository:
        repository.symbol_index.build()
        write_tree(root, {"a.py": "def new(): ...\n"})
        repository.refresh()  # the structure lags behind
        with repository.engines.graph.open() as graph:
            assert graph.outline("a.py") == []
            assert graph.find_status("a.py") is None
            assert [node.qualified_name for node in graph.outline("b.py")] == ["b.other"]
            assert graph.search("old", SymbolFilter(), 5) == ([], False)
        repository.symbol_index.build()
        with repository.engines.graph.open() as graph:
            assert [node.qualified_name for node in graph.outline("a.py")] == ["a.new"]
