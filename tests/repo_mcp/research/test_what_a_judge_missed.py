"""Answers that a reader found partly right: what decides was cut, behind namesakes, or not followed."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from repo_mcp.bodies.body import Body
from repo_mcp.research.errors.lines import OF_ERROR, holds_error
from repo_mcp.research.findings.first_sentences import read_first_sentence
from repo_mcp.research.seeds.rated_seeds import OVERLOAD_LINES, _discount_overloads
from repo_mcp.research.seeds.seed import Seed
from repo_mcp.research.words.shown_lines import end_blocks
from tests.repo_mcp.research.asking import Asked, find_one, list_found

SORT = """def sort(parcel):
    depot = find_depot(parcel)
    if parcel.lost:
        # nobody waits for it
        report(parcel)
        drop(parcel)
    elif depot:
        weigh(parcel)
        label(parcel)
        load(parcel)
    return depot
"""


@pytest.mark.parametrize(
    ("chosen", "filled"),
    [
        ([1, 3], [1, 3, 5, 6]),  # a block of two lines, whatever its comment
        ([1, 3, 5], [1, 3, 5, 6]),
        ([1, 7], [1, 7, 8]),  # three lines are more: the first
        ([1, 7, 8], [1, 7, 8, 9, 10, 11]),  # two are left, and then the last
        ([1, 9], [1, 9, 10]),  # the last line stands below a condition that is not shown
        ([1, 5], [1, 5, 6]),
        ([2, 11], [2, 11]),
    ],
)
def test_the_rest_of_a_short_block_is_shown_with_its_condition(chosen: list[int], filled: list[int]) -> None:
    assert end_blocks(Body(SORT.splitlines(), 1, 11, 1, {}, frozenset({4})), chosen) == filled


COUNT = """def count(parcels):
    total = 0
    for parcel in parcels:
        if parcel.lost:
            total += 1
        else:
            note(parcel)
            total += count(parcel.inner)
            close(parcel)
            label(parcel)
    try:
        send_to_every_depot_that_has_room_for_more_parcels_of_the_same_size_and_kind(total)
        return total
    finally:
        close(total)
"""


@pytest.mark.parametrize(
    ("chosen", "filled"),
    [
        ([1, 8], [1, 8, 9, 10]),
        ([1, 6, 8], [1, 4, 5, 6, 8, 9, 10]),  # an `else` says little without its condition
        ([1, 4], [1, 4, 5]),
        ([1, 11], [1]),  # a `try` of which nothing is shown
    ],
)
def test_a_condition_is_shown_with_what_it_leads_to(chosen: list[int], filled: list[int]) -> None:
    assert end_blocks(Body(COUNT.splitlines(), 1, 15, 1, {}, frozenset()), chosen) == filled


@pytest.mark.parametrize(
    ("line", "is_error"),
    [
        ('level.Error(s.logger).Log("msg", "parcel lost")', False),
        ('logger.Error("parcel lost")', False),
        ('s.log().Error("parcel lost")', False),
        ('return 0, errors.Errorf("parcel %v lost", id)', True),
        ("\t\terr = ErrLost", True),
        ("\tparcel, err = nil, depot.ErrLost", True),
        ("\tif err == ErrLost {", False),
        ('return errors.Wrap(err, "read parcel")', True),
        ('return nil, status.Error(codes.NotFound, "no parcel")', True),
        ('level.Warn(s.logger).Log("err", errors.New("parcel lost"))', True),
    ],
)
def test_an_error_that_is_only_logged_does_not_arise(line: str, is_error: bool) -> None:
    assert holds_error(line) is is_error


MAPPERS = {
    "LoggingMapper.java": "abstract class LoggingMapper implements ExceptionMapper {\n"
    "    abstract void log();\n}\n",
    "JsonMapper.java": "class JsonMapper extends LoggingMapper {\n    void log() {\n        print(1);\n"
    "        print(2);\n        print(3);\n    }\n}\n",
    "EofMapper.java": "class EofMapper implements ExceptionMapper {\n    int status;\n}\n",
    "EmptyMapper.java": "class EmptyMapper implements ExceptionMapper {\n    int status;\n}\n",
    "Binder.java": "class Binder {\n    void configure() {\n        bind(JsonMapper.class);\n"
    "        bind(EofMapper.class);\n        bind(EmptyMapper.class);\n    }\n}\n",
    "Servlet.java": "class Servlet {\n    void addMimeMapping(String type) {\n"
    "        types.add(type);\n    }\n}\n",
}


def test_what_lists_a_kind_whose_base_is_elsewhere_is_found_by_the_names_of_its_types() -> None:
    report = Asked(MAPPERS).ask("Where would I add a new mapper?")
    assert find_one(report, "Binder.configure").why == "names 3 of the kind"
    assert "Binder.configure (Binder.java:2-6) lists existing ones." in report.claim


def test_what_adds_something_of_nearly_the_same_name_adds_none_of_a_known_kind() -> None:
    assert "addMimeMapping" not in Asked(MAPPERS).ask("Where would I add a new mapper?").claim


def test_members_of_one_name_in_several_types_leave_room_for_what_calls_them() -> None:
    body: Any = SimpleNamespace(line_count=OVERLOAD_LINES)
    seeds = [
        Seed(f"{owner}.py", body, name, f"{owner}.{name}", None, worth, "")
        for owner, name, worth in (
            ("peewee", "delete", 0.6),
            ("mongo", "delete", 0.5),
            ("actions", "run", 0.4),
            ("mongo", "delete", 0.45),  # an overload of the one before
        )
    ]
    found = [(one.full_name, round(one.worth, 3)) for one in _discount_overloads(seeds)]
    assert found == [
        ("peewee.delete", 0.6),
        ("mongo.delete", 0.45),
        ("actions.run", 0.4),
        ("mongo.delete", 0.35),
    ]


BROWSER = """def list_parcels(folder):
    folder = find_parcels_folder(folder)
    return [parcel for parcel in folder if parcel.listed]


def find_parcels_folder(folder):
    if not is_inside_depot(folder):
        raise LookupError(folder)
    return folder


def is_inside_depot(place):
    root = place.root
    return root.startswith("/depot")


def read_slip(slip):
    if not is_inside_depot(slip):
        slip = None
    return slip
"""


def test_what_a_refusal_depends_on_comes_behind_the_function_that_refuses() -> None:
    report = Asked({"browser.py": BROWSER}).ask("How is the folder of parcels found?")
    names = list_found(report)
    assert names.index("browser.is_inside_depot") < names.index("browser.read_slip")
    assert find_one(report, "browser.is_inside_depot").why == "called by find_parcels_folder"


def test_a_condition_that_only_has_the_letters_of_error_leaves_the_decision_to_what_it_calls() -> None:
    text = "def deliver_parcel(parcel):\n    depot = parcel.depot\n    if not is_preferred(parcel):\n"
    text += "        raise LookupError(parcel)\n    return depot\n\n\n"
    text += "def is_preferred(parcel):\n    mark = parcel.mark\n    return mark == 3\n"
    report = Asked({"depot.py": text}).ask("How is a parcel delivered?")
    assert list_found(report)[:2] == ["depot.deliver_parcel", "depot.is_preferred"]


@pytest.mark.parametrize("line", ["if err != nil {", "if readErr != nil {", "if (error) {", "if (ERR(x)) {"])
def test_a_test_of_an_error_decides_nothing(line: str) -> None:
    assert OF_ERROR.search(line)


@pytest.mark.parametrize("line", ["if (isDeferred(x)) {", "if !Overrides(x) {", "if (NOT_DEFERRED(x)) {"])
def test_letters_of_error_in_a_word_are_none(line: str) -> None:
    assert not OF_ERROR.search(line)


def test_what_only_calls_another_function_is_shown_with_that() -> None:
    text = "def weigh_parcel(parcel):\n    return put_on_scale(parcel)\n\n\n"
    text += "def put_on_scale(load):\n    load.rest()\n    return load.heft\n"
    report = Asked({"scale.py": text}).ask("How is a parcel weighed?")
    assert list_found(report)[:2] == ["scale.weigh_parcel", "scale.put_on_scale"]
    assert find_one(report, "scale.put_on_scale").why == "called by weigh_parcel"


def test_functions_of_one_name_of_compared_types_stand_side_by_side() -> None:
    text = "".join(
        f"class {kind}Depot:\n    def __init__(self):\n        self.parcels = []\n\n"
        f"    def take(self, parcel):\n        parcel.{verb}()\n        self.parcels.append(parcel)\n\n"
        f"    def count(self):\n        return {verb}ed(self.parcels)\n\n\n"
        for kind, verb in (("Local", "wrap"), ("Remote", "send"))
    )
    report = Asked({"depot.py": text}).ask("What is the difference between LocalDepot and RemoteDepot?")
    assert [one.symbol.removeprefix("depot.") for one in report.findings[:6]] == [
        "LocalDepot",
        "RemoteDepot",
        "LocalDepot.take",
        "RemoteDepot.take",
        "LocalDepot.count",
        "RemoteDepot.count",
    ]
    assert "parcel.wrap()" not in report.findings[0].excerpt
    assert "parcel.wrap()" in report.findings[2].excerpt


@pytest.mark.parametrize(
    ("lines", "first"),
    [
        (["function Show({ parcel }: Props) {", "  // Shows a parcel."], ""),
        (["def show(", "    parcel: Parcel,", "):", '    """Show a parcel."""'], "Show a parcel."),
        (["class Depot", "{", "    void Take()", "    {", "        // Takes a parcel."], ""),
        (["export default define({", "  take() {", "    // Takes a parcel."], ""),
        (["class Depot:", "    def take(self):", '        """Take a parcel."""'], ""),
        (["class Depot {", "  int count;", "  // Takes a parcel."], ""),
        (["// Takes a parcel."], ""),
    ],
)
def test_only_a_docstring_inside_is_about_a_declaration(lines: list[str], first: str) -> None:
    assert read_first_sentence(lines, {len(lines)}, 1) == first


def test_what_adds_many_of_a_kind_is_named() -> None:
    text = "class Category:\n    pass\n\n\n"
    text += "".join(
        f"class {kind}Category(Category):\n    def show(self):\n        pass\n\n\n" for kind in "ABC"
    )
    text += "def add_categories(items):\n    for item in items:\n        KNOWN.append(item)\n"
    report = Asked({"kinds.py": text}).ask("Where would I add a new category?")
    assert "kinds.add_categories (kinds.py:20-22) may do what is asked" in report.claim


def test_what_lists_a_kind_may_name_what_makes_its_types() -> None:
    files = {
        "filter.go": "package depot\n\ntype ParcelFilter interface {\n\tFilter(parcel string) bool\n}\n",
        "main.go": "package depot\n\nfunc run() []ParcelFilter {\n\treturn []ParcelFilter{\n"
        "\t\tNewLostFilter(),\n\t\tNewHeavyFilter(),\n\t\tNewLateFilter(),\n\t}\n}\n",
    }
    for kind in ("Lost", "Heavy", "Late"):
        files[f"{kind.lower()}.go"] = (
            f"package depot\n\ntype {kind}Filter struct {{\n\tname string\n}}\n\n"
            f"func New{kind}Filter() *{kind}Filter {{\n\treturn &{kind}Filter{{}}\n}}\n\n"
            f"func (f *{kind}Filter) Filter(parcel string) bool {{\n\treturn parcel == f.name\n}}\n"
        )
    report = Asked(files).ask("Where would I add a new filter for parcels?")
    assert "depot.run (main.go:3-9) lists existing ones." in report.claim


def test_the_base_of_another_kind_is_none_of_a_kind_with_types_of_its_own() -> None:
    text = "class Provider:\n    pass\n\n\n"
    text += "".join(
        f"class {kind}Provider(Provider):\n    def give(self):\n        return 1\n\n\n" for kind in "ABC"
    )
    asked = "Where would I add a new two-factor provider?"
    own = "class TwoFactorProvider:\n    name = ''\n"
    assert "Derive from provide.Provider" not in Asked({"provide.py": text, "own.py": own}).ask(asked).claim
    derived = "from provide import Provider\n\n\nclass TwoFactorProvider(Provider):\n    name = ''\n"
    assert "Derive from provide.Provider" in Asked({"provide.py": text, "own.py": derived}).ask(asked).claim


def test_a_kind_without_a_base_belongs_to_the_enumeration_of_its_types() -> None:
    kinds = "public enum TwoFactorProviderType {\n    Duo,\n    Mail,\n    Yubi,\n}\n"
    wiring = "class Wiring {\n    void Add() {\n"
    wiring += "".join(f"        Use(TwoFactorProviderType.{kind});\n" for kind in ("Duo", "Mail", "Yubi"))
    report = Asked({"TwoFactorProviderType.cs": kinds, "Wiring.cs": f"{wiring}    }}\n}}\n"}).ask(
        "Where would I add a new two-factor provider?"
    )
    assert report.claim.startswith("Add a member to TwoFactorProviderType (")
    assert "Wiring.Add (Wiring.cs:2-6) lists existing ones." in report.claim
