"""How one writes a type of one's own: the base, what to override, one to copy, and what takes it."""

from __future__ import annotations

from repo_mcp.research.findings.reasons import Role
from tests.repo_mcp.research.asking import Asked, list_found

FILLER = "".join(f"    private int count{at} = {at};\n" for at in range(60))
SINK = (
    "public abstract class Sink\n{\n" + FILLER + "    public void Begin() { Open(); }\n"
    "    private void Check() { }\n"
    "    protected virtual void Open()\n    {\n    }\n"
    "    protected virtual void Write(Entry entry)\n    {\n        Fail(entry);\n    }\n"
    "    protected virtual void Write(Entry[] entries)\n    {\n        foreach (var one in entries)\n"
    "            Write(one);\n    }\n"
    "    protected string RenderEntry(Entry entry)\n    {\n        return entry.Text;\n    }\n}\n"
)


def build_sink(name: str, mark: str = "", lines: int = 2) -> str:
    body = "".join(f"        Put({at}, RenderEntry(entry));\n" for at in range(lines))
    return (
        f'{mark}[Sink("{name}")]\npublic class {name}Sink : Sink\n{{\n'
        f"    protected override void Write(Entry entry)\n    {{\n{body}    }}\n}}\n"
    )


SINKS = {
    "Sinks/Sink.cs": SINK,
    "Sinks/SinkAttribute.cs": "public class SinkAttribute : Attribute\n{\n"
    "    public SinkAttribute(string name) { }\n}\n",
    "Sinks/EntryFileSink.cs": build_sink("EntryFile", lines=30),
    "Sinks/PlainSink.cs": build_sink("Plain", lines=4),
    "Sinks/OldSink.cs": build_sink("Old", '[Obsolete("Use PlainSink.")]\n'),
    "Log.cs": "public class Log\n{\n    private void WriteToSinks(Entry entry)\n    {\n"
    "        foreach (var sink in sinks)\n            sink.Take(entry);\n    }\n}\n",
    "Setup.cs": "public static class Setup\n{\n"
    "    public static void RegisterSink<T>(string name) where T : Sink, new()\n    {\n"
    "        RegisterSink<T>(() => new T(), name);\n    }\n"
    "    public static void RegisterSink<T>(Func<T> make, string name) where T : Sink\n    {\n"
    "        if (name == null)\n            name = typeof(T).Name;\n"
    "        Known.Types[name] = make;\n    }\n}\n",
    "Parser.cs": "public class Parser\n{\n    private Sink CreateSink(string name)\n    {\n"
    "        return Known.Types[name]();\n    }\n}\n",
}
ASKS_SINK = "How do I write a custom sink? (Sink, RenderEntry, SinkAttribute)"


def test_what_is_written_is_a_type_and_the_verb_names_no_function() -> None:
    claim = Asked(SINKS).ask(ASKS_SINK).claim
    assert claim.startswith(
        "Derive from Sink (Sinks/Sink.cs:1-81). Others override Write."
        " An example is PlainSink (Sinks/PlainSink.cs:1-11)."
        " Setup.RegisterSink (Setup.cs:7-12) registers it."
    )
    assert "WriteToSinks" not in claim


def test_what_the_claim_names_are_the_first_findings_in_its_order() -> None:
    report = Asked(SINKS).ask(ASKS_SINK)
    roles = [one.role for one in report.findings[:3]]
    assert roles == [Role.BASE, Role.MODEL, Role.REGISTERS]


def test_a_long_base_shows_the_heads_of_what_is_overridden() -> None:
    base = Asked(SINKS).ask(ASKS_SINK).findings[0].excerpt
    assert "class Sink" in base
    assert "void Write(Entry entry)" in base
    assert "count7" not in base
    assert "Check()" not in base


def test_a_long_model_shows_the_member_that_it_overrides() -> None:
    fields = "".join(f"    public int Size{at} {{ get; set; }}\n" for at in range(60))
    texts = {
        path: text.replace("    protected override", f"{fields}    protected override")
        for path, text in SINKS.items()
    }
    report = Asked(texts).ask(ASKS_SINK)
    model = next(one for one in report.findings if one.role is Role.MODEL)
    assert "override void Write(Entry entry)" in model.excerpt
    assert "Size7" not in model.excerpt


KEEPERS = {
    "src/keeper.ts": "export interface Keeper {\n  save(text: string): void;\n  load(): string;\n}\n",
    "src/old.ts": "import { Keeper } from './keeper';\n\n/**\n * @deprecated Use createFileKeeper.\n */\n"
    "export function createMemoryKeeper(): Keeper {\n  let held = '';\n  return {\n"
    "    save: (text) => {\n      held = text;\n    },\n    load: () => held,\n  };\n}\n",
    "src/file.ts": "import { Keeper } from './keeper';\n\n"
    "export function createFileKeeper(path: string): Keeper {\n  return {\n"
    "    save: (text) => {\n      write(path, text);\n    },\n    load: () => read(path),\n  };\n}\n",
}


def test_an_interface_that_few_functions_return_comes_first_and_no_deprecated_one_is_copied() -> None:
    report = Asked(KEEPERS).ask(
        "How do I write a custom keeper to save text elsewhere? (Keeper, createMemoryKeeper)"
    )
    assert report.claim.startswith(
        "Write a function that returns Keeper (src/keeper.ts:1-4)."
        " An example is createFileKeeper (src/file.ts:3-10)."
    )
    assert list_found(report)[:2] == ["Keeper", "createFileKeeper"]


def test_an_interface_that_nothing_returns_or_implements_is_no_base() -> None:
    texts = {**KEEPERS, "src/old.ts": "", "src/file.ts": "export function keep(): void {\n  run();\n}\n"}
    assert "A new one" not in Asked(texts).ask("How do I write a custom keeper?").claim


def test_a_base_of_python_tells_what_is_overridden() -> None:
    names = ("Air", "Rail", "Sea")
    texts = {
        "carriers.py": "from abc import ABC, abstractmethod\n\n\nclass Carrier(ABC):\n"
        '    @abstractmethod\n    def carry(self, parcel):\n        """Take it."""\n\n'
        "    def stop(self):\n        pass\n\n"
        "    def _weigh(self, parcel):\n        return parcel.weight\n\n\n"
        + "".join(
            f"class {name}Carrier(Carrier):\n    def carry(self, parcel):\n        parcel.move()\n"
            f"        parcel.stamp()\n        return self._weigh(parcel)\n{'    def stop(self):'}\n"
            "        self.end()\n\n\n"
            for name in names
        ),
        "depot.py": "def implement_carrier_rules(rules):\n    return sorted(rules)\n",
    }
    claim = Asked(texts).ask("How do I implement my own carrier?").claim
    assert claim.startswith("Derive from carriers.Carrier (carriers.py:4-13).")
    assert "You must define carry. Others also override stop. An example is carriers.AirCarrier" in claim
    assert "implement_carrier_rules" not in claim


def test_a_trait_and_an_interface_come_first() -> None:
    rust = {
        "src/lib.rs": "pub trait Sorter {\n    fn sort(&self, rows: &mut Vec<Row>);\n}\n"
        + "".join(
            f"pub struct {name}Sorter;\n\nimpl Sorter for {name}Sorter {{\n"
            "    fn sort(&self, rows: &mut Vec<Row>) {\n        rows.sort();\n        rows.trim();\n"
            "    }\n}\n"
            for name in ("Size", "Name", "Date")
        )
    }
    java = {
        "Sorter.java": "public interface Sorter {\n    void sort(List<Row> rows);\n}\n",
        **{
            f"{name}Sorter.java": f"public class {name}Sorter implements Sorter {{\n    @Override\n"
            "    public void sort(List<Row> rows) {\n        rows.sort();\n        rows.trim();\n    }\n}\n"
            for name in ("Size", "Name", "Date")
        },
    }
    for texts in (rust, java):
        report = Asked(texts).ask("How do I write a custom sorter?")
        assert report.findings[0].role is Role.BASE
        assert report.findings[1].role is Role.MODEL
        assert "You must define sort." in report.claim


def test_a_section_on_building_one_tells_how() -> None:
    texts = {
        **KEEPERS,
        "docs/keepers.md": "# Keepers\n\nText about keepers.\n\n## Building A Keeper\n\n"
        "Return an object with save and load.\n",
    }
    found = Asked(texts).ask("How do I write a custom keeper?").findings
    assert [one.role for one in found[:3]] == [Role.RETURNED, Role.MODEL, Role.TELLS_HOW]


def test_the_method_of_a_model_that_stands_outside_it_is_shown() -> None:
    texts = {
        "go.mod": "module example.org/app\n",
        "sort/sort.go": "package sort\n\ntype Sorter interface {\n\tSort(rows []string) []string\n}\n",
        **{
            f"sort/{name}.go": f"package sort\n\ntype {name}Sorter struct {{\n\tlimit int\n\tname  string\n"
            f"\tgroup string\n\tfirst bool\n}}\n\nfunc (s *{name}Sorter) Sort(rows []string) []string {{\n"
            "\treturn rows[:s.limit]\n}\n"
            for name in ("Size", "Name", "Date")
        },
    }
    report = Asked(texts).ask("How do I write a custom sorter?")
    assert list_found(report)[:3] == ["sort.Sorter", "sort.DateSorter", "sort.DateSorter.Sort"]
    assert "An example is sort.DateSorter (sort/Date.go:3-8)." in report.claim


GUARDS = {
    "IGuard.cs": "public interface IGuard\n{\n    bool Admits(Guest guest);\n}\n",
    "Guard.cs": "public abstract class Guard : IGuard\n{\n    public string Label { get; set; }\n"
    "    public virtual string Name(Guest guest) => guest.Name;\n"
    "    public abstract bool Admits(Guest guest);\n}\n",
    **{
        f"{name}Guard.cs": f"public class {name}Guard : Guard\n{{\n"
        f"    public override string Name(Guest guest)\n    {{\n        return Label;\n    }}\n"
        f"    public override bool Admits(Guest guest)\n    {{\n"
        f"        return guest.{name} == Label;\n    }}\n}}\n"
        for name in ("City", "Door", "Gate")
    },
    "House.cs": "public class House\n{\n    private List<IGuard> guards;\n\n"
    "    public bool Open(Guest guest)\n    {\n        foreach (IGuard guard in guards)\n"
    "            if (!guard.Admits(guest))\n                return false;\n        return true;\n    }\n}\n",
}
ASKS_GUARD = "How do I write a custom guard? (Guard, IGuard, Admits)"


def test_what_calls_an_overridden_member_is_shown_with_the_call() -> None:
    report = Asked(GUARDS).ask(ASKS_GUARD)
    calling = next(one for one in report.findings if one.role is Role.CALLS_KIND)
    assert "if (!guard.Admits(guest))" in calling.excerpt
    assert "House.Open (House.cs:5-11) calls Admits." in report.claim


def test_abstract_members_come_first_and_properties_are_settings() -> None:
    assert "You must define Admits. Others also override Name." in Asked(GUARDS).ask(ASKS_GUARD).claim


def test_further_types_of_a_kind_are_listed_beside_the_findings() -> None:
    report = Asked(GUARDS).ask(ASKS_GUARD)
    others = ("DoorGuard", "GateGuard", "DoorGuard.Admits", "GateGuard.Admits")
    assert not set(list_found(report)).intersection(others)
    listed = " ".join(place for one in report.groups for place in one.places)
    assert "DoorGuard" in listed
    assert "GateGuard" in listed


def test_what_calls_a_member_of_a_returned_interface_is_shown() -> None:
    texts = {
        **KEEPERS,
        "src/session.ts": "import { Keeper } from './keeper';\n\n"
        "export function endSession(keeper: Keeper, text: string): void {\n"
        "  if (text) {\n    keeper.save(text);\n  }\n}\n",
    }
    claim = Asked(texts).ask("How do I write a custom keeper? (Keeper, createFileKeeper)").claim
    assert "endSession (src/session.ts:3-7) calls save." in claim


def test_a_call_that_may_lead_anywhere_counts_if_its_line_names_the_kind() -> None:
    texts = {
        "carriers.py": "class Carrier:\n    def haul(self, parcel):\n        raise NotImplementedError\n\n\n"
        + "".join(
            f"class {name}Carrier(Carrier):\n    def haul(self, parcel):\n        parcel.move()\n"
            "        parcel.stamp()\n        parcel.weigh()\n        return True\n\n\n"
            for name in ("Air", "Rail", "Sea")
        ),
        "depot.py": "def send(carriers, parcel):\n    for carrier in carriers:\n"
        "        if carrier.haul(parcel):\n            return carrier\n\n\n"
        "class Crane:\n    def haul(self, parcel):\n        self.hook(parcel)\n\n\n"
        "def lift(crane, parcel):\n    return crane.haul(parcel)\n",
    }
    report = Asked(texts).ask("How do I write a custom carrier?")
    assert "depot.send (depot.py:1-4) calls haul." in report.claim


def test_what_takes_several_of_a_kind_is_where_one_is_given() -> None:
    files = {
        "Sorters/ISorter.cs": "public interface ISorter { }\n"
        "public interface ISorter<T> : ISorter\n{\n    int Sort(T one, T other);\n}\n",
        **{
            f"Sorters/{name}Sorter.cs": f"public class {name}Sorter : ISorter<{name}>\n{{\n"
            f"    public int Sort({name} one, {name} other) {{ return one.Rank - other.Rank; }}\n}}\n"
            for name in ("Box", "Bag", "Can")
        },
        "Depot.cs": "public class Depot\n{\n"
        "    public Depot(ISorter first) { }\n"
        "    public static Depot Create(params ISorter[] sorters) { return Create(sorters, true); }\n"
        "    public static Depot Create(IList<ISorter> sorters, bool strict)\n    {\n"
        "        if (sorters == null)\n            throw new Exception();\n"
        "        return new Depot(sorters[0]);\n    }\n}\n",
    }
    report = Asked(files).ask("How do I write a custom sorter? (ISorter)")
    taking = [one for one in report.findings if one.role is Role.TAKES_ONE]
    assert [(one.symbol, one.start_line) for one in taking] == [("Depot.Create", 5)]


def test_a_table_whose_entries_only_use_the_kind_lists_none_of_it() -> None:
    kinds = ("Short", "Long", "Wide", "Thin")
    types = "class Type:\n    def bind(self, value):\n        raise NotImplementedError\n\n\n" + "".join(
        f"class {one}(Type):\n    def bind(self, value):\n        return ({at}, value)\n\n\n"
        for at, one in enumerate(kinds)
    )
    users = "from types_ import *\n\nCOLUMNS = [\n"
    users += "".join(f'    Column("{one}_{at}", {one}),\n' for one in kinds for at in range(3)) + "]\n"
    files = {"types_.py": types, "catalog.py": users}
    report = Asked(files).ask("How do I write a custom type? (Type, bind)")
    assert not any(one.role is Role.LISTS for one in report.findings)
    files["catalog.py"] = f"from types_ import *\n\nTYPES = [{', '.join(kinds)}]\n"
    report = Asked(files).ask("How do I write a custom type? (Type, bind)")
    assert [one.symbol for one in report.findings if one.role is Role.LISTS] == ["catalog.TYPES"]


def test_a_long_base_shows_what_only_raises_and_the_model_its_settings() -> None:
    steps = "".join(f"        self.note({at}, 'a step of the rite')\n" for at in range(40))
    base = (
        "class Press:\n    #: The name of the press.\n    name = ''\n\n"
        f"    def run(self):\n{steps}\n"
        '    def fold(self, sheet):\n        """Fold a sheet."""\n        raise NotImplementedError\n\n'
        "    def tidy(self):\n        pass\n\n\n"
    )
    presses = "".join(
        f"class {name}Press(Press):\n    name = '{name.lower()}'\n\n"
        f"    def fold(self, sheet):\n        return sheet.{name.lower()}()\n\n"
        f"    def tidy(self):\n        self.wipe()\n\n    def help(self):\n{steps}\n\n"
        for name in ("Hand", "Steam", "Screw")
    )
    report = Asked({"press.py": base + presses}).ask("How do I write a custom press? (Press)")
    assert "You must define fold. Most set name. Others also override tidy." in report.claim
    shown = {one.role: one.excerpt for one in report.findings}
    assert "raise NotImplementedError" in shown[Role.BASE]
    assert "name = '" in shown[Role.MODEL]
    assert "a step of the rite" not in shown[Role.BASE] + shown[Role.MODEL]
