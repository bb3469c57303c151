"""Questions in the code's own words: what an event leads to, what handles it, what bounds something."""

from __future__ import annotations

import pytest

from repo_mcp.bodies.body import Body, list_code
from repo_mcp.bodies.statements import cut_statements
from repo_mcp.research.findings.records import Form
from tests.repo_mcp.research.asking import Asked, drop_conditions, find_one

DEPOT = """def receive_parcel(parcel):
    try:
        label = read_label(parcel)
    except LabelError:
        log.warning("label of the parcel is not readable")
        return
    shelf = find_shelf(label)
    if shelf is None:
        log.warning(
            "shelf %s is not found",
            label,
        )
        return
    if shelf.full:
        raise ShelfFull(shelf)
    shelf.put(parcel)


def read_label(parcel):
    if not parcel.label:
        raise LabelError(parcel)
    return parcel.label


def find_shelf(label):
    return SHELVES.get(label)


def sort_letters(letters):
    for letter in letters:
        if letter.lost:
            give_up(letter)
        else:
            deliver("the letter is sorted")


def check(parcel):
    try:
        read_label(parcel)
    except (LabelError, OSError):
        return False
    return True
"""


def _ask(question: str) -> str:
    return Asked({"depot.py": DEPOT}).ask(question).claim


def test_what_an_event_leads_to_is_quoted_and_shown() -> None:
    report = Asked({"depot.py": DEPOT}).ask("What happens if the shelf is full?")
    assert "There, `if shelf.full` (depot.py:14) leads to `raise ShelfFull(shelf)`" in report.claim
    shown = find_one(report, "depot.receive_parcel").excerpt
    assert "14\t" in shown
    assert "15\t" in shown


def test_an_alternative_is_told_with_the_condition_that_does_not_hold() -> None:
    claim = _ask("When does sorting deliver a letter?")
    assert "where `if letter.lost` (depot.py:31) does not hold, it comes to `deliver(" in claim


def test_a_question_for_no_event_is_told_no_outcome() -> None:
    assert "leads to" not in _ask("How is a parcel received whose shelf is full?")


def test_plain_words_that_are_a_name_ask_for_no_callers() -> None:
    text = "def job():\n    return 1\n\n\ndef run(job):\n    try:\n        job()\n"
    text += "    except OSError:\n        return 2\n"
    report = Asked({"job.py": text}).ask("What happens when a job fails?")
    assert report.reading.form is Form.OPEN


def test_a_statement_ends_where_a_line_closes_its_brackets() -> None:
    lines = DEPOT.split("\n")
    body = Body(lines, 1, 16, 1, {}, frozenset())
    found = [(one.first, one.last) for one in cut_statements(body, list_code(body))]
    assert (9, 11) in found  # the bracket that closes it, which says nothing, is line 12
    assert (13, 13) in found


BOUNDED = {
    "app/default.conf": "[core]\nmax_shelf_length = 10000\nmax_lines = 3\n",
    "app/shelf.py": "def add(config, parcels, shelf):\n"
    "    if len(parcels) > config['max_shelf_length']:\n        raise ShelfFull(shelf)\n",
    "app/Server.kt": "class HttpConfig {\n    var maxParcelSize = 1_000\n    var parcelCounter = 3\n}\n",
    "app/beats.py": "class Watch:\n    missed_beats_limit = 6\n    last_beats_limit_error = None\n",
}


def test_what_no_name_bounds_stays_an_open_question() -> None:
    report = Asked(BOUNDED).ask("Where is the limit on how many clerks a counter may have configured?")
    assert report.reading.form is Form.OPEN


POOL = """def take_parcel(pool):
    return pool.take()


class Pool:
    def take(self):
        \"\"\"Take a parcel out of the pool of parcels when one is taken.\"\"\"
        if self.closed:
            raise RuntimeError("the pool of parcels is closed")
        return self.parcels.pop()


def set_parcel_wait_timeout_seconds(seconds):
    if seconds < 1:
        raise ValueError("at least a second")


def take_parcel_with_timeout(parcel, wait):
    raise OSError("no parcel, wait for it, timeout")
"""


def test_what_makes_no_error_leaves_the_lead_to_what_does() -> None:
    claim = Asked({"pool.py": POOL}).ask("Which errors can a pool raise when a parcel is taken?").claim
    assert 'RuntimeError "the pool of parcels is closed" (:9)' in claim
    assert "is not known to cause an error" not in claim


def test_a_deed_that_several_types_have_names_no_function() -> None:
    pool = "class {}:\n    def return_parcel(self, parcel):\n"
    pool += "        if parcel.lost:\n            raise {}(parcel)\n"
    files = {f"{one.lower()}.py": pool.format(one, f"{one}Error") for one in ("Pool", "Depot")}
    claim = Asked(files).ask("Which errors can returning a parcel raise?").claim
    assert "In Pool.return_parcel (pool.py:2-4): PoolError" in claim


def _declare_sorters(side: str) -> str:
    return (
        f"package {side}\n\ntype Sorter interface {{\n\tSort() error\n}}\n\n"
        "func RegisterSorter(name string, sorter Sorter) {\n\tsorters[name] = sorter\n}\n\n"
        f"type Plain{side} struct{{}}\n\nfunc (p *Plain{side}) Sort() error {{\n\treturn nil\n}}\n"
    )


SIDES = {f"{side}/sorter.go": _declare_sorters(side) for side in ("client", "server", "depot")}


def test_what_makes_an_object_has_no_twins() -> None:
    table = "from sorter import Sorter\n\n\nclass Table:\n    def __init__(self, sorter: Sorter):\n"
    files = {
        "sorter.py": "class Sorter:\n    def sort(self):\n        raise NotImplementedError\n",
        "plain.py": "from sorter import Sorter\n\n\nclass Plain(Sorter):\n"
        "    def sort(self):\n        return 1\n",
        "client/table.py": f"{table}        self.sorter = sorter\n",
        "server/table.py": f"{table}        self.sorter = sorter\n",
    }
    report = Asked(files).ask("Where would I add a new sorter on both the client and the server?")
    assert "__init__" in report.claim
    assert "Of the same name" not in report.claim


def test_only_a_question_for_both_is_told_twins() -> None:
    assert "Of the same name" not in Asked(SIDES).ask("Where would I add a new sorter on the server?").claim


def test_beside_what_is_sure_a_guess_at_a_later_hop_is_left_out() -> None:
    files = {
        "router.py": "class Router:\n    def format(self, path):\n        return _format(path)\n\n"
        "    def get(self, path):\n        return self.format(path)\n\n\n"
        "def _format(path):\n    return path + '/index.html'\n",
        "other.py": "def show(moment):\n    return moment.format()\n",
    }
    report = Asked(files).ask("What breaks if I change _format?")
    assert [one.symbol for one in report.findings if one.hop] == ["router.Router.format", "router.Router.get"]


def test_a_polite_opening_is_no_part_of_a_question_that_is_repeated() -> None:
    claim = _ask("Please tell me who calls find_shelf, and where are letters sorted?")
    assert claim.startswith("Who calls find_shelf? ")


def test_an_error_that_a_helper_returns_is_named_where_it_is_raised() -> None:
    text = "class Registry:\n    def loads(self, kind):\n        if kind not in self.kinds:\n"
    text += "            raise self._refuse(kind)\n        return self.kinds[kind]\n\n"
    text += "    def _refuse(self, kind):\n        return KindDisallowed(kind)\n"
    claim = drop_conditions(Asked({"registry.py": text}).ask("Which errors can Registry.loads raise?").claim)
    assert "Errors that arise here: KindDisallowed (registry.py:4)" in claim


def test_an_outcome_is_told_of_another_declaration_if_it_has_what_the_best_lacks() -> None:
    text = "def add_label_printer(printer, label):\n    PRINTERS[label] = printer\n    return printer\n\n\n"
    text += "def handle(label):\n    try:\n        run(label)\n    except OSError:\n"
    text += '        jam("the printer of the label is jammed")\n'
    claim = Asked({"printer.py": text}).ask("What happens when the label printer is jammed?").claim
    assert "`except OSError` (printer.py:9) leads to `jam(" in claim


def test_the_else_of_a_loop_has_no_condition() -> None:
    text = "def seek(depot):\n    for parcel in depot:\n        if parcel.ready:\n            return parcel\n"
    text += "    else:\n        raise Missing('each parcel of the depot was tried')\n"
    claim = Asked({"depot.py": text}).ask("What happens when each parcel of the depot was tried?").claim
    assert "does not hold" not in claim


def test_a_case_leads_to_what_comes_before_its_end() -> None:
    text = "int handle(int sign) {\n    switch (sign) {\n        case PARCEL_LOST:\n"
    text += "            search_parcel(sign);\n            break;\n    }\n    return 0;\n}\n"
    claim = Asked({"depot.c": text}).ask("What happens when a parcel is lost?").claim
    assert "`case PARCEL_LOST` (depot.c:3) leads to `search_parcel(sign);` (:4)" in claim


def test_what_the_best_calls_is_not_told_of_where_the_outcome_is() -> None:
    text = "def add_label_printer(printer, label):\n    PRINTERS[label] = wrap(printer)\n"
    text += "    return printer\n\n\n"
    text += "def wrap(printer):\n    return printer\n\n\ndef handle(label):\n    try:\n        run(label)\n"
    text += "    except OSError:\n        jam('the label is jammed')\n"
    claim = Asked({"printer.py": text}).ask("What happens when the label printer is jammed?").claim
    assert "leads to `jam(" in claim
    assert "It calls" not in claim


def test_words_without_a_term_bound_nothing() -> None:
    report = Asked(BOUNDED).ask("Where is the limit on how many ____ it may hold configured?")
    assert report.reading.form is Form.OPEN


@pytest.mark.parametrize(
    ("head", "path", "told"),
    [
        ("    match seen {\n        Err(Lost) => {", "depot.rs", ["`Err(Lost) =>` (depot.rs:3) leads to"]),
        ("    {\n        define('lost', async () => {", "depot.ts", []),
        ("    {\n        Define('lost', (parcel) => {", "depot.ts", []),
    ],
)
def test_a_function_with_an_arrow_is_no_condition(head: str, path: str, told: list[str]) -> None:
    word = "fn" if path.endswith(".rs") else "function"
    text = f"{word} seek() {{\n{head}\n            stop('lost parcel');\n        }}\n    }}\n}}\n"
    claim = Asked({path: text}).ask("What happens when a parcel is lost?").claim
    assert claim.count("leads to") == len(told)
    assert [one for one in told if one not in claim] == []


def test_a_method_that_many_types_declare_is_not_said_to_be_called() -> None:
    shelves = "".join(
        f"class Shelf{letter} implements Shelf {{\n  public void put(String parcel) {{\n"
        "    room.add(parcel);\n    count++;\n  }\n}\n"
        for letter in "ABCDE"
    )
    depot = "class Depot {\n  void sortParcels(Shelf shelf, String parcel) {\n    shelf.put(parcel);\n"
    depot += "    putLabel(parcel);\n  }\n  void putLabel(String parcel) {\n    print(parcel);\n  }\n}\n"
    texts = {
        "Depot.java": depot,
        "Shelf.java": f"interface Shelf {{\n  void put(String parcel);\n}}\n{shelves}",
    }
    claim = Asked(texts).ask("How are parcels sorted and put on a shelf? (sortParcels, putLabel)").claim
    assert "calls Depot.putLabel" in claim
    assert "put (Shelf.java:5" not in claim
