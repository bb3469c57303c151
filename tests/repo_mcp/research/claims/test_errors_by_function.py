"""The errors of what a question only describes: whose they are, and those of all that do the same."""

from __future__ import annotations

from tests.repo_mcp.research.asking import Asked

ROOM = "".join(f"    int place{number} = {number};\n" for number in range(60))  # the type is no function
COURIER = ROOM.join(
    (
        "class {0}Courier implements Courier {{\n",
        "    public void sendParcel(Parcel parcel) throws Exception {{\n"
        '        throw new {0}Exception("no way by {0}");\n    }}\n}}\n',
    )
)
DESK = (
    f"class Desk {{\n{ROOM}    private Carrier carrier;\n\n"
    "    void sendParcel(Parcel parcel) {\n"
    '        if (parcel.heavy()) {\n            throw new HeavyException("far too heavy");\n        }\n'
    "        carrier.sendLargeParcel(parcel);\n    }\n\n"
    "    void weighSentParcel(Parcel parcel) {\n"
    '        throw new ScaleException("parcel off the scale");\n    }\n}\n'
)
TEXTS = {
    "src/Courier.java": "interface Courier {\n    void sendParcel(Parcel parcel) throws Exception;\n}\n",
    "src/AirCourier.java": COURIER.format("Air"),
    "src/SeaCourier.java": COURIER.format("Sea"),
    "src/Desk.java": DESK,
    "src/Carrier.java": "interface Carrier {\n    void sendLargeParcel(Parcel parcel);\n}\n",
    "src/BaseCarrier.java": (
        "class BaseCarrier implements Carrier {\n    public void sendLargeParcel(Parcel parcel) {\n"
        '        throw new LargeException("out of room");\n    }\n}\n'
    ),
}


def test_errors_are_told_of_all_that_do_what_is_asked() -> None:
    claim = Asked(TEXTS).ask("Which errors can I get when I send a parcel? (sendParcel)").claim
    for told in (
        'in AirCourier.sendParcel (src/AirCourier.java:62-64): AirException "no way by Air" (:63). ',
        'In SeaCourier.sendParcel (src/SeaCourier.java:62-64): SeaException "no way by Sea" (:63). ',
        'In Desk.sendParcel (src/Desk.java:64-69): HeavyException "far too heavy" (:66). ',
        'In BaseCarrier.sendLargeParcel (src/BaseCarrier.java:2-4): LargeException "out of room" (:3). ',
    ):
        assert told in claim
    assert " Exception" not in claim  # what a head says that it may throw


def test_other_functions_that_fail_are_said_to() -> None:
    claim = Asked(TEXTS).ask("Which errors can I get when I send a parcel? (sendParcel)").claim
    assert ". Others arise in Desk.weighSentParcel (src/Desk.java:71-73)." in claim


def test_a_function_so_long_that_it_may_fail_for_anything_is_no_other_one() -> None:
    head = "    void weighSentParcel("
    before, _, body = DESK.partition(head)
    signature, brace, rest = body.partition("{\n")
    long = "".join((before, head, signature, brace, "        note();\n" * 160, rest))
    claim = (
        Asked({**TEXTS, "src/Desk.java": long})
        .ask("Which errors can I get when I send a parcel? (sendParcel)")
        .claim
    )
    assert "HeavyException" in claim
    assert "Others arise" not in claim


WORKER = f"""class Worker
{{
{ROOM}    public void RunParcel(Parcel parcel)
    {{
        if (parcel == null) throw new ArgumentNullException(nameof(parcel));
        Run(parcel);
    }}
}}
"""
RUNNER = f"""class Runner
{{
{ROOM}    static void HandleRunningParcel(Exception error)
    {{
        if (error is Cancelled)
        {{
            throw new ParcelAbortedException("stopped on its way");
        }}
        throw error;
    }}
}}
"""


def test_the_refusal_of_a_missing_argument_is_no_error_of_what_is_described() -> None:
    asked = Asked({"src/Worker.cs": WORKER, "src/Runner.cs": RUNNER})
    claim = asked.ask("Which errors can come out of running a parcel? (RunParcel)").claim
    assert "in Runner.HandleRunningParcel (src/Runner.cs:63-70): ParcelAbortedException" in claim
    assert "ArgumentNullException" not in claim
    assert "ArgumentNullException (src/Worker.cs:65" in asked.ask("Which errors can RunParcel raise?").claim


def test_neither_the_name_of_a_function_nor_what_is_logged_is_an_error() -> None:
    text = (
        "package post\n\nfunc (m Sorter) SortWithError(parcel *Parcel) error {\n"
        '\tlog.Warn("parcel has no label", zap.Error(parcel.fault))\n'
        '\treturn errors.New("cannot sort parcel")\n}\n'
    )
    claim = Asked({"post/sorter.go": text}).ask("Which errors does SortWithError return?").claim
    assert 'Errors that arise here: "cannot sort parcel" (post/sorter.go:5).' in claim
    assert "sorter.go:3)" not in claim.partition(". ")[0]
    assert "no label" not in claim


PLACES = "".join(f"  PLACE{number} = {number}\n" for number in range(60))  # as above
DEPOT_RB = f"""class Depot
{PLACES}
  def store_parcel(parcel)
    raise DepotFull, "no room for a parcel" if @full
    check_parcel(parcel)
    @parcels << parcel
  end

  def check_parcel(parcel)
    raise ParcelTooHeavy, "the parcel is too heavy" if parcel.heavy?
    keep(parcel)
  end

  def configure_parcels(conf)
    # a parcel is stored into the depot
    raise ConfigError, "parcels are stored nowhere in the depot" unless conf
    raise ConfigError, "a depot of parcels has no name" unless conf.name
  end
end
"""


def test_where_no_parser_knows_calls_only_what_the_best_names_adds_errors() -> None:
    claim = Asked({"depot.rb": DEPOT_RB}).ask("Which errors can be raised while a parcel is stored?").claim
    assert "in Depot.store_parcel (depot.rb:63-67): DepotFull" in claim
    assert "In Depot.check_parcel (depot.rb:69-72): ParcelTooHeavy" in claim
    assert "ConfigError" not in claim


def test_a_function_named_after_an_error_is_none() -> None:
    text = (
        "class Sorter {\n    void SortParcelError(Parcel parcel) {\n        _events.OnSortError(parcel);\n"
        '        throw new LabelException("no label found");\n    }\n}\n'
    )
    claim = Asked({"Sorter.cs": text}).ask("Which errors can I get in SortParcelError?").claim
    assert claim.startswith('Errors that arise here: LabelException "no label found" (Sorter.cs:4).')


def test_the_base_of_an_error_may_stand_below_attributes_and_conditions() -> None:
    text = (
        "namespace Depot\n{\n    [Serializable]\n#if INSIDE\n    internal\n#else\n    public\n#endif\n"
        "    class LabelException : Exception\n    {\n    }\n    class Sorter\n    {\n"
        '        void SortParcel(Parcel parcel)\n        {\n            throw new LabelException("no label");'
        "\n"
        "        }\n    }\n}\n"
    )
    claim = Asked({"Sorter.cs": text}).ask("Which errors can I get in SortParcel?").claim
    assert claim.startswith('Errors that arise here: LabelException "no label" (Sorter.cs:16).')


def test_the_type_that_a_function_returns_is_no_error_that_it_makes() -> None:
    text = (
        "pub fn sort_parcel<E: Into<BoxError>>(parcel: E) -> SortError {\n"
        "    if parcel.label() {\n        return throw_back(parcel);\n    }\n"
        '    panic!("no label found")\n}\n'
    )
    claim = Asked({"src/sorter.rs": text}).ask("Which errors does sort_parcel return?").claim
    assert 'Errors that arise here: panic "no label found" (src/sorter.rs:5).' in claim
    assert "BoxError" not in claim
    assert "SortError" not in claim


def test_of_many_functions_with_long_errors_the_last_are_only_named() -> None:
    kinds = ("first", "second", "third", "fourth")
    checks = "".join(
        f"    if parcel.{kind}_{name} is None or not parcel.{kind}_{name}.is_of_the_right_{kind}_size:\n"
        f'        raise ParcelError("the {kind} {name} of the parcel is not what was asked for at all")\n'
        for kind in ("old", "new", "odd")
        for name in ("NAME",)
    )
    text = "class ParcelError(Exception): ...\n\n\n" + "".join(
        f"def send_{kind}_parcel(parcel):\n{checks.replace('NAME', kind)}\n\n" for kind in kinds
    )
    claim = (
        Asked({"post.py": text}).ask("Which errors can sending a parcel raise and when? (ParcelError)").claim
    )
    told = [
        kind
        for kind in kinds
        if f"n post.send_{kind}_parcel (post.py:" in claim.partition("Others arise in ")[0]
    ]
    named = [
        kind
        for kind in kinds
        if f"post.send_{kind}_parcel (post.py:" in claim.partition("Others arise in ")[2]
    ]
    assert told
    assert named
    assert {*told, *named} == {*kinds}
    assert len(claim.partition("Others arise in ")[0]) < 1_300
