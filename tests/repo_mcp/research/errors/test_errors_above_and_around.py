"""Errors of functions around the one that is asked about, which are not its own, and of namesakes above."""

from __future__ import annotations

from tests.repo_mcp.research.asking import Asked, drop_conditions, find_one, list_found

HALL = """class PlugError(Exception): ...


class VersionRefused(Exception): ...


class Sockets:
    def load_plug(self, hall, name):
        try:
            made = find_plug(name)
        except ImportError as lost:
            raise PlugError("no such plug") from lost
        made(hall)


def check_wanted_plugs(hall):
    for plug in hall.wanted:
        if plug.is_old:
            raise VersionRefused("the plug is too old")


class Hall:
    def __init__(self, folder):
        if not folder.exists():
            raise FolderError("no such folder")
        if folder.needs > 3:
            raise VersionRefused("the hall is too old")
        self.sockets = Sockets()
        for name in folder.plugs:
            self.add_plug(name)

    def add_plug(self, name):
        self.sockets.load_plug(self, name)
"""
ASKED = (
    "Which errors can loading a plug raise and when? "
    "(Sockets.load_plug, PlugError, VersionRefused, Hall.add_plug, check_wanted_plugs)"
)


def test_a_constructor_that_calls_what_is_asked_adds_no_errors_of_its_own() -> None:
    claim = Asked({"hall.py": HALL}).ask(ASKED).claim
    assert claim.startswith(
        'Errors that arise in Sockets.load_plug (hall.py:8-13): PlugError "no such plug" '
        "(:12, `except ImportError as lost`). "
        "In hall.check_wanted_plugs (hall.py:16-19): "
        'VersionRefused "the plug is too old" (:19, `if plug.is_old`).'
    )
    assert "no such folder" not in claim
    assert "the hall is too old" not in claim


def test_what_calls_it_and_is_guessed_itself_is_told() -> None:
    claim = Asked({"hall.py": HALL}).ask(ASKED.replace("Hall.add_plug", "Hall.__init__")).claim
    assert 'In Hall.__init__ (hall.py:23-30): FolderError "no such folder"' in claim


CHECKS = """class Doubled(Exception): ...


class Unfilled(Exception): ...


class Judge:
    def check_once(self, maps):
        if list_doubled(maps):
            raise Doubled(maps)
        self.check_all(maps)

    def check_all(self, maps):
        for one in list_unfilled(maps):
            raise Unfilled(one)


def list_unfilled(maps):
    return [one for one in maps if not one.is_full]


class Atlas:
    def check_all(self):
        Judge().check_once(self.maps)


class Shelf:
    def check_all(self):
        raise ShelfError("no row")
"""


def test_a_namesake_that_leads_to_the_function_is_asked_for_too() -> None:
    report = Asked({"judge.py": CHECKS}).ask("Which errors can check_all raise? (Doubled, list_unfilled)")
    assert drop_conditions(report.claim) == (
        "Errors that arise in Judge.check_all (judge.py:13-15): Unfilled (:15)."
        " In Atlas.check_all (judge.py:23-24): Doubled (:10), and what Judge.check_all (judge.py:13-15)"
        " raises."
    )
    assert "raise Doubled" in find_one(report, "judge.Judge.check_once").excerpt
    assert "judge.Atlas.check_all" in list_found(report)
    assert "ShelfError" not in drop_conditions(report.claim)


def test_a_guess_with_the_owner_asks_for_no_namesake() -> None:
    claim = drop_conditions(
        Asked({"judge.py": CHECKS}).ask("Which errors can check_all raise? (Judge.check_all)").claim
    )
    assert claim.startswith("Errors that arise here: Unfilled (judge.py:15).")
    assert "Doubled" not in claim


SCAN = """class LabelError(Exception): ...


def scan(parcel):
    if not parcel.label:
        raise LabelError("no label")
    return parcel.label


def scan_all(parcels):
    if not parcels:
        raise LabelError("no parcel")
    return [scan(one) for one in parcels]
"""


def test_a_plain_word_is_the_function_of_its_name_if_it_is_guessed() -> None:
    question = "Which errors can scan raise for a parcel and when? (scan, LabelError)"
    claim = Asked({"scan.py": SCAN}).ask(question).claim
    assert claim == 'Errors that arise here: LabelError "no label" (scan.py:6, `if not parcel.label`).'


def test_of_many_errors_each_file_is_named_once() -> None:
    checks = "".join(f"    if row.no == {at}:\n        raise RowError('no row {at}')\n" for at in range(4))
    check = "def check(row):\n" + checks.replace("no row", "bad row")
    load = f"from check import check\n\n\ndef load(row):\n{checks}    check(row)\n"
    claim = drop_conditions(
        Asked({"rows.py": load, "check.py": check}).ask("Which errors can load raise?").claim
    )
    assert claim.startswith(
        'Errors that arise here: RowError "no row 0" (rows.py:6), RowError "no row 1" (:8), '
        'RowError "no row 2" (:10), RowError "no row 3" (:12), RowError "bad row 0" (check.py:3), '
        'RowError "bad row 1" (:5), '
    )


def test_a_long_type_of_errors_leaves_room_for_the_functions_that_fail() -> None:
    fields = "".join(
        f"    def field_{at}(self):\n        return self.rows[{at}].value\n\n" for at in range(90)
    )
    steps = "".join(
        f"    if row.step_{at}:\n        row.prepare_step_{at}(row.rows[{at}])\n" for at in range(20)
    )
    text = f"class RowError(Exception):\n{fields}\n" + "".join(
        f"def load_{name}(row):\n    if not row.{name}:\n        raise RowError()\n{steps}{below}\n\n"
        for name, below in (("rows", "    load_first(row)\n    load_last(row)"), ("first", ""), ("last", ""))
    )
    report = Asked({"rows.py": text}).ask("Which errors can load_rows raise? (RowError)")
    assert [one.name for one in report.findings] == ["load_rows", "load_first", "load_last", "RowError"]
    assert "row.step_19" in find_one(report, "rows.load_last").excerpt
