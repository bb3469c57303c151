"""Types found by their words are shown by what they do."""

from __future__ import annotations

from tests.repo_mcp.research.asking import Asked, list_found

RESCUE = """class RescueFilter:
    def __init__(self, rescue, parcels):
        self.parcels = parcels
        self.shelf = rescue

    def probe(self):
        return self.rescue

    def send(self, parcel):
        try:
            self.parcels.send(parcel)
        except OSError as error:
            if not self.rescue:
                raise
            self.rescue.take(parcel, error)

"""
FIELDS = "".join(f"    field_{number} = None\n" for number in range(40))


def test_the_function_that_does_most_comes_instead_of_a_type_and_its_constructor() -> None:
    text = RESCUE.replace("class RescueFilter:\n", f"class RescueFilter:\n{FIELDS}")
    report = Asked({"rescue.py": text}).ask("how are letters kept (RescueFilter)?")
    assert list_found(report)[0] == "rescue.RescueFilter.send"


def test_a_type_that_is_asked_for_by_its_name_stays_first() -> None:
    report = Asked({"rescue.py": RESCUE}).ask("what is RescueFilter?")
    assert list_found(report)[0] == "rescue.RescueFilter"


def test_a_constructor_that_mostly_sets_fields_does_little() -> None:
    sets = "".join(f"        self.slot_{number} = None\n" for number in range(9))
    text = RESCUE.replace(
        "        self.shelf = rescue\n",
        f"        self.shelf = rescue\n{sets}        if not rescue:\n            self.shelf = parcels\n",
    )
    found = list_found(Asked({"rescue.py": text}).ask("how are parcels rescued when they cannot be sent?"))
    assert found[0] == "rescue.RescueFilter.send"
