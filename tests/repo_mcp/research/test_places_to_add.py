"""Where one more of a kind is added: to an enumeration, a table, a base type, or beside functions like it."""

from __future__ import annotations

from tests.repo_mcp.research.asking import Asked

PIPES = {
    "src/pipes/types.ts": (
        "export interface Water { litres: number }\n\n"
        "export type FlowPipe<T> = (next: T) => T;\n\n"
        "export interface Pipe { label: string; href: string }\n"
    ),
    **{
        f"src/pipes/{name}Pipe.ts": (
            "import type { FlowPipe, Water } from './types';\n\n"
            f"export function {name}Pipe(litres: number): FlowPipe<Water> {{\n"
            "  const spare = litres - 1;\n"
            "  if (spare < 0) {\n    throw new Error('dry');\n  }\n"
            "  return (next) => ({ litres: next.litres - spare });\n}\n"
        )
        for name in ("copper", "clay", "leaky")
    },
}


def test_a_kind_of_functions_is_told_by_the_type_that_they_return() -> None:
    claim = Asked(PIPES).ask("where would I add a new clay pipe?").claim
    assert claim == (
        "Write a function that returns FlowPipe (src/pipes/types.ts:3)."
        " An example is clayPipe (src/pipes/clayPipe.ts:3-9)."
    )


def test_an_interface_from_which_nothing_derives_is_no_base() -> None:
    alone = {"src/pipes/types.ts": PIPES["src/pipes/types.ts"], "src/main.ts": "export function lay() {}\n"}
    assert "derive from" not in Asked(alone).ask("where would I add a new pipe?").claim


MODES = {
    "modes.py": (
        "from enum import Enum\n\n\nclass TrimMode(Enum):\n    NONE = 0\n    ENDS = 1\n    ALL = 2\n\n\n"
        "def add_value(values, value):\n    values.append(value)\n\n\n"
        "def trim(text, mode):\n    return text.strip() if mode is TrimMode.ENDS else text\n"
    ),
    "faults.py": (
        "from enum import Enum\n\n\nclass FaultKind(Enum):\n    LATE = 1\n    LOST = 2\n\n\n"
        "def name_fault(kind):\n    return 'lost' if kind is FaultKind.LOST else 'late'\n"
    ),
}


def test_a_value_for_an_enumeration_that_is_named_is_added_to_that() -> None:
    report = Asked(MODES).ask("where would I add a new value to TrimMode?")
    assert report.claim.startswith("Add a member to modes.TrimMode (modes.py:4-7).")
    assert "add_value" not in report.claim


def test_a_guessed_enumeration_of_kinds_takes_one_more() -> None:
    claim = (
        Asked(MODES)
        .ask("Where would I add another sort of trouble with parcels? (FaultKind, name_fault)")
        .claim
    )
    assert claim.startswith("Add a member to faults.FaultKind (faults.py:4-6).")


def test_a_guessed_base_must_have_what_the_new_one_is_said_to_be_like() -> None:
    wide = "".join(f"class {one}Store(Store):\n    size = 1\n\n\n" for one in ("Cold", "Dry", "Wet", "Old"))
    texts = {
        "stores.py": f"from abc import ABC\n\n\nclass Store(ABC):\n    def hold(self): ...\n\n\n{wide}",
        "carts.py": "".join(
            f"class {one}Cart({base}):\n    wheels = 2\n\n\n"
            for one, base in (("Base", "object"), ("Hand", "BaseCart"), ("Horse", "BaseCart"))
        ),
    }
    asked = "Where would I support a new vehicle, like those that a horse draws? (Store, BaseCart, HandCart)"
    claim = Asked(texts).ask(asked).claim
    assert claim.startswith("Derive from carts.BaseCart (carts.py:1-2).")


def test_an_object_of_functions_is_no_table() -> None:
    handler = "".join(
        f"  {name}(parcel) {{\n    return pack(\n      parcel,\n      1,\n      2,\n    );\n  }},\n"
        for name in ("open", "close")
    )
    texts = {
        "handlers.ts": (
            f"export const paperHandler = {{\n{handler}}};\n\n"
            "export function findParcelHandler(kind: string) {\n"
            "  if (kind === 'paper') {\n    return paperHandler;\n  }\n  return undefined;\n}\n"
        )
    }
    claim = Asked(texts).ask("Where would I add a new parcel handler? (findParcelHandler)").claim
    assert "findParcelHandler" in claim
    assert "table" not in claim


def test_what_registers_one_by_its_name_is_told_though_it_takes_another_type() -> None:
    derived = "".join(f"class {one}Dumper(Dumper):\n    size = 1\n\n\n" for one in ("Date", "Time", "Range"))
    texts = {
        "adapt.py": f"class Dumper:\n    def dump(self):\n        return 1\n\n\n{derived}",
        "maps.py": (
            "class Maps:\n    def register_dumper(self, kind, dumper):\n"
            "        self.known[kind] = dumper\n        self.count += 1\n"
        ),
    }
    claim = Asked(texts).ask("where would I add a new dumper?").claim
    assert "Maps.register_dumper (maps.py:2-4) registers it." in claim


TABLES = {
    f"{name}/table.go": f"package {name}\n\nvar {name.title()} = map[string]Call{{\n"
    + "".join(f'\t"{key}": one,\n' for key in ("scale", "shift", "turn"))
    + "}\n"
    for name in ("functions", "calls")
}


def test_guessed_tables_take_one_more() -> None:
    report = Asked(TABLES).ask("where do I add a new query function? (Functions, Calls)")
    assert report.claim == (
        "Add an entry to functions.Functions (functions/table.go:3-7) and calls.Calls (calls/table.go:3-7)."
    )


BACKENDS = """class Backend {
 public:
  Backend(const Backend&) = delete;
  virtual int poll() = 0;
};
class Epoll : public Backend {
  int poll() override {
    int found = 1;
    return found;
  }
};
class Select : public Backend {
  int poll() override {
    int found = 2;
    return found;
  }
};
"""


def test_a_copy_takes_none_of_the_kind_and_what_sets_a_guessed_factory_registers_one() -> None:
    question = "how do I add a new backend? (Backend, BackendFactory)"
    assert "can be given" not in Asked({"backend.h": BACKENDS}).ask(question).claim
    texts = {
        "backend.h": BACKENDS,
        "loop.h": "struct Options {\n  Options& setBackendFactory(BackendFactory factory) {\n"
        "    factory_ = factory;\n    return *this;\n  }\n};\n",
    }
    assert "Options.setBackendFactory (loop.h:2-5) registers it." in Asked(texts).ask(question).claim


def test_the_state_of_an_object_is_no_table() -> None:
    texts = {
        "lib/gate.js": """class Gate {
  constructor() {
    this.parts = {
      first: null,
      second: null,
      third: null,
    };
  }
  build(gate) {
    this.parts.first = gate.paintColor;
    this.parts.second = gate.lockKind;
    return [gate.openSide, this.parts];
  }
}
""",
    }
    report = Asked(texts).ask("where would I add a new gate option, e.g. gate.hinge?")
    assert "is a table" not in report.claim


COLOURS = {
    "paint/kinds.py": (
        "from enum import Enum\n\n\nclass WallPaintColour(Enum):\n"
        '    RED = "red"\n    SEA_GREEN = "sea_green"\n    BLUE = "blue"\n'
    ),
    "paint/prices.py": (
        "from paint.kinds import WallPaintColour\n\n"
        "PRICES = {\n    WallPaintColour.RED: 3,\n    WallPaintColour.SEA_GREEN: 4,\n"
        "    WallPaintColour.BLUE: 5,\n}\n"
    ),
    "paint/words.json": '{\n  "red": "Red",\n  "sea_green": "Sea green",\n  "blue": "Blue"\n}\n',
    "paint/translations/nl.json": '{\n  "sea_green": "Zeegroen"\n}\n',
    **{
        f"walls/wall{at}.py": (
            "from paint.kinds import WallPaintColour\n\n\n"
            "class Colour:\n    pass\n\n\n"
            f"class Colour{at}(Colour):\n    def paint(self):\n"
            "        return WallPaintColour.RED, WallPaintColour.BLUE\n"
        )
        for at in range(4)
    },
}


def test_an_enumeration_with_all_nouns_of_a_kind_is_its_base_rather_than_one_with_the_last() -> None:
    claim = Asked(COLOURS).ask("where do I add a new wall paint colour?").claim
    assert claim.startswith("Add a member to kinds.WallPaintColour (paint/kinds.py:4-7).")


def test_the_member_with_the_fewest_uses_shows_where_one_more_belongs() -> None:
    claim = Asked(COLOURS).ask("where do I add a new wall paint colour?").claim
    assert (
        "One of them, WallPaintColour.SEA_GREEN, occurs at paint/prices.py:5 and paint/words.json:3." in claim
    )


def test_the_name_of_a_member_is_no_expression() -> None:
    rows = "    int cost(Colour one) {\n        return one == Colour.SEA$GREEN ? 3 : 4;\n    }\n"
    texts = {
        "paint/Colour.java": "package paint;\n\npublic enum Colour {\n    RED,\n    SEA$GREEN,\n}\n",
        "paint/Prices.java": f"package paint;\n\nclass Prices {{\n{rows}}}\n",
    }
    claim = Asked(texts).ask("where do I add a new colour?").claim
    assert "One of them, Colour.SEA$GREEN, occurs at paint/Prices.java:5." in claim


def test_an_enumeration_that_has_only_the_last_noun_belongs_to_another_kind() -> None:
    tree = {
        "drivers/ata/legacy.c": "enum controller {\n\tBIOS = 0,\n\tSNOOP = 1,\n};\n",
        "cgroup/cgroup.c": "int cgroup_add_control(int group)\n{\n\treturn group + 1;\n}\n",
    }
    asked = Asked(tree)
    assert "Add a member" not in asked.ask("where would I add a new cgroup controller?").claim
    claim = asked.ask("where would I add a new ata controller?").claim
    assert claim.startswith("Add a member to controller (drivers/ata/legacy.c:1-4).")


def test_a_document_that_says_how_one_is_added_comes_first() -> None:
    tree = {
        "docs/calls.md": "# Adding a new system call\n\nEach system call has a number in the table.\n",
        "signal.c": "int restart_system_call(int call)\n{\n\treturn system_call(call);\n}\n",
    }
    claim = Asked(tree).ask("where would I add a new system call?").claim
    assert claim.startswith("How one is added is told in Adding a new system call (docs/calls.md:1-3).")
    assert "restart_system_call (signal.c:1-4)" in claim
    assert claim.count("docs/calls.md") == 1
