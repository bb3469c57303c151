"""What languages with declared types share asks for none of them: a difference is an override."""

from __future__ import annotations

import inspect
import re
from types import ModuleType

import pytest

from repo_mcp.graph.typed import language_resolver, receivers, resolver


@pytest.mark.parametrize("shared", [language_resolver, receivers], ids=["resolver", "receivers"])
def test_what_is_shared_asks_for_no_language(shared: ModuleType) -> None:
    assert re.search(r"\.language\b", inspect.getsource(shared)) is None


def test_each_language_has_a_resolver_and_receivers_of_its_own() -> None:
    made = resolver._RESOLVERS
    assert made["c"] is made["cpp"]
    families = [language for language in made if language != "cpp"]
    assert len({made[one] for one in families}) == len(families)
