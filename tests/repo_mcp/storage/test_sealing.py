"""Tags and namespaces: the same for the same key and place, and for nothing else."""

from __future__ import annotations

import itertools
import re

from repo_mcp.storage.namespaces import Sealer, make_sealer

KEY, OTHER = b"k" * 32, b"o" * 32


def build_all() -> list[Sealer]:
    """Return one sealer for each key, root and data directory of two."""
    every = itertools.product((KEY, OTHER), ("/srv/a", "/srv/b"), ("/srv/a/.repo_mcp", "/var/d"))
    return [make_sealer(*one) for one in every]


def test_a_tag_belongs_to_one_key_root_data_directory_and_namespace() -> None:
    tags = [
        sealer.make_tagger(namespace)(data)
        for sealer in build_all()
        for namespace in ("index-v2-a", "structure-v2-a", "poison")
        for data in (b"", b"x")
    ]
    assert len(set(tags)) == len(tags) == 8 * 3 * 2
    assert {len(tag) for tag in tags} == {32}


def test_a_namespace_belongs_to_one_kind_version_configuration_key_and_place() -> None:
    names = [
        sealer.name_namespace(kind, version, configuration)
        for sealer in build_all()
        for kind in ("index", "structure")
        for version in (2, 3)
        for configuration in ("c", "d")
    ]
    assert len(set(names)) == len(names) == 8 * 2 * 2 * 2
    assert all(re.fullmatch("(index|structure)-v[23]-[0-9a-f]{16}", name) for name in names)


def test_they_are_those_of_any_process() -> None:
    sealer = make_sealer(KEY, "/srv/\udcff", "/srv/d")
    assert sealer == make_sealer(KEY, "/srv/\udcff", "/srv/d")
    assert sealer.name_namespace("index", 2, "c") == "index-v2-e11a88a15822f9e9"
    assert sealer.make_tagger("index-v2-0")(b"data").hex()[:16] == "d2fd7a15bde4fcb8"


def test_neither_tells_the_key() -> None:
    sealer = make_sealer(KEY, "/srv/a", "/srv/d")
    assert KEY not in sealer.bound_key
    assert KEY.hex()[:8] not in sealer.name_namespace("index", 2, "c")
