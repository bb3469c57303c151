"""Where a setting is set, including its default: under the name that is written, with the deciding line."""

from __future__ import annotations

import pytest

from tests.repo_mcp.research.asking import Asked

GO_SERVER = (
    "package depot\n\ntype Depot struct {\n\tMaxParcels int\n}\n\n"
    "func (d *Depot) Provision() {\n\tif d.MaxParcels <= 0 {\n\t\td.MaxParcels = 16 * 1024\n\t}\n}\n\n"
    "func trim(d *Depot) {\n\td.MaxParcels = 12\n}\n"
)
PY_BASE = "class Carrier:\n    retry_delay = 1.0\n"
PY_OWN = "from carrier import Carrier\n\n\nclass {}(Carrier):\n    retry_delay = {}\n"


def test_a_default_is_what_is_set_where_there_is_none() -> None:
    claim = Asked({"depot.go": GO_SERVER}).ask("where is MaxParcels set, including its default?").claim
    assert claim.endswith(
        " A default is given by `d.MaxParcels = 16 * 1024` in Depot.Provision (depot.go:9), where"
        " `if d.MaxParcels <= 0`."
    )
    assert "default" not in Asked({"depot.go": GO_SERVER}).ask("where is MaxParcels set?").claim


@pytest.mark.parametrize(
    ("path", "text", "quoted"),
    [
        ("depot.ts", "export const DefaultOptions = {\n\tretryDelay: 20,\n};\n", "`retryDelay: 20`"),
        (
            "depot.ts",
            "class Depot {\n  constructor(given) {\n    this.retryDelay = given.retryDelay || 20;\n  }\n}\n",
            "`this.retryDelay = given.retryDelay || 20`",
        ),
        (
            "Depot.java",
            "class Depot {\n    Duration retryDelay = Duration.ofMinutes(5);\n}\n",
            "`Duration retryDelay = Duration.ofMinutes(5)`",
        ),
    ],
)
def test_defaults_are_known_by_their_place(path: str, text: str, quoted: str) -> None:
    claim = Asked({path: text}).ask("where is retryDelay set, including its default?").claim
    assert f"A default is given by {quoted} in " in claim


def test_what_only_sets_it_is_no_default() -> None:
    text = "class Depot {\n  open(row) {\n    this.retryDelay = 20;\n  }\n}\n"
    claim = Asked({"depot.ts": text}).ask("where is retryDelay set, including its default?").claim
    assert "default" not in claim


def test_what_a_property_passes_is_no_default() -> None:
    text = (
        "class Depot:\n    @property\n    def gate(self):\n        return self.open(\n"
        "            retry_delay=20, quiet=True\n        )\n"
    )
    claim = Asked({"depot.py": text}).ask("where is retry_delay set, including its default?").claim
    assert claim.startswith("retry_delay is set at depot.py:5")
    assert "default" not in claim


def test_the_default_of_the_base_comes_first() -> None:
    names = ("Air", "Sea", "Road")
    texts = {f"a_{name.lower()}.py": PY_OWN.format(name, at + 2) for at, name in enumerate(names)}
    report = Asked({**texts, "carrier.py": PY_BASE}).ask("where is retry_delay set, including its default?")
    assert "A default is given by `retry_delay = 1.0` in Carrier.retry_delay (carrier.py:2), " in report.claim


def test_a_guessed_setting_is_told_as_it_is_written() -> None:
    text = "class Limits {\n  maxParcels: number = 20;\n}\n\nfunction trim(row) {\n  row.maxParcels = 3;\n}\n"
    asked = Asked({"limits.ts": text})
    claim = asked.ask("Where is the bound of the rows set? (max_parcels)").claim
    assert claim.startswith("maxParcels is declared at limits.ts:2")
    undeclared = Asked({"trim.py": "def trim(row):\n    row.maxParcels = 3\n"})
    assert undeclared.ask("where is max_parcels set?").claim.startswith("maxParcels is set at trim.py:2")


def test_a_setting_in_words_has_its_declared_name_and_its_constant() -> None:
    text = (
        "class Builder {\n    static final int DEFAULT_RETRY_DELAY = 5;\n"
        "    int retryDelay = DEFAULT_RETRY_DELAY;\n}\n"
    )
    claim = Asked({"Builder.java": text}).ask("where is the retry delay set, including its default?").claim
    assert "retryDelay is declared at Builder.java:3" in claim
    assert (
        "A default is given by `static final int DEFAULT_RETRY_DELAY = 5` in Builder.DEFAULT_RETRY_DELAY"
        " (Builder.java:2)." in claim
    )
    assert "By name" not in claim
