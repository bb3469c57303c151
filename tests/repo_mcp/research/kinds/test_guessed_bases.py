"""The base of somebody's own kind that a question guesses, and what is no place or model for it."""

from __future__ import annotations

from tests.repo_mcp.research.asking import Asked

MEASURES = {
    "depot/measures.py": (
        "class MeasureDecorator:\n"
        '    """Wrap a measure."""\n\n'
        "    def process_weight(self, value):\n"
        '        """Change a weight on its way in."""\n        raise NotImplementedError()\n\n'
        "    def prepare(self):\n        return self.process_weight\n\n\n"
        + "".join(
            f"class Measure{name}(MeasureDecorator):\n    def prepare(self):\n        made = []\n"
            f"        made.append({at})\n        made.append({at})\n        return made\n\n\n"
            for at, name in enumerate(("Grams", "Pounds", "Tons", "Stones"))
        )
        + "class MeasureOfOthers(MeasureDecorator):\n    def prepare(self):\n"
        "        raise NotImplementedError\n\n    def more(self):\n        pass\n"
    ),
    "depot/checked.py": (
        "from typing import Union\n\nColumnMeasureArgument = Union[\n    MeasureGrams,\n    MeasurePounds,\n"
        "    MeasureTons,\n]\n"
    ),
}
ASKED = "How do I write a custom column measure? (MeasureDecorator, process_weight)"


def test_a_guessed_type_from_which_others_derive_is_the_base_although_nothing_is_abstract() -> None:
    claim = Asked(MEASURES).ask(ASKED).claim
    assert claim.startswith("Derive from measures.MeasureDecorator")
    assert "You must define process_weight. Others also override prepare." in claim


def test_an_alias_for_type_checkers_is_no_table_of_a_kind() -> None:
    assert "are entries of" not in Asked(MEASURES).ask("How do I write a custom column measure?").claim


def test_what_only_raises_for_others_is_nothing_to_copy() -> None:
    assert "An example is measures.MeasureGrams" in Asked(MEASURES).ask(ASKED).claim


def test_of_two_guessed_interfaces_the_first_is_the_base() -> None:
    texts = {
        "stamps.go": "package stamps\n\ntype StampInterface interface {\n\tRead(text string) error\n"
        "\tStampWriterInterface\n}\n\ntype StampWriterInterface interface {\n\tWrite() string\n}\n\n"
        + "".join(
            f"type {name}Stamp struct{{}}\n\n"
            f"func ({name}Stamp) Read(text string) error {{\n\treturn nil\n}}\n\n"
            f'func ({name}Stamp) Write() string {{\n\treturn "{name}"\n}}\n\n'
            for name in ("Red", "Blue", "Green", "Black")
        )
        + 'type seal struct{}\n\nfunc (seal) Write() string {\n\treturn "seal"\n}\n',
    }
    claim = Asked(texts).ask("How do I write a custom stamp? (StampInterface, StampWriterInterface)").claim
    assert claim.startswith("Implement stamps.StampInterface")


FILTERS = {
    "depot/base.py": "from abc import ABC, abstractmethod\n\n\nclass BaseFilter(ABC):\n"
    "    @property\n    @abstractmethod\n    def group(self):\n        ...\n",
    "depot/filters.py": "from abc import abstractmethod\nfrom depot.base import BaseFilter\n\n\n"
    "class Filter(BaseFilter):\n    group = 'plain'\n\n    @abstractmethod\n"
    "    def apply(self, parcel, log):\n        ...\n",
    "depot/crate_filters.py": "from depot.base import BaseFilter\n\n\nclass CrateFilter(BaseFilter):\n"
    "    group = 'crates'\n\n    @property\n    def labels(self):\n        return []\n\n"
    "    def apply(self, crate):\n        for label in self.labels:\n            crate.add(label)\n",
    "tests/test_filters.py": "from depot.crate_filters import CrateFilter\n"
    "from depot.filters import Filter\n\n\nclass OwnFilter(Filter):\n"
    "    def apply(self, parcel, log):\n        log(parcel)\n\n\n"
    + "".join(f"class Crate{at}Filter(CrateFilter):\n    labels = ['{at}']\n\n\n" for at in "AB"),
}


def test_the_guessed_base_beside_the_one_named_after_the_kind_is_meant() -> None:
    claim = (
        Asked(FILTERS).ask("How do I write a custom filter that labels a crate? (CrateFilter, apply)").claim
    )
    assert claim.startswith("Derive from crate_filters.CrateFilter")
    plain = Asked(FILTERS).ask("How do I write a custom filter for a parcel? (Filter, apply)").claim
    assert plain.startswith("Derive from filters.Filter")


def test_what_only_others_named_after_the_kind_set_is_not_said_to_be_set_by_most() -> None:
    claim = (
        Asked(FILTERS).ask("How do I write a custom filter that labels a crate? (CrateFilter, apply)").claim
    )
    assert "Most set labels." in claim
