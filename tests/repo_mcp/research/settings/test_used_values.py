"""What stands behind the names of shown lines is quoted beside them, where it is set."""

from __future__ import annotations

import pytest

from repo_mcp.research.findings.records import ResearchRequest, RunControl
from repo_mcp.research.findings.research_state import ResearchState
from repo_mcp.research.settings.given_values import begins_value, find_value, tells_value
from repo_mcp.research.settings.traced_values import trace_value
from tests.growth import assert_linear
from tests.repo_mcp.research.asking import Asked

RETRIES = """from limits import DEFAULT_ATTEMPTS

BACKOFF_SECONDS = (1, 5, 30)


class Courier:
    def __init__(self, config, attempts=DEFAULT_ATTEMPTS):
        self.attempts = attempts
        self.pause = config.get("COURIER_PAUSE_SECONDS")
        self.tried = 0
        self.parcels = []

    def deliver_again(self, parcel):
        for seconds in BACKOFF_SECONDS:
            if self.tried >= self.attempts:
                raise CourierGaveUp(parcel, self.parcels)
            self.tried += 1
            self.wait(self.pause, seconds)
        return parcel.is_delivered(self.tried)

    def wait(self, pause, seconds):
        if pause:
            sleep(pause + seconds)
        return None
"""
LIMITS = '''DEFAULT_ATTEMPTS = 7
COURIER_PAUSE_SECONDS = 90
NOTE = """Many lines
of text."""
'''
FILES = {"courier.py": RETRIES, "limits.py": LIMITS}
QUESTION = "When is a parcel delivered again? (courier, attempts, pause, backoff, tried)"


def list_values(files: dict[str, str], question: str) -> dict[str, tuple[str, ...]]:
    report = Asked(files).ask(question)
    return {one.symbol.rpartition(".")[2]: one.values for one in report.findings if one.values}


def test_what_a_limit_a_list_and_a_key_stand_for_is_quoted() -> None:
    values = list_values(FILES, QUESTION)
    assert values == {
        "deliver_again": ("limits.py\n2:COURIER_PAUSE_SECONDS = 90",),
        "Courier": ("limits.py\n1:DEFAULT_ATTEMPTS = 7",),
    }


def test_a_field_that_a_condition_reads_is_quoted_where_its_own_type_sets_it() -> None:
    code = (
        "def note(meta):\n    meta.gates = [one.gate for one in meta.rows]\n\n\n"
        "class Crate:\n    def __init__(self):\n        self.gates = {'none'}\n\n\n"
        "class Guard:\n    def __init__(self, person):\n        if person.is_active:\n"
        "            self.gates = {\n                # As the rules of the person name them, which others\n"
        "                # have given, for each gate on the way\n                one.gate.name\n"
        "                for one in find_rules(person)\n                if one.is_open\n            }\n\n"
        "    def may_pass(self, gate):\n        if gate is None:\n            return False\n"
        "        return gate.name in self.gates\n"
    )
    (quoted,) = list_values({"guards.py": code}, "How is it decided who may pass? (Guard.may_pass, gates)")[
        "may_pass"
    ]
    assert quoted.split("\n")[1:] == [
        "13:self.gates = {",
        "16:    one.gate.name",
        "17:    for one in find_rules(person)",
        "18:    if one.is_open",
    ]


def test_an_argument_of_what_is_made_in_a_table_is_quoted_only_if_it_is_a_literal() -> None:
    files = {"courier.py": RETRIES}
    for value, is_quoted in (("Option(type='int')", False), ("90", True)):
        table = (
            f"DEFAULTS = Namespace(\n    gate=Namespace(\n        COURIER_PAUSE_SECONDS={value},\n    ),\n)\n"
        )
        quoted = list_values(files | {"defaults.py": table}, QUESTION).get("deliver_again", ())
        assert any("defaults.py" in one for one in quoted) is is_quoted


def test_what_changes_has_no_value() -> None:
    quoted = "\n".join(text for own in list_values(FILES, QUESTION).values() for text in own)
    assert "self.tried" not in quoted
    assert "self.parcels" not in quoted


def test_no_line_is_quoted_twice() -> None:
    quoted = [
        line
        for own in list_values(FILES, f"{QUESTION} And how long is waited?").values()
        for text in own
        for line in text.split("\n")[1:]
    ]
    assert len(quoted) == len(set(quoted))


def test_a_setting_in_a_table_is_quoted_with_its_first_lines() -> None:
    options = """package options

var table = map[string]option{
\t"PARCEL_ATTEMPTS": {
\t\tvalue: 7,
\t\tcheck: atLeastOne,
\t},
}

func Attempts() int {
\treturn table["PARCEL_ATTEMPTS"].value
}
"""
    courier = """package courier

import "example.org/post/options"

func DeliverAgain(parcel Parcel) error {
\tfor tried := range 9 {
\t\tif tried >= options.Attempts() {
\t\t\treturn giveUp(parcel)
\t\t}
\t}
\treturn nil
}
"""
    files = {"go.mod": "module example.org/post\n", "options/all.go": options, "courier/courier.go": courier}
    found = list_values(files, "When is a parcel that fails given up? (deliver again, give up)")
    assert found["DeliverAgain"] == (
        'options/all.go\n4:"PARCEL_ATTEMPTS": {\n5:\tvalue: 7,\n6:\tcheck: atLeastOne,',
    )


@pytest.mark.parametrize(
    ("name", "line", "value"),
    [
        ("LIMIT", "    LIMIT = 10  # at most", "10  # at most"),
        ("LIMIT", "#define LIMIT 10", "10"),
        ("limit", "pub(crate) const limit: usize = 64;", "64;"),
        ("limit", "  limit: 20,", "20,"),
        ("limit", '    "limit": 20,', "20,"),
        ("Limit", "public virtual int Limit => 3;", "3;"),
        ("Limit", "public int Limit { get; set; } = 3;", "3;"),
        ("_limit", "    self._limit: int = limit", "limit"),
        ("limit", "  private limit: number,", ""),
        ("limit", "  mode: 'limit' | 'none',", ""),
        ("limit", "if (limit == 3) {", ""),
        ("limit", "if oven.limit != LIMIT {", ""),
        ("limit", "call(first, limit: 3)", ""),
    ],
)
def test_a_line_gives_a_value_to_the_name_with_which_it_begins(name: str, line: str, value: str) -> None:
    assert find_value(name, line) == value


def test_what_is_made_to_hold_others_has_no_value() -> None:
    assert not begins_value("new Queue<Parcel>(1000);")
    assert begins_value("new int[] {1, 2};")


@pytest.mark.parametrize(
    ("value", "tells"),
    [
        ("10 * time.Second", True),
        ("Duration.ofSeconds(5);", True),
        ('{"zip": Zip,', True),
        ("given or 5", True),
        ("attempt => attempt * base", True),
        ("limit", False),
        ("new Queue()", False),
        ("result.time - 1", False),
        ("mean(times, 2)", False),
        ("new Queue<Parcel>(1000);", False),
        ("Vec::with_capacity(16);", False),
        ("dict, init=False", False),
        ("10, init=False", True),
    ],
)
def test_a_value_tells_something_if_it_is_made_of_literals(value: str, tells: bool) -> None:
    assert tells_value(value) is tells


def test_a_key_in_a_shown_line_leads_to_its_row() -> None:
    sender = """def send_parcel(table, sent)
    limit = table.fetch("PARCEL_LIMIT")
    if sent >= limit:
        raise Refused(sent)
    return sent + 1
"""
    values = list_values(
        {"options.py": 'ROWS = {\n    "OTHER": 3,\n    "PARCEL_LIMIT": 12,\n}\n', "sender.py": sender},
        "When is a parcel refused? (send_parcel, limit)",
    )
    assert values["send_parcel"] == ('options.py\n3:"PARCEL_LIMIT": 12,',)


TOKENS = "public enum Tokens {\n    ParcelName = 4,\n    ParcelWeight = 26,\n}\n"
LABELS = 'public class Labels {\n    public string ParcelName = "none";\n}\n'
DEFAULTS = 'public class ParcelDefaults {\n    public string ParcelName = "box";\n}\n'


@pytest.mark.parametrize(
    ("name", "others", "traced"),
    [
        ("Parcel.ParcelName", {"Tokens.cs": TOKENS, "Labels.cs": LABELS}, []),
        ("Kind.ParcelWeight", {"Tokens.cs": TOKENS}, []),
        ("Parcel.ParcelName", {"Labels.cs": LABELS, "Defaults.cs": DEFAULTS}, [("Defaults.cs", 2)]),
    ],
)
def test_a_member_of_the_same_name_elsewhere_gives_no_value(
    name: str, others: dict[str, str], traced: list[tuple[str, int]]
) -> None:
    files = {
        "Parcel.cs": "public class Parcel {\n    public string ParcelName { get; set; }\n}\n",
        "Kind.cs": "public enum Kind {\n    ParcelWeight,\n}\n",
    }
    control = RunControl(lambda: False)
    source = Asked(files | others).open_source()
    state = ResearchState(source, ResearchRequest("parcel"), control, wants_tests=False)
    places = trace_value(state, state.graph.choose(name))
    assert [(one.path, one.first) for one in places] == traced


def test_blanks_between_the_signs_of_a_statement_are_read_in_linear_time() -> None:
    assert_linear(
        lambda size: f"name :{' ' * size}\n{' ' * size}|{' ' * size}",
        lambda text: find_value("name", text),
        100,
    )


FAILS = """class ParcelDelay(Exception):
    hours_left: int | None = None


def carry_again(parcel, error):
    if isinstance(error, ParcelDelay) and error.hours_left is not None:
        return min(error.hours_left, 9)
    return None
"""


@pytest.mark.parametrize(
    "other",
    [
        "DEFAULT_HOURS = 4\n\n\ndef ring(bell):\n    hours_left = bell.read()\n    if hours_left is None:\n"
        "        hours_left = DEFAULT_HOURS\n    return hours_left\n",
        "USUAL_HOURS = 48\n\n\nclass ParcelDelayBell:\n    hours_left = USUAL_HOURS\n",
    ],
)
def test_a_variable_or_a_member_of_an_unrelated_type_elsewhere_gives_no_value(other: str) -> None:
    files = {"post/carrier.py": FAILS, "bells/ring.py": other}
    values = list_values(
        files, "How long until a parcel is carried again after a delay? (hours_left, ParcelDelay)"
    )
    assert "bells/ring.py" not in str(values)


@pytest.mark.parametrize(
    ("path", "text"),
    [
        (
            "post.ts",
            "export interface Parcel {\n  kindOfBox: string\n}\n\nexport function wrap(given) {\n"
            "  const {\n    kindOfBox = 'all',\n  } = given\n  return kindOfBox\n}\n",
        ),
        (
            "keep.ts",
            "export interface Parcel {\n  kindOfBox: (box: Box) => void\n}\n\nexport function wrap(given) {\n"
            "  const kindOfBox: Kind = {\n    given,\n    at: 3,\n  }\n  return kindOfBox\n}\n",
        ),
        (
            "post.py",
            "class Parcel:\n    kindOfBox: str\n\n\ndef wrap(given):\n    kindOfBox = 'all'\n"
            "    return given(kindOfBox)\n",
        ),
        (
            "Post.cs",
            'public class Parcel {\n    public static readonly Parcel kindOfBox = new Parcel("all", 4);\n}\n',
        ),
    ],
)
def test_neither_a_variable_of_a_function_nor_an_instance_of_its_own_type_gives_a_value(
    path: str, text: str
) -> None:
    source = Asked({path: text}).open_source()
    state = ResearchState(source, ResearchRequest("box"), RunControl(lambda: False), wants_tests=False)
    assert trace_value(state, state.graph.choose("Parcel.kindOfBox")) == []


def test_a_method_gives_a_value_to_a_member_of_its_type() -> None:
    text = "class Parcel {\n    int kindOfBox;\n\n    Parcel() {\n        kindOfBox = 47;\n    }\n}\n"
    source = Asked({"Parcel.java": text}).open_source()
    state = ResearchState(source, ResearchRequest("box"), RunControl(lambda: False), wants_tests=False)
    places = trace_value(state, state.graph.choose("Parcel.kindOfBox"))
    assert [(one.path, one.first) for one in places] == [("Parcel.java", 5)]
