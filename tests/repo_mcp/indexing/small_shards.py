"""Use smaller shards than the program does, so that a small tree has many."""

from __future__ import annotations

import inspect
from contextlib import suppress

from repo_mcp.indexing.shards.shards import BuildSettings

with suppress(TypeError):  # compiles `__init__`, whose defaults the tests replace
    BuildSettings()  # type: ignore[call-arg]


def replace_shard_bytes(shard_bytes: int) -> tuple[object, ...]:
    """Return the defaults of `BuildSettings`, with another size of shards."""
    parameters = inspect.signature(BuildSettings).parameters
    defaults = {name: one.default for name, one in parameters.items() if one.default is not one.empty}
    assert "shard_bytes" in defaults
    return tuple({**defaults, "shard_bytes": shard_bytes}.values())
