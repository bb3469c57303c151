"""What one more of a kind must define depends on the type from which it derives."""

from __future__ import annotations

from repo_mcp.graph.nodes import Node
from repo_mcp.graph.program import Declaration
from repo_mcp.research.findings.reasons import Role
from repo_mcp.research.kinds.open_members import is_required
from repo_mcp.symbols.symbol_record import Access, DeclaredSymbol, ParseStatus, SymbolFlag, SymbolKind
from tests.growth import BOUND, measure_growth
from tests.repo_mcp.research.asking import Asked, list_found

FILLER = "".join(f"    def step_{at}(self):\n        return self.walk({at})\n\n" for at in range(40))
STORES = (
    "class Store:\n    name = ''\n    colour = None\n\n"
    "    def load(self, key):\n        raise NotImplementedError\n\n"
    "    def tidy(self):\n        pass\n\n" + FILLER + "\n\n"
    "class BaseKeyedStore(Store):\n"
    "    def load(self, key):\n        return self.get(self.encode(key))\n\n"
    "    def get(self, key):\n        raise NotImplementedError\n\n\n"
    'class KeyedStore(BaseKeyedStore, Lock):\n    """Keeps values by keys."""\n\n\n'
)


def build_store(name: str, base: str = "KeyedStore", body: str = "return self.files[key]") -> str:
    return (
        f"class {name}Store({base}):\n    name = '{name}'\n\n    def get(self, key):\n        {body}\n\n"
        "    def tidy(self):\n        self.files = {}\n\n\n"
    )


TEXTS = {
    "stores.py": STORES
    + build_store("Null", body="return None").replace("self.files = {}", "pass")
    + "".join(map(build_store, ("File", "Cloud", "Disk")))
}
ASKS = "How do I write a custom store?"


def test_each_base_has_its_own_members_to_define() -> None:
    claim = Asked(TEXTS).ask(ASKS).claim
    assert claim.startswith("Derive from stores.Store (stores.py:1-")
    assert "as most do by way of stores.KeyedStore (stores.py:" in claim
    assert "What derives from Store itself must define load; what derives from KeyedStore, get." in claim
    assert "Most set name. Others also override tidy." in claim


def test_a_base_without_members_is_shown_with_the_one_that_has_them() -> None:
    report = Asked(TEXTS).ask(ASKS)
    assert list_found(report)[:3] == ["stores.Store", "stores.KeyedStore", "stores.BaseKeyedStore"]
    assert "raise NotImplementedError" in report.findings[2].excerpt


def test_what_most_set_is_shown_of_the_base() -> None:
    base = Asked(TEXTS).ask(ASKS).findings[0].excerpt
    assert "name = ''" in base
    assert "colour" not in base


def test_one_whose_members_do_nothing_is_no_example() -> None:
    assert "An example is stores.FileStore" in Asked(TEXTS).ask(ASKS).claim


def test_a_guessed_type_from_which_others_derive_is_no_example() -> None:
    claim = Asked(TEXTS).ask(f"{ASKS} (Store, KeyedStore)").claim
    assert "An example is stores.KeyedStore" not in claim


def test_an_interface_requires_what_it_includes_but_not_what_it_has_code_for() -> None:
    texts = {
        "store.go": "package store\n\ntype Getter interface {\n\tGet(key string) interface{}\n}\n\n"
        "type Store interface {\n\tGetter\n\tLoad(key string) error\n}\n\n"
        + "".join(
            f"type {name}Store struct{{}}\n\nfunc ({name}Store) Get(key string) interface{{}} {{\n"
            "\treturn find(key)\n}\n\n"
            f"func ({name}Store) Load(key string) error {{\n\treturn read(key)\n}}\n\n"
            for name in ("File", "Cloud", "Disk")
        )
    }
    report = Asked(texts).ask(ASKS)
    assert "You must define Load and Get." in report.claim
    assert [one.role for one in report.findings[:2]] == [Role.BASE, Role.BASE]
    java = {
        "Store.java": "interface Store {\n  String load(String key);\n\n"
        "  default void tidy() {\n    clear();\n  }\n}\n",
        **{
            f"{name}Store.java": f"class {name}Store implements Store {{\n"
            "  public String load(String key) {\n"
            "    return read(key);\n  }\n\n  public void tidy() {\n    drop();\n  }\n}\n"
            for name in ("File", "Cloud", "Disk")
        },
    }
    assert "You must define load. Others also override tidy." in Asked(java).ask(ASKS).claim
    csharp = {
        "IStore.cs": "interface IStore {\n  string Load(string key);\n"
        '  string Name(int size) => "plain";\n}\n',
        **{
            f"{name}Store.cs": f"class {name}Store : IStore {{\n"
            "  public string Load(string key) {\n"
            "    return Read(key);\n  }\n\n  public string Name(int size) {\n    return Title;\n  }\n}\n"
            for name in ("File", "Cloud", "Disk")
        },
    }
    assert "You must define Load. Others also override Name." in Asked(csharp).ask(ASKS).claim


def test_a_long_member_of_an_interface_is_read_in_linear_time() -> None:
    symbol = DeclaredSymbol(1, "Store", SymbolKind.INTERFACE, 0, 1, 3, SymbolFlag(0), Access.NONE, "", 0, "")
    base = Node("1", Declaration("Store.java", 1), "Store", "Store", "java", symbol, ParseStatus.FULL)
    member = DeclaredSymbol(2, "first", SymbolKind.PROPERTY, 1, 1, 1, SymbolFlag(0), Access.NONE, "", 0, "")

    def read(text: str) -> None:
        assert is_required([text], base, member)

    assert measure_growth(lambda size: f"first = new Store() {{{'){ a(' * size};", read, 60) < BOUND


def test_a_guessed_table_of_texts_lists_the_kind() -> None:
    names = ("File", "Cloud", "Disk")
    table = "".join(f"    '{name.lower()}': 'depot.stores:{name}Store',\n" for name in names)
    texts = TEXTS | {"known.py": f"STORE_ALIASES = {{\n{table}}}\n"}
    claim = Asked(texts).ask(f"{ASKS} (Store, STORE_ALIASES)").claim
    assert "known.STORE_ALIASES (known.py:1-5) lists existing ones." in claim


def test_what_only_raises_is_required_if_most_define_it() -> None:
    texts = {
        "stores.py": STORES.replace(
            "    def get(self, key):",
            "    def count(self, key):\n        raise NotImplementedError\n\n    def get(self, key):",
        )
        + "".join(map(build_store, ("File", "Cloud", "Disk")))
        + build_store("Counting").replace("def tidy", "def count")
    }
    assert "what derives from KeyedStore, get." in Asked(texts).ask(ASKS).claim


def test_a_guessed_type_without_members_is_no_example() -> None:
    texts = {"stores.py": TEXTS["stores.py"] + "class PlainStore(KeyedStore):\n    pass\n"}
    claim = Asked(texts).ask(f"{ASKS} (Store, PlainStore)").claim
    assert "An example is stores.FileStore" in claim


def test_what_embeds_another_with_the_members_is_no_example_in_go() -> None:
    texts = {
        "store.go": "package store\n\ntype Store interface {\n\tLoad(key string) error\n}\n\n"
        "type Depot struct {\n\tStore\n\tname string\n\tsize int\n\tplace int\n\tcolour int\n}\n\n"
        "func NewDepot(store Store) *Depot {\n\treturn &Depot{Store: store}\n}\n"
    }
    assert "An example" not in Asked(texts).ask(f"{ASKS} (Store, Load)").claim


def test_members_of_an_interface_that_only_interfaces_include_are_not_to_be_defined() -> None:
    own = "export interface Text {\n  least(size: number): this\n  most(size: number): this\n}\n\n"
    own += "export interface TextFormat extends Text {\n  format: string\n}\n\n"
    formats = "".join(
        f"export interface {name}Format extends TextFormat {{}}\n\n"
        f"export function make{name}Format(): {name}Format {{\n  return make('{name}')\n}}\n\n"
        for name in ("Date", "Mail", "Host")
    )
    asks = "Where would I add a new text format? (TextFormat)"
    assert "must define" not in Asked({"formats.ts": own + formats}).ask(asks).claim
    filled = "".join(
        f"export class {name}Format implements TextFormat {{\n  format = '{name}'\n\n"
        "  least(size: number) {\n    return this\n  }\n\n  most(size: number) {\n    return this\n  }\n}\n\n"
        for name in ("Date", "Mail", "Host")
    )
    assert "must define" in Asked({"formats.ts": own + filled}).ask(asks).claim
