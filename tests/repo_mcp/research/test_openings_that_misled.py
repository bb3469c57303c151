"""Openings that said what is not so, on trees of strangers: each with the least code that shows it."""

from __future__ import annotations

import pytest

from repo_mcp.toolsets.research.report_record import cut_report
from repo_mcp.toolsets.research.shown_findings import count_shown
from tests.repo_mcp.research.asking import Asked

WRAPPERS = {
    "depot/settings.go": (
        "package depot\n\n// Wrapper holds the settings of one wrapper.\ntype Wrapper struct {\n"
        "\tRibbon *Ribbon\n\tPaper *Paper\n\tFoil *Foil\n}\n\n"
        "type WrapperInfo struct {\n\t*Wrapper\n\tPaper string\n\tErrors []string\n}\n"
    ),
    "depot/build.go": (
        "package depot\n\nfunc (b *Builder) buildWrapper(config *WrapperInfo) (Step, error) {\n"
        "\tif config.Ribbon != nil {\n\t\treturn newRibbon(config.Ribbon), nil\n\t}\n"
        "\tif config.Foil != nil {\n\t\treturn newFoil(config.Foil), nil\n\t}\n"
        '\treturn nil, errors.New("no such wrapper")\n}\n'
    ),
}


def test_a_struct_of_fields_that_another_embeds_is_no_base_of_a_kind() -> None:
    claim = Asked(WRAPPERS).ask("Where would I add a new wrapper? (buildWrapper, Wrapper)").claim
    assert "Derive from" not in claim
    assert "Others override" not in claim
    assert "Builder.buildWrapper (depot/build.go:3-11)" in claim


PARCELS = {
    "depot/unwrap.py": (
        "from abc import ABC, abstractmethod\n\n\nclass UnwrapError(ValueError):\n    pass\n\n\n"
        "class UnwrapReference(ABC):\n    @abstractmethod\n    def unwrap(self, parcel):\n"
        "        raise NotImplementedError\n\n\n"
        "class Unwrapper:\n    def __init__(self, parcel):\n        self.parcel = parcel\n\n\n"
        "def check_depth(depth, parcel):\n    if depth > 100:\n"
        '        msg = "too many layers of paper"\n        raise UnwrapError(msg)\n\n\n'
        "def unwrap_parcel(parcel, depth=0):\n    UnwrapError.note(depth)\n    return Unwrapper(parcel)\n"
    ),
}


def test_what_is_no_error_or_stands_in_an_abstract_function_does_not_arise() -> None:
    guesses = "(unwrap_parcel, UnwrapError, UnwrapReference, Unwrapper)"
    claim = Asked(PARCELS).ask(f"Which errors can arise while a parcel is unwrapped? {guesses}").claim
    assert 'UnwrapError "too many layers of paper"' in claim
    assert "NotImplementedError" not in claim
    assert ": Unwrapper (" not in claim


CARRIER = {
    "depot/errors.py": (
        "class LateError(Exception):\n    pass\n\n\nclass ParcelLossError(Exception):\n    pass\n"
    ),
    "depot/carrier.py": (
        "from depot.errors import LateError, ParcelLossError\n\n\n"
        "def carry_parcel(parcel):\n    if parcel.late:\n        raise LateError\n"
        "    return hand_over(parcel)\n\n\n"
        "def close_van(van):\n    if van.missing:\n        raise ParcelLossError(van.missing)\n"
    ),
}


def test_a_guessed_error_may_lack_the_ending_of_its_name() -> None:
    claim = Asked(CARRIER).ask("Which errors can end the way of a parcel? (LateError, ParcelLoss)").claim
    assert "In carrier.close_van (depot/carrier.py:10-12): ParcelLossError (:12)." in claim


FITTERS = {
    "depot/steel.py": "def steel(options):\n    return options\n",
    "depot/pvc.py": "def pvc(options):\n    return options\n",
    "depot/fitters.py": (
        "class SteelPipeFitter:\n    def fit(self, pipe):\n        return self.weld(pipe)\n\n"
        "    def weld(self, pipe):\n        return pipe\n\n"
        "    def polish(self, pipe):\n        return pipe\n\n\n"
        "class PvcPipeFitter:\n    def fit(self, pipe):\n        return self.glue(pipe)\n\n"
        "    def glue(self, pipe):\n        return pipe\n"
    ),
}


def test_two_capitalised_words_share_all_the_nouns_behind_the_second() -> None:
    claim = Asked(FITTERS).ask("What is the difference between the Steel and the PVC pipe fitter?").claim
    first, second, *_ = claim.split(" is declared at ")
    assert first == "fitters.SteelPipeFitter"
    assert second.endswith("fitters.PvcPipeFitter")
    assert "Only SteelPipeFitter declares weld (depot/fitters.py:5-6) and polish (:8-9)." in claim


VANS = {
    "pyproject.toml": (
        '[project]\nname = "vans"\n\n[tool.coverage]\nrun.crew = true\n\n[tool.vans]\ncrew = 3\n'
    ),
    "vans/options.py": (
        "from vans import crew\n\nDEFAULT_CREW = 2\n\n\n"
        "def add_options(parser):\n"
        '    parser.add_argument("--crew", type=int, default=DEFAULT_CREW, help="how many load a van")\n'
    ),
    "vans/crew.py": "def drive(options):\n    return options.crew\n",
}


def test_a_key_below_the_heading_of_another_program_sets_nothing_and_an_import_mentions_nothing() -> None:
    report = Asked(VANS).ask("Where is the number of people in a van set? (crew, DEFAULT_CREW)")
    assert "pyproject.toml:8" in report.claim
    assert "pyproject.toml:5" not in report.claim
    assert not [one for one in report.findings if one.path == "vans/options.py" and one.start_line == 1]


STAMPS = {
    "depot/stamps.py": (
        "def stamp_parcel(\n    parcel,\n    ink,\n    press,\n    size,\n    day,\n    month,\n    year,\n"
        "    colour,\n    place,\n):\n"
        '    """Stamp a parcel\n    with the day and\n    the place, unless it is stamped.\n    """\n'
        "    if parcel.is_stamped:\n        return parcel\n    return press.stamp(parcel, ink, day, place)\n"
    ),
    "depot/carriers.kt": (
        "class Carrier {\n  /** Take no more. */\n  fun noMoreParcels() {\n"
        "    listener.noMoreParcels(this)\n  }\n}\n\n"
        "class Listener {\n  fun noMoreParcels(carrier: Carrier) {}\n}\n\n"
        "class Depot {\n  fun close() {\n    carrier.noMoreParcels()\n  }\n}\n"
    ),
}


def test_the_first_sentence_of_a_docstring_below_a_long_head_is_told_whole() -> None:
    claim = Asked(STAMPS).ask("How is a parcel stamped? (stamp_parcel)").claim
    assert '"Stamp a parcel with the day and the place, unless it is stamped."' in claim


def test_of_what_calls_an_unparsed_name_what_has_it_too_comes_last() -> None:
    claim = Asked(STAMPS).ask("Who calls noMoreParcels on a carrier? (noMoreParcels, Carrier)").claim
    assert "is called by name in Depot.close" in claim


PRESSES = {
    "depot/presses.py": (
        "def run_presses(press, no_test, ignore_errors):\n    if no_test:\n        exit_code = Outcome.OK\n"
        "    else:\n        status = run_stamps(press, 'before', ignore_errors)\n"
        "        if status == Outcome.OK or ignore_errors:\n"
        "            status = run_stamps(press, 'stamps', ignore_errors)\n        exit_code = status\n"
        "    return exit_code  # the first that is not zero\n\n\n"
        "def run_stamps(press, key, ignore_errors):\n    for stamp in press.list(key):\n"
        "        done = press.stamp(stamp)\n        if done.failed and not ignore_errors:\n"
        "            return done.code\n    return Outcome.OK\n"
    ),
}


@pytest.mark.parametrize(
    "asked", ["What happens when the first exits with zero?", "What happens when a test exits?"]
)
def test_one_word_or_a_test_for_absence_makes_no_branch_the_event(asked: str) -> None:
    claim = Asked(PRESSES).ask(f"{asked} (ignore_errors, run_presses, Outcome, exit_code)").claim
    assert "leads to" not in claim


def test_a_condition_on_a_guessed_name_of_errors_is_not_taken_for_the_test_of_one() -> None:
    claim = Asked(PRESSES).ask("How does a press run its stamps? (run_presses, ignore_errors)").claim
    assert "`if status == Outcome.OK or ignore_errors` → " in claim


GATES = {
    "depot/gate.py": (
        "def open_gate(gate, van):\n    lamp = light(gate)\n    pass_ = read_pass(van)\n    if pass_.old:\n"
        "        return gate.call_guard(lamp)\n    lift_bar(gate, van)\n    return gate.close(lamp)\n\n\n"
        "def light(gate):\n    gate.lamp.on()\n    gate.bell.ring()\n    return gate.lamp\n\n\n"
        "def read_pass(van):\n    card = van.card\n    card.turn()\n    return card.read()\n\n\n"
        "def lift_bar(gate, van):\n    gate.bar.lift()\n    van.go()\n    return gate.bar\n\n\n"
        "def let_in(depot):\n    for van in depot.vans:\n        open_gate(depot.gate, van)\n"
    ),
}


def test_beside_the_best_what_the_question_names_is_told_and_no_other_that_it_calls() -> None:
    claim = Asked(GATES).ask("How does a gate let a van through? (open_gate, read_pass, lift_bar)").claim
    assert "It calls gate.lift_bar (depot/gate.py:22-25) and gate.read_pass (:16-19)." in claim
    assert "gate.light" not in claim
    assert "let_in" not in claim


def test_what_the_question_itself_names_counts_as_guessed() -> None:
    asked = "How does open_gate know what light is on? (open_gate, read_pass, lift_bar)"
    assert "gate.light" in Asked(GATES).ask(asked).claim


TUBES = {
    "src/Tube.php": (
        "<?php\n\nclass Tube\n{\n    public function close($parcel)\n    {\n"
        "        if ($parcel->isOpen()) {\n            return false;\n        }\n"
        "        if ($this->cap === null) {\n            return $this->borrowCap($parcel);\n        }\n"
        "        return true;\n    }\n}\n"
    ),
    "src/setup.py": "def install():\n    return 1\n",
}


def test_how_a_function_decides_is_told_of_a_language_without_a_parser_too() -> None:
    claim = Asked(TUBES).ask("How does a tube close with a parcel? (close, cap, borrowCap)").claim
    assert "It decides: `if ($parcel->isOpen())` → `return false;` (src/Tube.php:7)" in claim
    assert "`if ($this->cap === null)` → `return $this->borrowCap($parcel);` (:10)" in claim


SORTERS = {
    "depot/sorter.py": (
        "def sort_parcel(card, belts):\n    heavy = card.weight > belts.limit\n"
        "    if card.name is None:\n        return belts.lost\n"
        "    if card.place is None:\n        return belts.found\n"
        "    if card.day is None:\n        return belts.late\n"
        "    if heavy:\n        return belts.floor\n    return belts.next(card)\n"
    ),
}


def test_a_condition_is_told_for_the_words_of_what_gives_its_value() -> None:
    claim = Asked(SORTERS).ask("On which belt does the weight of a parcel put it? (sort_parcel, limit)").claim
    assert "`if heavy` → `return belts.floor` (" in claim


RACKS = {
    "depot/rack.py": (
        "class Rack:\n    def __call__(self, parcel):\n        def put_aside(shelf):\n"
        "            if shelf.full and parcel.heavy:\n                return shelf.under(parcel)\n"
        "            if shelf.full and parcel.light:\n                return shelf.above(parcel)\n"
        "            return shelf.put(parcel)\n\n"
        "        return self.each(put_aside)\n"
    ),
}


def test_what_a_function_inside_the_best_decides_is_told_once() -> None:
    claim = (
        Asked(RACKS).ask("How does a rack put a heavy parcel on a full shelf? (Rack, put_aside, shelf)").claim
    )
    assert claim.count("`if shelf.full and parcel.heavy`") == 1


ROUTES = {
    "depot/routes.py": (
        "def route_parcel(parcel, map):\n    if not map.routes:\n        return None\n"
        "    if parcel.route is None:\n        return None\n    note = map.find(parcel)\n"
        "    if not shares_country(parcel, note):\n        note.remove('stamp')\n    return note\n\n\n"
        "def shares_country(parcel, note):\n    return parcel.country == note.country\n"
    ),
}


def test_a_branch_with_a_guessed_name_is_told_beside_early_exits() -> None:
    asked = "What happens when a route leads abroad? (route_parcel, shares_country)"
    claim = Asked(ROUTES).ask(asked).claim
    assert "`if not shares_country(parcel, note)` → `note.remove('stamp')` (:7)" in claim


LIDS = {
    "depot/lids.py": (
        "def close_box(box):\n    for lid in box.lids:\n        if not fits_rim(lid, box):\n"
        "            return box.call(lid)\n        lid.press(box)\n    return box\n\n\n"
        "def fits_rim(lid, box):\n    return lid.edge == box.edge\n"
    ),
    "depot/covers.py": "".join(
        f"def cover_box_{at}(box, cover):\n    if box.closed:\n        return cover.large\n"
        f"    cover.turn({at})\n    box.cover = cover\n    return box\n\n\n"
        for at in range(14)
    ),
}


def test_a_short_function_of_a_guessed_name_is_shown_if_a_good_one_decides_by_it() -> None:
    asked = "How is a box closed when its cover is too large? (close_box, fits_rim)"
    report = Asked(LIDS).ask(asked)
    assert [one.excerpt for one in report.findings if one.name == "fits_rim" and not one.hop]


VANS_NEXT = {
    "depot/vans.go": (
        "package depot\n\nfunc (d *Depot) Less(i, j int) bool {\n"
        "\treturn d.vans[i].deadline < d.vans[j].deadline\n}\n\n"
        "func (d *Depot) nextVan() *Van {\n\tif len(d.vans) == 0 {\n\t\treturn nil\n\t}\n"
        "\tvan := heap.Pop(d).(*Van)\n\td.now = van.deadline\n\theap.Push(d, van)\n\treturn van\n}\n\n"
        "func (d *Depot) park(v *Van) {\n\td.lock.Lock()\n\tv.deadline = d.now + 1/v.load\n"
        "\td.lock.Unlock()\n}\n"
    ),
}


def test_what_sets_a_guessed_field_and_what_decides_by_it_is_shown() -> None:
    report = Asked(VANS_NEXT).ask("How is the next van picked? (nextVan, deadline)")
    shown = {one.name: one.excerpt for one in report.findings if not one.hop}
    assert "return d.vans[i].deadline < d.vans[j].deadline" in shown["Less"]
    assert "v.deadline = d.now + 1/v.load" in shown["park"]


PRESS = {
    "tools.js": (
        "import depot from './depot.js'\n\n"
        "const {\n  Press,\n  Stamp,\n  getPress,\n  getStamp,\n} = depot\n\n"
        "export { depot as default, Press, Stamp, getPress, getStamp }\n"
    ),
    "presses.js": (
        "import flat from './flat.js'\n\nexport function getPress(name) {\n  const press = flat[name]\n"
        "  if (!press) throw new Error(`no press ${name}`)\n  return press\n}\n"
    ),
}


def test_names_that_are_taken_out_of_an_object_are_no_table_to_which_one_is_added() -> None:
    claim = Asked(PRESS).ask("Where would I add another press? (getPress, Press)").claim
    assert "Add an entry" not in claim


MARKS = {
    "depot/marks.py": (
        "from typing import Protocol\n\n\nclass MarkerProtocol(Protocol):\n"
        "    def mark(self, parcel): ...\n\n\n"
        "class Marker:\n    def mark(self, parcel):\n        return parcel.number\n"
    ),
    "depot/desk.py": (
        "from depot.marks import MarkerProtocol\n\n\nclass Desk:\n"
        "    def __init__(self, marker: MarkerProtocol):\n        self.marker = marker\n\n"
        "    def hand_over(self, parcel):\n        return self.marker.mark(parcel)\n"
    ),
}


def test_what_may_reach_a_method_through_a_protocol_is_told_and_shown() -> None:
    report = Asked(MARKS).ask("Who calls Marker.mark?")
    assert "through MarkerProtocol.mark (depot/marks.py:5), perhaps called by Desk.hand_over" in report.claim
    shown = cut_report(report, count_shown(report)).result["findings"]
    assert [one["excerpt"] for one in shown if one["symbol"] == "Desk.hand_over"]
