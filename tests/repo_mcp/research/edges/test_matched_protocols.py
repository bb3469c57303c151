"""A function that nothing calls may be called as a member of its module, which a protocol describes."""

from __future__ import annotations

from tests.repo_mcp.research.asking import Asked, list_found

LOADER = """from typing import Protocol


class Plugin(Protocol):
    def open_shop(self, town, key):
        ...

    def close(self):
        ...


def start(name: str) -> None:
    plugin: Plugin = find_plugin(name)
    plugin.open_shop("Ghent", 4)
"""
FILES = {
    "core/loader.py": LOADER,
    "shops/bread.py": "def open_shop(town, key):\n    return key\n\n\ndef close(key):\n    return key\n",
}


def test_calls_reach_a_function_of_a_module_through_the_protocol_that_it_matches() -> None:
    claim = Asked(FILES).ask("who calls shops.bread.open_shop?").claim
    assert claim == (
        "Nothing in the repository is known to call bread.open_shop (shops/bread.py:1-2) directly."
        " Calls may reach it through Plugin.open_shop (core/loader.py:5-6),"
        " called by loader.start (core/loader.py:12-14)."
    )


def test_other_parameters_match_no_protocol() -> None:
    assert "Plugin.close" not in list_found(Asked(FILES).ask("who calls shops.bread.close?"))


def test_a_function_that_is_called_needs_no_protocol() -> None:
    files = FILES | {
        "shops/all.py": "from shops.bread import open_shop\n\n\ndef sell():\n    open_shop('Aalst', 2)\n"
    }
    report = Asked(files).ask("who calls shops.bread.open_shop?")
    assert "through" not in report.claim
    assert "all.sell" in report.claim
