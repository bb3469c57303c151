"""What languages with declared types share asks for none of them: a difference is an override."""

from __future__ import annotations

import inspect
import re
from types import ModuleType

import pytest

from repo_mcp.graph import typed_resolvers as resolver
from repo_mcp.graph.typed import (
    guesses,
    language_resolver,
    local_names,
    lookup,
    parsed_files,
    path_lookup,
    receivers,
)

SHARED = [guesses, language_resolver, local_names, lookup, parsed_files, path_lookup, receivers]


@pytest.mark.parametrize("shared", SHARED, ids=[one.__name__.rpartition(".")[2] for one in SHARED])
def test_what_is_shared_asks_for_no_language(shared: ModuleType) -> None:
    text = inspect.getsource(shared)
    assert re.search(r"\.language\b", text) is None
    assert re.search(r"graph\.(?:c|go|java|rust|swift)\b", text) is None


def test_each_language_has_a_resolver_of_its_own() -> None:
    made = resolver.RESOLVERS
    assert made["c"] is made["cpp"]
    families = [language for language in made if language != "cpp"]
    assert len({made[one] for one in families}) == len(families)
