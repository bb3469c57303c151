"""By which the servers of one user know what they wrote themselves: tags made with his key (`user_key`).

What lies in a data directory may have come with the repository. So the indexes, and the side files that say
what need not be done again, are sealed with a tag bound to the root, the data directory and, by the name of
its namespace, to the format version and the configuration. What does not carry it is not read, not
repaired, and built anew.

A namespace is a directory in the data directory. Its name tells apart whatever must not share an index:
format versions, configurations, roots, and keys; so servers with two keys never undo each other's work.

Left out on purpose: how an index is sealed, which is `index_format.seals`.
"""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import blake2b

from index_format import TAG_BYTES, MakeTag, pack

_NAME_BYTES = 8


@dataclass(frozen=True, slots=True)
class Sealer:
    """The tags of one root and one data directory."""

    bound_key: bytes

    def name_namespace(self, kind: str, format_version: int, configuration: str) -> str:
        """The name of the directory of one index: that of a kind, a format version and a configuration."""
        facts = pack([kind, format_version, configuration])
        digest = blake2b(facts, key=self.bound_key, digest_size=_NAME_BYTES, person=b"namespace").hexdigest()
        return f"{kind}-v{format_version}-{digest}"

    def make_tagger(self, namespace: str) -> MakeTag:
        """The function that makes tags for the files of one namespace, or of one side file."""
        key = blake2b(namespace.encode(), key=self.bound_key, person=b"tags").digest()
        return lambda data: blake2b(data, key=key, digest_size=TAG_BYTES).digest()


def make_sealer(key: bytes, root: str, data_dir: str) -> Sealer:
    """The sealer of a root and a data directory, each by its one canonical path."""
    place = pack([root.encode("utf-8", "surrogateescape"), data_dir.encode("utf-8", "surrogateescape")])
    return Sealer(blake2b(place, key=key, person=b"repo-mcp-index").digest())
