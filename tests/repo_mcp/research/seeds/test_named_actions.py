"""Functions that a question describes by a verb and its nouns, where the name has only a part of these."""

from __future__ import annotations

from tests.repo_mcp.research.asking import Asked, list_found

FINDERS = {
    "depot/goldenparcels/finders.py": (
        "class FolderFinder:\n    def find(self, path):\n"
        '        """Look for a golden parcel in each folder."""\n'
        "        for folder in self.folders:\n            if folder.holds(path):\n"
        "                return folder.join(path)\n        return None\n"
    ),
    "depot/goldenparcels/storage.py": (
        "class GoldenParcelsStorage:\n    def path(self, name):\n        if not self.location:\n"
        '            raise ValueError("golden parcels have no place")\n        return self.location + name\n'
    ),
    "depot/labels.py": (
        "def find_parcels(root):\n    found = []\n    for one in root.walk():\n"
        "        if one.name != GOLDEN:\n            found.append(one)\n    return found\n"
    ),
}


def test_what_is_named_by_the_verb_alone_in_the_place_of_all_nouns_leads() -> None:
    found = Asked(FINDERS).ask("How are golden parcels found?").findings
    assert found[0].symbol == "finders.FolderFinder.find"


def test_the_verb_and_the_noun_are_enough_where_no_name_joins_the_other_word_to_the_noun() -> None:
    texts = {path: text for path, text in FINDERS.items() if path == "depot/labels.py"}
    found = Asked(texts).ask("How are golden parcels found?").findings
    assert found[0].symbol == "labels.find_parcels"


def test_what_adds_one_answers_how_one_is_registered_unless_a_name_says_so() -> None:
    adds = {"depot.py": "def add_gauge(depot, gauge):\n    depot.gauges.append(gauge)\n"}
    registers = {"shop.py": "def register_gauge(shop, gauge):\n    shop.gauges.append(gauge)\n"}
    question = "How do I register a gauge that runs before a parcel is sent?"
    assert list_found(Asked(adds).ask(question))[0] == "depot.add_gauge"
    assert list_found(Asked(adds | registers).ask(question))[0] == "shop.register_gauge"
