"""What the words and the guessed names of a question find beside what its form finds."""

from __future__ import annotations

from tests.repo_mcp.research.asking import Asked, find_one, list_found

DEPOT = {
    "depot/log.py": """class Entry:
    def size(self):
        raise NotImplementedError


class IndexEntry(Entry):
    def size(self):
        return 8


class TimeEntry(Entry):
    def size(self):
        return 12
""",
    "depot/serde.py": """class ParcelRecordSerde:
    def read_record(self, version, data):
        if version == 1:
            return self.read_parcel(data)
        raise UnknownRecord(version)

    def read_parcel(self, data):
        return data[1:]
""",
    "depot/shelf.py": """class Shelf:
    def hold(self):
        self.is_held = True

    def is_free(self):
        if self.is_held:
            return False
        return True


def keep(shelf: Shelf):
    shelf.hold()
    shelf.label = "kept"
""",
}


def test_what_guesses_name_stands_beside_what_is_to_be_copied() -> None:
    asked = Asked(DEPOT)
    plain = asked.ask("Where would I add a new kind of entry?")
    guessed = asked.ask("Where would I add a new kind of entry? (Entry, ParcelRecordSerde, read_record)")
    assert "serde.ParcelRecordSerde.read_record" not in list_found(plain)
    assert list_found(guessed)[0] == list_found(plain)[0] == "log.Entry"
    assert "raise UnknownRecord(version)" in find_one(guessed, "serde.ParcelRecordSerde.read_record").excerpt


def test_a_base_that_has_only_the_noun_is_none_if_all_guesses_name_something_else() -> None:
    files = {name: text.replace("Entry", "LogEntry") for name, text in DEPOT.items()}
    asked = Asked(files)
    assert "LogEntry" in asked.ask("Where would I add a new kind of entry?").claim
    guessed = asked.ask("Where would I add a new kind of entry? (ParcelRecordSerde, read_record)")
    assert "ParcelRecordSerde" in guessed.claim
    assert "LogEntry" not in guessed.claim


def test_direct_users_come_before_what_guesses_name() -> None:
    report = Asked(DEPOT).ask("What breaks if I change Shelf.hold? (Shelf, hold, is_free)")
    assert list_found(report)[:3] == ["shelf.Shelf.hold", "shelf.keep", "shelf.Shelf.is_free"]
    assert find_one(report, "shelf.Shelf.is_free").hop == 1


def test_without_guesses_nothing_stands_beside_the_users_and_readers() -> None:
    assert list_found(Asked(DEPOT).ask("What breaks if I change Shelf.hold?")) == [
        "shelf.Shelf.hold",
        "shelf.keep",
        "shelf.Shelf.is_free",
    ]
