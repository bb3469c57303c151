"""Tags made with the user's key (`user_key`), by which his servers recognise what they wrote themselves.

A data directory may have come with the repository. So the indexes, and the side files that record work
already done, are sealed with a tag. It is bound to the root, to the data directory and, by the name of the
namespace, to the format version and the configuration. A file without the right tag is neither read nor
repaired, but built anew.

A namespace is a directory in the data directory. Its name differs for whatever must not share an index:
format versions, configurations, roots, and keys. So servers with two keys never undo each other's work.

Left out on purpose: how an index is sealed, which is `index_format.seals`.
"""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import blake2b

from index_format import TAG_BYTES, MakeTag, pack

_NAME_BYTES = 8


@dataclass(frozen=True, slots=True)
class Sealer:
    """Makes the namespace names and tags of one root and one data directory."""

    bound_key: bytes  # derived from the user's key, the root and the data directory

    def name_namespace(self, kind: str, format_version: int, configuration: str) -> str:
        """Return the directory name of the index of this kind, format version and configuration."""
        facts = pack([kind, format_version, configuration])
        digest = blake2b(facts, key=self.bound_key, digest_size=_NAME_BYTES, person=b"namespace").hexdigest()
        return f"{kind}-v{format_version}-{digest}"

    def make_tagger(self, namespace: str) -> MakeTag:
        """Return a function that computes tags for the files of a namespace, or for one side file."""
        key = blake2b(namespace.encode(), key=self.bound_key, person=b"tags").digest()
        return lambda data: blake2b(data, key=key, digest_size=TAG_BYTES).digest()


def make_sealer(key: bytes, root: str, data_dir: str) -> Sealer:
    """Return the sealer of a root and a data directory, each given by its canonical path."""
    place = pack([root.encode("utf-8", "surrogateescape"), data_dir.encode("utf-8", "surrogateescape")])
    return Sealer(blake2b(place, key=key, person=b"repo-mcp-index").digest())
