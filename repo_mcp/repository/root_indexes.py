"""The indexes of one opened root, each in its namespace of the data directory, and their donors.

Nothing is built here: each index opens what was committed, and a refresh builds the lexical one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING

from index_format import VERSION as FORMAT_VERSION
from repo_mcp.config.environment import find_cache_home
from repo_mcp.config.server_config import Config
from repo_mcp.indexing.adoption import Donations
from repo_mcp.indexing.derived.phase import DerivedStorage
from repo_mcp.indexing.shards.chunking import VERSION as CHUNKING_VERSION
from repo_mcp.indexing.shards.memory_budget import MemoryBudget
from repo_mcp.indexing.shards.shards import BuildSettings, Cluster
from repo_mcp.languages.patterns.landmarks import VERSION as LANGUAGES_VERSION
from repo_mcp.languages.symbol_parsers import find_parser_task
from repo_mcp.live.live_index import LiveIndex
from repo_mcp.live.refresher import IndexSetup
from repo_mcp.record_classes import dataclass
from repo_mcp.repository.engines import Outliner
from repo_mcp.storage.donors import Donor, DonorRoot, Donors, derive_configuration, name_configuration
from repo_mcp.storage.held_directory import HeldDirectory
from repo_mcp.storage.namespaces import Namespaces, mark_used
from repo_mcp.storage.pack_keys import read_key
from repo_mcp.storage.packs import ListPacked, read_pack
from repo_mcp.storage.poison import PoisonList
from repo_mcp.storage.user_key import UserKey
from repo_mcp.symbol_index.live_symbol_index import LiveSymbolIndex
from repo_mcp.symbol_index.phase import Parsing, SymbolPhase
from repo_mcp.symbol_index.precise_index import VERSION as PRECISE_VERSION
from repo_mcp.symbol_index.precise_index import PreciseIndex
from repo_mcp.symbol_index.schema import list_facts
from repo_mcp.text.analysis import VERSION as ANALYSIS_VERSION
from repo_mcp.workspace.git.blobs import SharedBlobs, find_shared_blobs
from repo_mcp.workspace.git.places import list_siblings
from repo_mcp.workspace.hidden_names import list_shown
from repo_mcp.workspace.live_tree import LiveTree
from repo_mcp.workspace.reader.repository_reader import NO_REFUSALS

if TYPE_CHECKING:
    from repo_mcp.semantic.live_vectors import LiveVectors


@dataclass(frozen=True, slots=True)
class IndexSources:
    """The parts of an opened root from which its indexes are made."""

    config: Config
    held_root: HeldDirectory
    inside_root: tuple[str, ...] | None
    tree: LiveTree
    namespaces: Namespaces
    poison: PoisonList
    outliner: Outliner
    donors: Donors


class RootIndexes:
    """The indexes of one root."""

    def __init__(
        self, sources: IndexSources, cluster: Cluster | None, note_refresh: Callable[[], None]
    ) -> None:
        """Open all of them. `note_refresh` is called after each refresh of the lexical one.

        Raises CONFIG_INVALID for a model that cannot be used.
        """
        self._sources = sources
        self.configuration = self._compute_configuration()
        self.lexical = self._open_lexical(cluster, note_refresh)
        self.symbols = self._open_symbols()
        self.precise = self._open_precise()
        self.vectors = self._open_vectors()
        self._is_tidy = False
        sources.namespaces.mark_used()

    def note_refresh(self) -> None:
        """Let the derived indexes follow a refresh of the lexical one."""
        self.symbols.note_refresh()
        searcher = self.lexical.find_searcher()
        self.precise.note_refresh(
            None if searcher is None else searcher.snapshot, self.lexical.refresher.purges
        )
        if not self._is_tidy:
            self._is_tidy = True
            self._sources.namespaces.remove_unused()
        if self.vectors is not None:
            self.vectors.note_refresh()

    def close(self) -> bool:
        """Stop what is running. Returns False when something has not stopped in time."""
        self.symbols.stop()
        if self.vectors is not None:
            self.vectors.stop()
        stopped = [self.lexical.close(), self.symbols.close()]
        if self.vectors is not None:
            stopped.append(self.vectors.close())
        return all(stopped)

    def _compute_configuration(self) -> str:
        """Return a digest of everything that determines the contents of an index of this root."""
        sources, config = self._sources, self._sources.config
        contents = (
            FORMAT_VERSION,
            ANALYSIS_VERSION,
            CHUNKING_VERSION,
            LANGUAGES_VERSION,
            config.chunk_lines,
            config.chunk_overlap_lines,
            config.extensions,
            config.disabled_adapters,
            *sources.outliner.installed,  # the adapters with their versions
        )
        choice = (
            config.fingerprint(sources.tree.policy.fingerprint()),
            list_shown(),
            "tracked",  # files that Git tracks are not ignored
        )
        return name_configuration(contents, choice)

    def _open_lexical(self, cluster: Cluster | None, note_refresh: Callable[[], None]) -> LiveIndex:
        sources, config = self._sources, self._sources.config
        namespace = sources.namespaces.add("index", self.configuration)
        self._index_path = namespace.directory.path
        settings = BuildSettings(
            sources.held_root,
            namespace.directory,
            sources.inside_root,
            config.chunk_lines,
            config.chunk_overlap_lines,
            config.limits.max_file_bytes,
            frozenset(config.include_extensions),
            tuple(sorted(dict(config.extensions).items())),
            adapters=sources.outliner.installed,
            disabled_adapters=config.disabled_adapters,
            memory=MemoryBudget(config.memory_mb),
            refusals=config.refusals,
            allow_paths=config.allow_paths,
            cluster=cluster,
        )
        setup = IndexSetup(
            settings,
            self.configuration,
            config.chosen_workers(),
            namespace.make_tag,
            Donations(
                partial(sources.donors.list_for, "index", self.configuration, namespace.directory.path),
                self._find_shared,
                is_asked_for=config.index_from is not None or sources.donors.has_pack,
            ),
            sources.tree.memory,
        )
        return LiveIndex(
            setup,
            sources.tree.walk,
            watch=config.watch,
            finder=sources.tree.find_changes(),
            note_refresh=note_refresh,
            read_many=sources.tree.read_many,
        )

    def list_donors(self) -> tuple[Donor, ...]:
        """Return the indexes with which ours would begin if there were none, the first that is whole."""
        return self._sources.donors.list_for("index", self.configuration, self._index_path)

    def list_packed_kinds(self) -> tuple[str, ...]:
        """Return the kinds of index in the operator's pack, if there is one.

        Raises what reading the pack raises.
        """
        return tuple(one.kind for one in self._sources.donors.list_packed())

    def _find_shared(self, donor: Donor) -> SharedBlobs | None:
        """Return the files that Git knows to be the same for a donor; None where all must be read."""
        config = self._sources.config
        is_alike = donor.manifest.configuration == self.configuration and config.refusals == NO_REFUSALS
        if not config.siblings or not is_alike or not donor.root.path:
            return None
        tree = self._sources.tree
        return find_shared_blobs(config.root, donor.root.path, tree.read_bytes, tree.read_noted())

    def _open_symbols(self) -> LiveSymbolIndex:
        """Open the symbol index. Nothing is parsed before it is first used."""
        sources, config = self._sources, self._sources.config
        configuration = derive_configuration(self.configuration, *list_facts())
        namespace = sources.namespaces.add("structure", configuration)
        list_donors = partial(sources.donors.list_for, "structure", configuration, namespace.directory.path)
        storage = DerivedStorage(namespace.directory, configuration, namespace.make_tag, list_donors)
        workers = MemoryBudget(config.memory_mb).count_parsers(config.chosen_workers())
        parsing = Parsing(workers, sources.poison, self._find_symbol_task)
        phase = SymbolPhase(storage, parsing, sources.tree.read_walked, sources.tree.read_many)
        return LiveSymbolIndex(phase, self.lexical, sources.tree.name_path)

    def _find_symbol_task(self, path: str, language: str) -> str | None:
        """Return the task that reads the symbols of a file: by a parser of ours, or an installed adapter."""
        task = find_parser_task(path, language)
        outliner = self._sources.outliner
        return outliner.find_symbol_task(path, language) if task is None and outliner.installed else task

    def _open_precise(self) -> PreciseIndex:
        """Open the index of precise records, which is empty until a SCIP index is imported."""
        configuration = derive_configuration(self.configuration, *list_facts(), PRECISE_VERSION)
        namespace = self._sources.namespaces.add("scip", configuration)
        return PreciseIndex(DerivedStorage(namespace.directory, configuration, namespace.make_tag))

    def _open_vectors(self) -> LiveVectors | None:
        """Open the vectors of chunks; None if the operator named no model. Raises CONFIG_INVALID."""
        config = self._sources.config
        if config.semantic_model is None:
            return None
        from repo_mcp.semantic.live_vectors import LiveVectors  # Imported late: of no use without a model

        return LiveVectors(
            config.semantic_model,
            self.configuration,
            self._name_vectors,
            config.chosen_workers(),
            self.lexical,
            self._sources.tree.read_walked,
        )

    def _name_vectors(self, configuration: str) -> DerivedStorage:
        """Return where the vectors of a configuration lie, and what seals them: known with the model."""
        sources = self._sources
        namespace = sources.namespaces.add("vectors", configuration)
        mark_used(namespace.directory)
        list_donors = partial(sources.donors.list_for, "vectors", configuration, namespace.directory.path)
        return DerivedStorage(namespace.directory, configuration, namespace.make_tag, list_donors)


def find_donors(config: Config, key: UserKey, list_packed: ListPacked | None) -> Donors:
    """Return the indexes that a first build may start from. Raises CONFIG_INVALID for a bad pack."""
    if list_packed is None and config.index_pack is not None:
        packed = read_pack(config.index_pack, read_key(config.pack_key))
        return find_donors(config, key, lambda: packed)
    return Donors(key, config.data_dir, find_cache_home(), partial(_iter_checkouts, config), list_packed)


def _iter_checkouts(config: Config) -> Iterator[DonorRoot]:
    """Yield the checkouts whose indexes ours may start from."""
    yield DonorRoot(config.root, "another index of this checkout")
    if config.index_from is not None:
        yield DonorRoot(config.index_from, "the checkout of --index-from")
    if config.siblings:
        yield from (
            DonorRoot(root, "another work tree of the repository") for root in list_siblings(config.root)
        )
