"""A setting may be a key of a table, if the names of the two make up its own."""

from __future__ import annotations

import pytest

from repo_mcp.model import ExactMatch
from repo_mcp.research.findings.research_state import ResearchState
from repo_mcp.research.settings import nested_keys
from tests.repo_mcp.research.asking import Asked

USE = """def fire(settings):
    if settings.read("oven_max_heat") > 3:
        return settings
"""
TABLES = {
    "defaults.py": "NAMESPACES = Namespace(\n    oven=Namespace(\n        max_heat=Option(90),\n    ),\n)\n",
    "tables.py": 'SETTINGS = {\n    "oven": {\n        "lid": 1,\n        "max_heat": 90,\n    },\n}\n',
    "lower_brace.js": "module.exports.shop = {\n  oven:\n  {\n    lid: 1,\n    max_heat: 90,\n  },\n}\n",
    "oven.yaml": "shop:\n  oven:\n    max_heat: 90\n",
}


@pytest.mark.parametrize("path", TABLES)
def test_the_key_of_a_table_is_told_with_its_value(path: str) -> None:
    report = Asked({path: TABLES[path], "fire.py": USE}).ask("where is oven_max_heat configured?")
    assert report.claim.startswith("oven_max_heat is the key max_heat of oven: ")
    assert "90" in report.claim


def test_the_key_of_another_table_is_none() -> None:
    text = TABLES["defaults.py"].replace("oven", "kiln")
    report = Asked({"defaults.py": text, "fire.py": USE}).ask("where is oven_max_heat configured?")
    assert "is the key" not in report.claim


def test_a_long_name_takes_few_searches(monkeypatch: pytest.MonkeyPatch) -> None:
    searched: list[str] = []
    find = nested_keys.search_setting

    def count(state: ResearchState, name: str) -> tuple[ExactMatch, ...]:
        searched.append(name)
        return find(state, name)

    monkeypatch.setattr(nested_keys, "search_setting", count)
    name = "_".join(f"part{at}" for at in range(40))
    Asked({"fire.py": USE.replace("oven_max_heat", name)}).ask(f"where is {name} configured?")
    assert 0 < len(searched) <= nested_keys.MOST_WORDS


def test_of_a_property_that_computes_a_setting_the_stored_default_is_told_first() -> None:
    texts = {
        "config.py": 'class Config:\n    defaults = {\n        "oven": {\n            "max-heat": None,\n'
        "        },\n    }\n\n    @property\n    def oven_max_heat(self):\n"
        "        given = self.get('oven.max-heat')\n"
        "        return given or count_plates() * 4\n",
        "fire.py": "from config import Config\n\n\ndef fire(config: Config):\n"
        "    return config.oven_max_heat\n",
    }
    claim = Asked(texts).ask("Where is oven_max_heat configured and what is its default?").claim
    assert claim.startswith(
        "oven_max_heat is the key max-heat of oven: None (config.py:4). It is computed at config.py:8-11."
    )
