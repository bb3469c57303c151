"""Finds donors: indexes of other checkouts, or of this one configured otherwise, that a first build may use.

A donor's data directory is searched for where its root would have it, and where the operator keeps ours. An
index there is trusted only because of its seal, which shows that the same user's key made it for that root
and that data directory. Nothing is written, marked or locked there.

The digest of a configuration has two parts: the first CONTENT_DIGITS depend on the settings that decide what
one file becomes in an index, the rest on which files are indexed. So an index whose digest begins as ours
does has rows that fit here. An index with names that are denied by default (`-allowed`) is never a donor.

Left out on purpose: which checkouts there are, and which rows are taken over.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from hashlib import blake2b

from index_format import VERSION as FORMAT_VERSION
from index_format import Directory, DiskDirectory, IndexFormatError, Manifest, read_sealed_manifest
from repo_mcp.record_classes import dataclass
from repo_mcp.storage.data_dir import list_data_dirs, name_canonically
from repo_mcp.storage.held_directory import OwnDirectory
from repo_mcp.storage.namespaces import list_shareable, make_sealer
from repo_mcp.storage.packs import ListPacked, PackedIndex
from repo_mcp.storage.user_key import UserKey

CONTENT_DIGITS = 16
NO_PLACE = ""


def name_configuration(contents: tuple[object, ...], choice: tuple[object, ...]) -> str:
    """Return the digest of a configuration, whose first CONTENT_DIGITS depend on `contents` alone.

    `contents` are the settings that decide what a file becomes in an index, `choice` those that decide which
    files are indexed.
    """
    return _digest(contents) + _digest((contents, choice))


def derive_configuration(configuration: str, *facts: object) -> str:
    """Return the digest for an index that is made from another one: of that one's digest and more facts."""
    whole, contents = configuration, configuration[:CONTENT_DIGITS]
    return _digest((contents, *facts)) + _digest((whole, *facts))


def _digest(facts: tuple[object, ...]) -> str:
    return blake2b(repr(facts).encode("utf-8", "surrogatepass"), digest_size=CONTENT_DIGITS // 2).hexdigest()


@dataclass(frozen=True, slots=True)
class DonorRoot:
    """A checkout that may have an index."""

    path: str  # NO_PLACE if the index came in a pack
    origin: str  # how this checkout is related to ours, in words that name no path


@dataclass(frozen=True, slots=True)
class Donor:
    """A sealed index, as it was found."""

    directory: Directory  # its `make_tag` checks the owner's seal
    manifest: Manifest
    root: DonorRoot

    @property
    def live_files(self) -> int:
        """Return the number of files in it."""
        return sum(entry.live_files for entry in self.manifest.segments)


ListDonors = Callable[[], Sequence[Donor]]


def list_nothing() -> tuple[Donor, ...]:
    """Return no donors."""
    return ()


class Donors:
    """The indexes that those of one root may begin with."""

    def __init__(
        self,
        key: UserKey,
        data_dir: str | None,
        cache_home: str,
        list_roots: Callable[[], Iterable[DonorRoot]],
        list_packed: ListPacked | None,
    ) -> None:
        """Take `list_roots`, which lists the checkouts to try, the best first.

        `data_dir` is where the operator keeps indexes, if he named a place. `list_packed` returns the indexes
        of a pack, if he named one.
        """
        self._key = key
        self._data_dir = data_dir
        self._cache_home = cache_home
        self._list_roots = list_roots
        self._list_packed = list_packed

    @property
    def has_pack(self) -> bool:
        """Return True where the operator named a pack."""
        return self._list_packed is not None

    def list_packed(self) -> Sequence[PackedIndex]:
        """Return the indexes of the pack; none without one. Raises as opening and fetching it does."""
        return () if self._list_packed is None else self._list_packed()

    def list_for(self, kind: str, configuration: str, own: str) -> tuple[Donor, ...]:
        """Return the donors of a kind for an index of this configuration, those with the most files first.

        `own` is the path of the index to be built, which is no donor of itself. Raises as `list_packed` does.
        """
        found = [
            donor
            for donor in (*self._iter_indexes(kind, own), *self._iter_packed(kind))
            if donor.live_files
            and donor.manifest.configuration[:CONTENT_DIGITS] == configuration[:CONTENT_DIGITS]
        ]
        return tuple(sorted(found, key=lambda donor: -donor.live_files))

    def _iter_packed(self, kind: str) -> Iterator[Donor]:
        """Yield the index of a pack that the operator named."""
        root = DonorRoot(NO_PLACE, "a pack")
        return (Donor(one.directory, one.manifest, root) for one in self.list_packed() if one.kind == kind)

    def _iter_indexes(self, kind: str, own: str) -> Iterator[Donor]:
        """Yield the sealed indexes of all checkouts, but `own`."""
        for root in () if self._key.fault else self._list_roots():
            yield from self._iter_of(root, kind, own)

    def _iter_of(self, root: DonorRoot, kind: str, own: str) -> Iterator[Donor]:
        """Yield the sealed indexes of one checkout, but `own`."""
        for data_dir in list_data_dirs(root.path, self._data_dir, self._cache_home):
            sealer = make_sealer(self._key.key, name_canonically(root.path), name_canonically(data_dir.path))
            for name in list_shareable(data_dir, f"{kind}-v{FORMAT_VERSION}-"):
                place = OwnDirectory(data_dir, name)
                if place.path == own:
                    continue
                try:
                    directory = DiskDirectory(place, make_tag=sealer.make_tagger(name))
                    manifest = read_sealed_manifest(directory)
                except (OSError, IndexFormatError):
                    continue
                if manifest is not None:
                    yield Donor(directory, manifest, root)
