"""Comparisons of a name with a description, and of functions that hand on to others of their name."""

from __future__ import annotations

from repo_mcp.research.findings.records import Form
from tests.repo_mcp.research.asking import Asked

ROUTES = {
    "routes.py": "def merge_routes(tables):\n    joined = {}\n    for table in tables:\n"
    "        joined.update(table)\n    return build_table(joined)\n\n\n"
    "def build_table(nested):\n    table = {}\n    for key, route in nested.items():\n"
    "        if isinstance(route, dict):\n            table[key] = build_table(route)  # nested in another\n"
    "        else:\n            table[key] = route\n    return table\n",
    "other.py": "def show_menu(menu):\n    for item in menu:\n        print(item)\n",
}
QUERY = "What is the difference between merge_routes and nesting one table in another?"


def test_the_half_that_is_only_described_is_looked_for_by_its_words() -> None:
    report = Asked(ROUTES).ask(QUERY)
    assert report.reading.form is Form.DIFFERENCE
    assert report.claim.startswith(
        "routes.merge_routes is declared at routes.py:1-5."
        ' "nesting one table in another" is no name here, and was looked for by its words:'
        " routes.build_table (routes.py:8-15) "
    )
    assert report.claim.endswith("merge_routes calls build_table (routes.py:5).")
    assert [one.name for one in report.findings[:2]] == ["merge_routes", "build_table"]


def test_a_described_half_that_no_file_has_is_said_to_be_missing() -> None:
    query = "What is the difference between merge_routes and frobnicating zygotes?"
    claim = Asked(ROUTES).ask(query).claim
    assert claim.endswith(
        '"frobnicating zygotes" is no name here, and was looked for by its words: nothing fits them.'
    )


CLIENTS = {
    "core/client.ts": "export class Client {\n  refresh() {\n    this.mark();\n    this.load();\n  }\n"
    "  reset() {\n    this.clear();\n    this.load();\n  }\n"
    "  mark() {}\n  clear() {}\n  load() {}\n}\n",
}
WRAPPED = {
    "wrap/client.ts": "export class Wrapper {\n  refresh() {\n    this.unwrap();\n"
    "    this.inner.refresh();\n  }\n"
    "  reset() {\n    this.inner.reset();\n  }\n  unwrap() {}\n}\n",
}


def test_functions_that_hand_on_to_others_of_their_name_are_not_told_apart_by_calls() -> None:
    claim = Asked(WRAPPED).ask("what is the difference between Wrapper.refresh and Wrapper.reset?").claim
    assert "Only" not in claim


def test_functions_of_different_folders_are_not_told_apart_by_calls() -> None:
    claim = Asked({**CLIENTS, **WRAPPED}).ask("difference between Client.refresh and Wrapper.unwrap?").claim
    assert "Only" not in claim


def test_what_only_one_of_two_functions_calls_is_told() -> None:
    claim = Asked(CLIENTS).ask("what is the difference between Client.refresh and Client.reset?").claim
    assert "Only Client.refresh calls Client.mark (core/client.ts:3)." in claim
    assert "Only Client.reset calls Client.clear (core/client.ts:7)." in claim


def test_a_comment_that_repeats_the_name_is_not_quoted() -> None:
    files = {"tables.py": "# Merge tables.\ndef merge_tables(tables):\n    return tables\n"}
    claim = Asked(files).ask("what is merge_tables?").claim
    assert claim.startswith("tables.merge_tables is declared at tables.py:2-3.")


READERS = {
    "readers.py": (
        "class Plain:\n    def open(self):\n        return 1\n\n    def read(self):\n        return 2\n\n\n"
        "class Quick:\n    def read(self):\n        return quickly(self)\n\n\n"
        "class QuickPlain(Quick, Plain):\n    size = 3\n\n\n"
        "class Other:\n    def read(self):\n        return Plain().read()\n\n\n"
        "def quickly(one):\n    return one\n"
    )
}


def test_a_type_that_derives_from_the_other_is_said_to_and_what_it_overrides() -> None:
    claim = Asked(READERS).ask("what is the difference between QuickPlain and Plain?").claim
    assert claim.endswith(
        "readers.QuickPlain derives from readers.Plain and overrides read (readers.py:10-11)."
    )
    assert "derives" not in Asked(READERS).ask("what is the difference between Other and Plain?").claim


def test_of_overloads_the_one_that_does_the_work_is_compared() -> None:
    texts = {
        "shop/Order.cs": (
            "class Order {\n  static Order Parse(string text) {\n    return Parse(text, null);\n  }\n"
            "  static Order Parse(string text, object rules) {\n    return Load(text);\n  }\n"
            "  static Order Load(string text) {\n    return new Order();\n  }\n}\n"
        ),
        "shop/Item.cs": (
            "class Item {\n  static Item Parse(string text) {\n    return Load(text);\n  }\n"
            "  static Item Load(string text) {\n    return new Item();\n  }\n}\n"
        ),
    }
    claim = Asked(texts).ask("what is the difference between Order.Parse and Item.Parse?").claim
    assert claim.endswith(
        "Only Order.Parse calls Order.Load (shop/Order.cs:6)."
        " Only Item.Parse calls Item.Load (shop/Item.cs:3)."
    )


def test_a_described_difference_is_that_of_two_guessed_types_if_one_derives_from_the_other() -> None:
    asked = "What is the difference between the way that saves time while fetching text and the usual one?"
    compared = Asked(READERS).ask(f"{asked} (QuickPlain, Plain, read)")
    assert [one.asked for one in compared.reading.subjects] == ["QuickPlain", "Plain"]
    apart = Asked(READERS).ask(f"{asked} (Quick, Plain, read)")
    assert apart.reading.form is Form.OPEN


def test_a_namesake_of_another_type_and_many_calls_hide_no_difference() -> None:
    steps = "".join(f"        step_{at}(box)\n" for at in range(8))
    files = {
        "depot.py": "from steps import *\n\n\nclass Executor:\n"
        "    def __init__(self, box):\n        self.box = box\n\n\n"
        "class Query:\n    def discard(self):\n        return 1\n\n\n"
        "class Depot:\n    def drop(self, box):\n        return Executor(box)\n\n"
        "    def make(self) -> Query:\n        return Query()\n\n"
        "    def discard(self, box):\n        query: Query = self.make()\n        return query.discard()\n\n"
        f"    def clear(self, box):\n{steps}",
        "steps.py": "".join(f"def step_{at}(box):\n    return box\n\n\n" for at in range(8)),
    }
    claim = Asked(files).ask("What is the difference between Depot.drop and Depot.discard?").claim
    assert "Only Depot.drop calls depot.Executor (depot.py:16)." in claim
    assert "Only Depot.discard calls Depot.make (depot.py:22) and Query.discard (:23)." in claim
    asked = "What is the difference between Depot.drop and Depot.clear? (steps.step_7)"
    assert "Only Depot.clear calls steps.step_7 (depot.py:33)." in Asked(files).ask(asked).claim


STORES = {
    "src/Store.cs": "public class Store\n{\n"
    + "".join(
        f"    public Session {name}(string tenant)\n    {{\n        return {name}(new Options\n        {{\n"
        f"            Tenant = tenant, Level = Level.Read\n        }});\n    }}\n\n"
        f"    public Session {name}(Level level)\n    {{\n"
        f"        return {name}(new Options {{ Level = level }});\n    }}\n\n"
        f"    public Session {name}(Options options)\n    {{\n        options.Tracking = Tracking.{kind};\n"
        f"        return Open(options);\n    }}\n\n"
        for name, kind in (("LightSession", "None"), ("WatchedSession", "All"))
    )
    + "    private Session Open(Options options)\n    {\n        return new Session(options);\n    }\n}\n",
    "docs/sessions.md": "# Sessions\n\nThere are LightSession and WatchedSession.\n\n"
    "| Made by | Tracks |\n| --- | --- |\n"
    "| `Store.OldSession` | No |\n| `Store.LightSession` | No |\n| `Store.WatchedSession` | Yes |\n",
}
SESSIONS = "What is the difference between LightSession and WatchedSession?"


def test_of_overloads_the_one_that_does_the_work_is_shown() -> None:
    report = Asked(STORES).ask(SESSIONS)
    shown = [one.excerpt for one in report.findings if one.why.startswith("what ")]
    assert len(shown) == 2
    assert all("options.Tracking = Tracking." in one for one in shown)


def test_a_table_that_has_a_row_for_each_is_shown() -> None:
    report = Asked(STORES).ask(SESSIONS)
    table = next(one for one in report.findings if one.path == "docs/sessions.md")
    assert table.why == "a table in the documentation has both"
    assert "`Store.WatchedSession` | Yes" in table.excerpt
    assert "OldSession" not in table.excerpt


def test_functions_that_differ_in_one_statement_are_told_apart_by_it_and_come_first() -> None:
    report = Asked(STORES).ask(f"{SESSIONS} (Options, Session)")
    assert (
        "Only Store.LightSession runs `options.Tracking = Tracking.None` (src/Store.cs:18)." in report.claim
    )
    assert (
        "Only Store.WatchedSession runs `options.Tracking = Tracking.All` (src/Store.cs:37)." in report.claim
    )
    assert "Open(" not in report.claim
    assert [one.symbol for one in report.findings[:2]] == ["Store.LightSession", "Store.WatchedSession"]


def test_what_only_one_function_sets_is_told_under_whichever_name_the_value_comes() -> None:
    text = (
        "def prepare(row, value):\n    row.held = value\n    for one in row:\n        one.check()\n"
        "    if row.late:\n        row.columns.append(7)\n    log(row)\n    return row\n\n\n"
        "def update(row, values):\n    row.held = values\n    return run(row)\n"
    )
    claim = Asked({"rows.py": text}).ask("What is the difference between prepare and update?").claim
    assert "Only rows.prepare runs `one.check()` (rows.py:4) and `row.columns.append(7)` (:6)." in claim
    assert "row.held" not in claim


def test_a_literal_is_no_name_of_a_value_and_what_is_converted_or_sent_is_not_changed() -> None:
    text = (
        "function prepare(row, value) {\n  row.held = value;\n  row.names.push(value);\n"
        "  row.convert(value);\n  row.send(value);\n  row.check();\n  row.look();\n}\n\n"
        "function update(row) {\n  row.held = undefined;\n  row.run();\n}\n"
    )
    claim = Asked({"rows.js": text}).ask("What is the difference between prepare and update?").claim
    assert "prepare runs `row.held = value` (rows.js:2) and `row.names.push(value)` (:3)." in claim
    assert "update runs `row.held = undefined` (rows.js:11)." in claim


DESKS = """public interface IDesk
{
    /// <summary>Open a desk that forgets.</summary>
    Desk OpenLight(Options options);

    /// <summary>Open a desk that remembers all.</summary>
    Desk OpenFull(Options options);
}
"""
DESK_HALL = """public class DeskHall : IDesk
{
    public Desk OpenLight(Options options)
    {
        return new Desk(options);
    }

    public Desk OpenFull(Options options)
    {
        return new Desk(options.WithMemory());
    }
}
"""


def test_the_comment_on_an_interface_is_told_of_what_implements_it() -> None:
    asked = Asked({"IDesk.cs": DESKS, "DeskHall.cs": DESK_HALL})
    claim = asked.ask("What is the difference between OpenLight and OpenFull?").claim
    assert claim.startswith(
        "DeskHall.OpenLight (DeskHall.cs:3-6): Open a desk that forgets."
        " DeskHall.OpenFull (DeskHall.cs:8-11): Open a desk that remembers all."
    )


def test_the_comment_on_a_namesake_is_said_to_be_its_own() -> None:
    other = 'class Ledger:\n    def keep(self):\n        """Keep a page of the ledger."""\n        return 1\n'
    own = "class Drawer:\n    def keep(self):\n        return 2\n\n    def drop(self):\n        return 3\n"
    claim = Asked({"b.py": other, "a.py": own}).ask("What is the difference between keep and drop?").claim
    assert claim.startswith(
        'Drawer.keep (a.py:2-3); the comment on Ledger.keep (b.py:2-4) says: "Keep a page of the ledger."'
    )
