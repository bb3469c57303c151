"""A tree of tiny files with its repository and the phase that builds its symbol index, for tests."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from index_format import DiskDirectory, Snapshot
from repo_mcp.config.server_config import load_config
from repo_mcp.indexing.derived.phase import DerivedStorage
from repo_mcp.indexing.known_files import KnownFiles
from repo_mcp.model import SymbolIndexReport
from repo_mcp.process.parse_worker import BatchParser
from repo_mcp.repository import Repository
from repo_mcp.storage.poison import PoisonList
from repo_mcp.symbol_index.phase import Parsing, RoundWanted, SymbolPhase
from repo_mcp.symbol_index.symbol_index import SymbolIndex
from tests.repo_mcp.symbol_index.tiny_parser import find_tiny_task, make_tiny_parser
from tests.written_trees import write_tree


class StructureTree:
    """Write files, refresh the lexical index, run rounds of the phase."""

    def __init__(
        self, ordinal: Path, *, workers: int = 1, make_parser: Callable[[], BatchParser] = make_tiny_parser
    ) -> None:
        self.root = ordinal / "root"
        self.root.mkdir(parents=True)
        self.path = ordinal / "structure"
        config = load_config(str(self.root), data_dir=str(ordinal / "data"))
        self.repository = Repository(config)
        self.phase = SymbolPhase(
            DerivedStorage(str(self.path), "tiny"),
            Parsing(workers, PoisonList(), find_tiny_task, make_parser),
            lambda path: self.repository.tree.reader.read_walked(path, 2_000_000),
            self.repository.tree.read_many,
        )

    def write(self, files: Mapping[str, str]) -> None:
        write_tree(self.root, files)
        self.repository.refresh()

    def remove(self, *paths: str) -> None:
        for path in paths:
            (self.root / path).unlink()
        self.repository.refresh()

    @property
    def lexical(self) -> Snapshot:
        searcher = self.repository._index.find_searcher()
        assert searcher is not None
        return searcher.snapshot

    def run(self, **options: object) -> SymbolIndexReport:
        """Run a round; the options are those of `SymbolPhase.run` and the fields of what it is to do."""
        wanted = {name: options.pop(name) for name in RoundWanted.__slots__ if name in options}
        return self.phase.run(self.lexical, RoundWanted(**wanted), **options)  # type: ignore[arg-type]

    def open(self) -> SymbolIndex:
        snapshot = Snapshot.open(DiskDirectory(str(self.path)))
        assert snapshot is not None
        return SymbolIndex(snapshot, KnownFiles(self.lexical).find_fingerprint)

    def read_segments(self) -> dict[str, bytes]:
        return {path.name: path.read_bytes() for path in self.path.glob("*.seg")}

    def close(self) -> None:
        self.repository.close()
