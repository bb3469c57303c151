"""Names of languages with declared types, in small repositories: where each leads, and how sure that is."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from repo_mcp.graph.program import Confidence, Declaration
from repo_mcp.languages.capture_parsers import PARSERS
from repo_mcp.symbols.symbol_record import Reference, ReferenceRole
from tests.repo_mcp.graph.each_resolver import EachResolver
from tests.repo_mcp.graph.memory_program import MemoryProgram


class Case:
    """A repository in memory, asked for what stands in its lines."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        self.program = MemoryProgram(texts, PARSERS)
        self.resolver = EachResolver(self.program)

    def name(self, declaration: Declaration) -> str:
        record = self.program.find_record(declaration.path)
        assert record is not None
        names, ordinal = [], declaration.ordinal
        while ordinal:
            names.append(record.get_symbol(ordinal).name)
            ordinal = record.get_symbol(ordinal).parent
        return ":".join(filter(None, (declaration.path, ".".join(reversed(names)))))

    def ask(self, path: str, name: str, role: ReferenceRole = ReferenceRole.CALL, line: int = 0) -> list[str]:
        """Return targets of the uses of a name in a file, with the confidence; what is outside after "!"."""
        record = self.program.find_record(path)
        assert record is not None
        found: list[str] = []
        for row in record.find_references(name):
            reference = record.get_reference(row)
            if reference.role is role and line in {0, reference.line}:
                resolution = self.resolver.resolve(path, record, reference)
                found += [f"{self.name(one.declaration)} {one.confidence}" for one in resolution.targets]
                found += [f"!{resolution.external}"] if resolution.external else []
        return found


USE, TYPE, IMPORT = ReferenceRole.USE, ReferenceRole.TYPE, ReferenceRole.IMPORT


# Go

GO = {
    "go.mod": "module example.org/app\n",
    "main.go": (
        "package main\n"
        'import (\n\t"fmt"\n\tst "example.org/app/store"\n)\n'
        "func main() {\n"
        "\ts := st.Open(1)\n"
        "\ts.Save(helper())\n"
        "\ts.Base.Close()\n"
        "\ts.Flush()\n"
        "\tfmt.Println(st.Limit)\n"
        "\tfor _, one := range s.Items {\n\t\tone.Show()\n\t}\n"
        "\tvar x st.Store\n\tx.Save(2)\n"
        "\tunknown.Save(3)\n"
        "}\n"
    ),
    "other.go": "package main\nfunc helper() int { return 1 }\n",
    "store/store.go": (
        "package store\n"
        "const Limit = 3\n"
        "type Base struct{}\n"
        "func (b *Base) Close() {}\nfunc (b *Base) Flush() {}\n"
        "type Item struct{}\n"
        "func (i Item) Show() {}\n"
        "type Store struct {\n\t*Base\n\tItems []Item\n}\n"
        "func Open(n int) (*Store, error) { return &Store{}, nil }\n"
    ),
    "store/save.go": "package store\nfunc (s *Store) Save(n int) { s.sync() }\nfunc (s *Store) sync() {}\n",
    "decoy/store.go": "package decoy\nfunc Open(n int) int { return n }\nfunc helper() {}\n",
}


@pytest.fixture(scope="module")
def go() -> Case:
    return Case(GO)


def test_go_function_of_an_imported_package(go: Case) -> None:
    assert go.ask("main.go", "Open") == ["store/store.go:store.Open exact"]


def test_go_function_of_another_file_of_the_package(go: Case) -> None:
    assert go.ask("main.go", "helper") == ["other.go:main.helper exact"]


def test_go_method_of_what_a_call_gives(go: Case) -> None:
    assert go.ask("main.go", "Save", line=8) == ["store/save.go:store.Store.Save exact"]


def test_go_method_of_a_declared_variable(go: Case) -> None:
    assert go.ask("main.go", "Save", line=16) == ["store/save.go:store.Store.Save exact"]


def test_go_only_method_of_a_name(go: Case) -> None:
    assert go.ask("main.go", "Save", line=17) == ["store/save.go:store.Store.Save probable"]


def test_go_promoted_method(go: Case) -> None:
    assert go.ask("main.go", "Flush") == ["store/store.go:store.Base.Flush exact"]
    assert go.ask("main.go", "Close") == ["store/store.go:store.Base.Close exact"]


def test_go_item_of_a_field(go: Case) -> None:
    assert go.ask("main.go", "Show") == ["store/store.go:store.Item.Show exact"]


def test_go_receiver(go: Case) -> None:
    assert go.ask("store/save.go", "sync") == ["store/save.go:store.Store.sync exact"]


def test_go_outside(go: Case) -> None:
    assert go.ask("main.go", "Println") == ["!fmt.Println"]


def test_go_constant_and_import(go: Case) -> None:
    assert go.ask("main.go", "Limit", USE) == ["store/store.go:store.Limit exact"]
    record = go.program.find_record("main.go")
    assert record is not None
    rows = [record.get_reference(row) for row in record.list_role(IMPORT)]
    found = [go.resolver.resolve("main.go", record, row) for row in rows]
    assert found[0].external == "fmt"
    assert [one.declaration.path for one in found[1].targets] == ["store/store.go"]


# Java

JAVA = {
    "src/main/java/com/app/Service.java": (
        "package com.app;\n"
        "import com.app.data.Repo;\n"
        "import com.app.data.*;\n"
        "import static com.app.data.Tools.trim;\n"
        "import java.util.List;\n"
        "class Service extends Base implements Runner {\n"
        "  private Repo repo = new Repo(1);\n"
        "  public void run() {\n"
        "    repo.save(this.make());\n"
        '    repo.save("a", 2);\n'
        "    helper();\n"
        "    trim();\n"
        "    Item item = new Item();\n"
        "    item.owner.show();\n"
        "    List<Item> items = List.of();\n"
        "    for (Item one : items) one.hide();\n"
        "    Inner.start();\n"
        "    super.helper();\n"
        "    repo.items()[0].hide();\n"
        "    new Repo(1, 2).save(null);\n"
        "  }\n"
        "  Object make() { return null; }\n"
        "  static class Inner { static void start() {} }\n"
        "}\n"
    ),
    "src/main/java/com/app/Base.java": (
        "package com.app;\nabstract class Base {\n"
        "  protected void helper() {}\n}\ninterface Runner { void run(); }\n"
    ),
    "src/main/java/com/app/data/Repo.java": (
        "package com.app.data;\n"
        "public class Repo {\n"
        "  public Repo(int a) {}\n"
        "  public Repo(int a, int b) { this(a); }\n"
        "  public void save(Object o) {}\n"
        "  public void save(String s, int n) {}\n"
        "  public Item[] items() { return null; }\n"
        "}\n"
    ),
    "src/main/java/com/app/data/Item.java": (
        "package com.app.data;\npublic class Item {\n  public Owner owner;\n  public void hide() {}\n}\n"
        "class Owner { void show() {} }\n"
    ),
    "src/main/java/com/app/data/Tools.java": (
        "package com.app.data;\npublic class Tools { public static void trim() {} }\n"
    ),
    "src/main/java/org/else_/Repo.java": (
        "package org.else_;\npublic class Repo { public void save(Object o) {} }\n"
    ),
}
SERVICE = "src/main/java/com/app/Service.java"
DATA = "src/main/java/com/app/data/"


@pytest.fixture(scope="module")
def java() -> Case:
    return Case(JAVA)


def test_java_overload_by_count(java: Case) -> None:
    (first,) = java.ask(SERVICE, "save", line=9)
    (second,) = java.ask(SERVICE, "save", line=10)
    assert first == second == f"{DATA}Repo.java:com.app.data.Repo.save exact"
    record = java.program.find_record(SERVICE)
    assert record is not None
    rows = [record.get_reference(row) for row in record.find_references("save")]
    ordinals = [java.resolver.resolve(SERVICE, record, row).targets[0].declaration.ordinal for row in rows]
    assert ordinals[0] < ordinals[1]


def test_java_inherited_and_imported_methods(java: Case) -> None:
    assert java.ask(SERVICE, "helper", line=11) == [
        "src/main/java/com/app/Base.java:com.app.Base.helper exact"
    ]
    assert java.ask(SERVICE, "helper", line=18) == [
        "src/main/java/com/app/Base.java:com.app.Base.helper exact"
    ]
    assert java.ask(SERVICE, "trim") == [f"{DATA}Tools.java:com.app.data.Tools.trim exact"]


def test_java_chain_of_fields_and_items(java: Case) -> None:
    assert java.ask(SERVICE, "show") == [f"{DATA}Item.java:com.app.data.Owner.show exact"]
    assert java.ask(SERVICE, "hide", line=16) == [f"{DATA}Item.java:com.app.data.Item.hide exact"]
    assert java.ask(SERVICE, "hide", line=19) == [f"{DATA}Item.java:com.app.data.Item.hide exact"]


def test_java_constructor_by_count(java: Case) -> None:
    found = java.ask(SERVICE, "Repo", line=20)
    assert found == [
        f"{DATA}Repo.java:com.app.data.Repo.Repo exact",
        f"{DATA}Repo.java:com.app.data.Repo exact",
    ]
    assert java.ask(SERVICE, "save", line=20) == [f"{DATA}Repo.java:com.app.data.Repo.save exact"]


def test_java_overloads_of_bases_are_a_types_own() -> None:
    case = Case(
        {
            "a/Low.java": (
                "package a;\n"
                "class Low extends Base {\n"
                "  void put(int one, int two) {}\n"
                "  void run(Low low) {\n"
                "    low.put(1);\n"
                "    low.put(1, 2 /* two */);\n"
                "    low.put(1, 2, 3);\n"
                "    put(4);\n"
                "    put(4, 5, 6);\n"
                "    low.put();\n"
                "  }\n"
                "}\n"
            ),
            "a/Base.java": "package a;\nclass Base {\n  void put(int one) {}\n  void put(int... all) {}\n}\n",
            "a/Other.java": "package a;\nclass Other {\n  void place(int one) {}\n}\n",
            "a/User.java": "package a;\nclass User { void use() { made().place(1, 2); made().place(1); } }\n",
        }
    )
    low, base = "a/Low.java:a.Low.put exact", "a/Base.java:a.Base.put"
    assert case.ask("a/Low.java", "put", line=5) == [f"{base} probable"]
    assert case.ask("a/Low.java", "put", line=6) == [low]
    assert case.ask("a/Low.java", "put", line=7) == [f"{base} exact"]
    assert case.ask("a/Low.java", "put", line=8) == [f"{base} probable"]
    assert case.ask("a/Low.java", "put", line=9) == [f"{base} exact"]
    assert case.ask("a/Low.java", "put", line=10) == [f"{base} exact"]
    # Of a value of no known type: the only method that takes so many, and none that takes another number.
    assert case.ask("a/User.java", "place") == ["a/Other.java:a.Other.place probable"]


def test_java_types_that_every_file_sees_are_outside_unless_declared_here() -> None:
    case = Case(
        {
            "a/Use.java": (
                "package a;\nclass Use {\n  void run() {\n    Integer.valueOf(1);\n    Module.valueOf(2);\n"
                '    String text = "";\n    text.valueOf(3);\n  }\n}\n'
            ),
            "a/Module.java": "package a;\nclass Module { static Module valueOf(int one) { return null; } }\n",
        }
    )
    assert case.ask("a/Use.java", "valueOf", line=4) == ["!java.lang.Integer.valueOf"]
    assert case.ask("a/Use.java", "valueOf", line=5) == ["a/Module.java:a.Module.valueOf exact"]
    assert case.ask("a/Use.java", "valueOf", line=7) == ["!String.valueOf"]


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.java", "class A {\n  void f() { g(1, /* two */ 2); } // 3\n}\n"),
        ("a.go", "package a\nfunc f() { g(1, /* two */ 2) } // 3\n"),
        ("a.rs", "fn f() { g(1, /* two */ 2); } // 3\n"),
        ("a.c", "void f(void) { g(1, /* two */ 2); } // 3\n"),
        ("a.cc", "void f() { g(1, /* two */ 2); } // 3\n"),
        ("a.swift", "func f() { g(1, /* two */ 2) } // 3\n"),
    ],
)
def test_a_comment_is_no_argument(path: str, text: str) -> None:
    record = Case({path: text}).program.find_record(path)
    assert record is not None
    rows = [record.get_reference(row) for row in record.find_references("g")]
    assert [row.arguments for row in rows if row.role is ReferenceRole.CALL] == [3]


def test_java_own_constructor(java: Case) -> None:
    found = java.ask(f"{DATA}Repo.java", "Repo", line=4)
    assert found[0] == f"{DATA}Repo.java:com.app.data.Repo.Repo exact"


def test_java_nested_type_and_bases(java: Case) -> None:
    assert java.ask(SERVICE, "start") == [f"{SERVICE}:com.app.Service.Inner.start exact"]
    assert java.ask(SERVICE, "Base", ReferenceRole.INHERIT) == [
        "src/main/java/com/app/Base.java:com.app.Base exact"
    ]
    assert java.ask(SERVICE, "Runner", ReferenceRole.IMPLEMENT) == [
        "src/main/java/com/app/Base.java:com.app.Runner exact"
    ]


def test_java_outside_and_imports(java: Case) -> None:
    assert java.ask(SERVICE, "of") == ["!java.util.List.of"]
    assert java.ask(SERVICE, "Repo", IMPORT) == [f"{DATA}Repo.java:com.app.data.Repo exact"]
    assert java.ask(SERVICE, "List", IMPORT) == ["!java.util.List"]
    assert len(java.ask(SERVICE, "*", IMPORT)) == 3


# Rust

RUST = {
    "app/Cargo.toml": '[package]\nname = "my-app"\n[dev-dependencies]\nserde-json = "1"\n',
    "app/src/lib.rs": (
        "pub mod store;\nmod util;\npub use store::Store as Shop;\n"
        "pub fn open() -> Result<Store, Error> { Store::new(1) }\n"
        "use store::Store;\n"
        "#[cfg(test)]\nmod tests {\n    use super::*;\n    fn t() { open(); }\n}\n"
    ),
    "app/src/store.rs": (
        "use crate::util::{self, Named, check as verify};\n"
        "use std::io;\n"
        "pub mod inner;\n"
        "pub struct Store { pub item: inner::Item, list: Vec<inner::Item> }\n"
        "impl Store {\n"
        "    pub fn new(n: u8) -> Self { verify(n); util::log(); Self::prepare(); Store { item: todo!() } }\n"
        "    fn prepare() {}\n"
        "    fn work(&self, named: &dyn Named) {\n"
        "        self.item.show();\n"
        "        named.title();\n"
        "        let made = crate::open()?;\n"
        "        made.finish();\n"
        "        for one in &self.list {}\n"
        "        io::copy(1);\n"
        "        self.title();\n"
        "        self::inner::build();\n"
        "        let shop = crate::Shop::new(2);\n"
        "        shop.finish();\n"
        "    }\n"
        "}\n"
        "impl Named for Store {}\n"
    ),
    "app/src/store/inner.rs": (
        "pub struct Item;\nimpl Item { pub fn show(&self) {} }\npub fn build() { super::helper() }\n"
    ),
    "app/src/util.rs": (
        "pub trait Named { fn title(&self) {} }\npub fn check(n: u8) {}\npub fn log() {}\n"
        "impl crate::store::Store { pub fn finish(&self) {} }\n"
    ),
    "bin/Cargo.toml": '[package]\nname = "bin"\n',
    "bin/src/main.rs": "use my_app::{open, Shop};\nfn main() { open(); Shop::new(1).finish(); }\n",
}


@pytest.fixture(scope="module")
def rust() -> Case:
    return Case(RUST)


STORE = "app/src/store.rs"


def test_rust_use_of_modules_and_names(rust: Case) -> None:
    assert rust.ask(STORE, "verify") == ["app/src/util.rs:check exact"]
    assert rust.ask(STORE, "log") == ["app/src/util.rs:log exact"]
    assert rust.ask(STORE, "build") == ["app/src/store/inner.rs:build exact"]
    assert rust.ask(STORE, "copy") == ["!std.io.copy"]


def test_rust_self_and_fields(rust: Case) -> None:
    assert rust.ask(STORE, "prepare") == ["app/src/store.rs:Store.prepare exact"]
    assert rust.ask(STORE, "show") == ["app/src/store/inner.rs:Item.show exact"]


def test_rust_traits(rust: Case) -> None:
    assert rust.ask(STORE, "title", line=10) == ["app/src/util.rs:Named.title exact"]
    assert rust.ask(STORE, "title", line=15) == ["app/src/util.rs:Named.title exact"]


def test_rust_result_of_a_call(rust: Case) -> None:
    assert rust.ask(STORE, "finish", line=12) == ["app/src/util.rs:Store.finish exact"]


def test_rust_exported_again(rust: Case) -> None:
    assert rust.ask(STORE, "new", line=17) == ["app/src/store.rs:Store.new exact"]
    assert rust.ask(STORE, "finish", line=18) == ["app/src/util.rs:Store.finish exact"]


def test_rust_inline_module_sees_its_parent(rust: Case) -> None:
    assert rust.ask("app/src/lib.rs", "open") == ["app/src/lib.rs:open exact"]


def test_rust_crate_of_the_workspace(rust: Case) -> None:
    assert rust.ask("bin/src/main.rs", "open") == ["app/src/lib.rs:open exact"]
    assert rust.ask("bin/src/main.rs", "new") == ["app/src/store.rs:Store.new exact"]
    assert rust.ask("bin/src/main.rs", "finish") == ["app/src/util.rs:Store.finish exact"]


def test_rust_import_and_bases(rust: Case) -> None:
    assert rust.ask(STORE, "check", IMPORT) == ["app/src/util.rs:check exact"]
    assert rust.ask(STORE, "Named", ReferenceRole.IMPLEMENT) == ["app/src/util.rs:Named exact"]


# C and C++

C = {
    "include/api.h": (
        "#ifndef API_H\n#define API_H\n"
        "struct conn { int (*send)(struct conn *c); struct node *head; };\n"
        "struct node { int value; };\n"
        "int api_open(int a);\n"
        "static inline int api_flag(void) { return 1; }\n"
        "#define API_MAX(a) api_limit(a)\n"
        "#endif\n"
    ),
    "include/all.h": "#include <api.h>\n",
    "src/api.c": (
        '#include "api.h"\nstatic int helper(void) { return 1; }\nint api_open(int a) { return helper(); }\n'
    ),
    "src/user.c": (
        '#include "all.h"\n'
        "static int helper(void) { return 2; }\n"
        "static const struct conn ops = { .send = user_send };\n"
        "int user_send(struct conn *c) { return c->send(c); }\n"
        "int run(struct conn *c)\n{\n"
        "\tapi_open(1);\n\tapi_flag();\n\thelper();\n\tAPI_MAX(2);\n\tlonely();\n\tfar();\n\tprintf(1);\n"
        "\treturn c->head->value;\n}\n"
    ),
    "lib/lonely.c": (
        "int lonely(void) { return 1; }\nstatic int hidden(void) { return 1; }\nint far(void) { return 1; }\n"
    ),
    "lib/far.c": "int far(void) { return 2; }\nint g(void) { return hidden(); }\n",
}


@pytest.fixture(scope="module")
def c() -> Case:
    return Case(C)


def test_c_prototype_leads_to_the_definition(c: Case) -> None:
    assert c.ask("src/user.c", "api_open") == ["src/api.c:api_open exact"]


def test_c_static_functions_stay_at_home(c: Case) -> None:
    assert c.ask("src/user.c", "helper") == ["src/user.c:helper exact"]
    assert c.ask("src/api.c", "helper") == ["src/api.c:helper exact"]
    assert c.ask("lib/far.c", "hidden") == []


def test_c_headers(c: Case) -> None:
    assert c.ask("src/user.c", "api_flag") == ["include/api.h:api_flag exact"]
    assert c.ask("src/user.c", "API_MAX") == ["include/api.h:API_MAX exact"]
    assert c.ask("src/user.c", "conn", ReferenceRole.ACCEPT) == ["include/api.h:conn exact"] * 2


def test_c_not_included(c: Case) -> None:
    assert c.ask("src/user.c", "lonely") == ["lib/lonely.c:lonely probable"]
    assert c.ask("src/user.c", "far") == ["lib/far.c:far possible", "lib/lonely.c:far possible"]
    assert c.ask("src/user.c", "printf") == []


def test_c_pointer_to_function(c: Case) -> None:
    assert c.ask("src/user.c", "send") == ["include/api.h:conn.send exact"]
    assert c.ask("src/user.c", "user_send", USE) == ["src/user.c:user_send exact"]


def test_c_includes(c: Case) -> None:
    record = c.program.find_record("src/user.c")
    assert record is not None
    row = record.get_reference(record.list_role(IMPORT)[0])
    (target,) = c.resolver.resolve("src/user.c", record, row).targets
    assert target.declaration == Declaration("include/all.h", 0)


CPP = {
    "shape.hpp": (
        "namespace geo {\n"
        "class Base { public: void draw(); virtual int area() = 0; };\n"
        "class Shape : public Base {\n public:\n  Shape(int a);\n  Shape(int a, int b);\n"
        "  int area() override;\n  int area(int scale);\n  static Shape make();\n  Base* other;\n};\n"
        "int count(int n);\n"
        "}\n"
    ),
    "shape.cpp": (
        '#include "shape.hpp"\n'
        "namespace geo {\n"
        "Shape::Shape(int a) {}\n"
        "int Shape::area() { draw(); return count(1); }\n"
        "int Shape::area(int scale) { return other->area(); }\n"
        "int count(int n) { return n; }\n"
        "}\n"
        "void geo::Base::draw() { this->area(); }\n"
    ),
    "main.cpp": (
        '#include "shape.hpp"\n'
        "using geo::Shape;\n"
        "int main() {\n"
        "  Shape s(1);\n  s.area();\n  s.area(2);\n  s.draw();\n"
        "  auto t = Shape::make();\n  t.draw();\n"
        "  auto u = std::make_unique<geo::Shape>(1);\n  u->draw();\n"
        "  geo::count(1);\n  std::sort(1);\n  auto v = new Shape(1, 2);\n"
        "}\n"
    ),
}


@pytest.fixture(scope="module")
def cpp() -> Case:
    return Case(CPP)


def test_cpp_overloads_and_definitions(cpp: Case) -> None:
    assert cpp.ask("main.cpp", "area", line=5) == ["shape.cpp:geo.Shape.area exact"]
    assert cpp.ask("main.cpp", "area", line=6) == ["shape.cpp:geo.Shape.area exact"]
    assert cpp.ask("main.cpp", "draw", line=7) == ["shape.cpp:Base.draw exact"]


def test_cpp_types_of_variables(cpp: Case) -> None:
    assert cpp.ask("main.cpp", "draw", line=9) == ["shape.cpp:Base.draw exact"]
    assert cpp.ask("main.cpp", "draw", line=11) == ["shape.cpp:Base.draw exact"]


def test_cpp_namespaces(cpp: Case) -> None:
    assert cpp.ask("main.cpp", "count") == ["shape.cpp:geo.count exact"]
    assert cpp.ask("shape.cpp", "count") == ["shape.cpp:geo.count exact"]
    assert cpp.ask("main.cpp", "sort") == ["!std.sort"]


def test_cpp_members_without_this(cpp: Case) -> None:
    assert cpp.ask("shape.cpp", "draw") == ["shape.cpp:Base.draw exact"]
    assert cpp.ask("shape.cpp", "area", line=5) == ["shape.hpp:geo.Base.area exact"]
    assert cpp.ask("shape.cpp", "area", line=8) == ["shape.hpp:geo.Base.area exact"]


def test_cpp_constructor(cpp: Case) -> None:
    assert cpp.ask("main.cpp", "Shape") == ["shape.hpp:geo.Shape.Shape exact", "shape.hpp:geo.Shape exact"]


ENUMS = {
    "mode.h": (
        "typedef enum { RUN_DEFAULT, RUN_ONCE } run_mode;\nenum color { RED };\n"
        "struct outer { enum inner { DEEP } kind; };\nstatic inline int own(void) { return RED; }\n"
    ),
    "run.c": '#include "mode.h"\nint run(run_mode mode) { if (mode == RUN_ONCE) return RED + DEEP; }\n',
    "shape.hpp": (
        "namespace geo { enum class Kind { Round, Flat }; enum Plain { Wide };\n"
        "struct Box { enum Side { Left }; Side side = Left; }; }\n"
    ),
    "use.cpp": (
        '#include "shape.hpp"\nusing namespace geo;\n'
        "int f() { return Wide + Plain::Wide + (int)Kind::Round + Box::Left; }\nint g() { return Flat; }\n"
    ),
}


def test_values_of_enums_belong_to_what_is_around_the_enum() -> None:
    enums = Case(ENUMS)
    assert enums.ask("run.c", "RUN_ONCE", USE) == ["mode.h:run_mode.RUN_ONCE exact"]
    assert enums.ask("run.c", "RED", USE) == enums.ask("mode.h", "RED", USE) == ["mode.h:color.RED exact"]
    assert enums.ask("run.c", "DEEP", USE) == ["mode.h:outer.inner.DEEP exact"]
    wide = "shape.hpp:geo.Plain.Wide exact"
    assert set(enums.ask("use.cpp", "Wide", USE)) == {wide}
    assert enums.ask("use.cpp", "Round", USE) == ["shape.hpp:geo.Kind.Round exact"]
    assert enums.ask("use.cpp", "Left", USE) == ["shape.hpp:geo.Box.Side.Left exact"]
    assert enums.ask("use.cpp", "Flat", USE) == []  # of an enum class, whose name is missing


def test_a_header_that_declares_classes_is_one_of_cpp() -> None:
    text = {
        "walk.h": "class Walk {\n public:\n  void next();\n  int size() const { return 1; }\n};\n",
        "walk.cc": '#include "walk.h"\nvoid Walk::next() { size(); }\n'
        "void go(Walk* walk) { walk->next(); walk->size(); }\n",
    }
    case = Case(text)
    assert case.ask("walk.cc", "next") == ["walk.cc:Walk.next exact"]
    assert case.ask("walk.cc", "size") == ["walk.h:Walk.size exact"] * 2


def test_rust_implementations_of_one_trait_for_several_types_are_not_one() -> None:
    text = (
        "struct Id(u32);\n"
        "impl From<u32> for Id { fn from(value: u32) -> Id { Id(value) } }\n"
        "impl From<&str> for Id { fn from(text: &str) -> Id { Id(0) } }\n"
        "struct Only(u32);\nimpl From<u32> for Only { fn from(value: u32) -> Only { Only(value) } }\n"
        "fn f() { Id::from(1); }\nfn g() { Only::from(1); }\n"
    )
    case = Case({"Cargo.toml": "[package]\nname = 'x'\n", "src/lib.rs": text})
    assert [one.rpartition(" ")[2] for one in case.ask("src/lib.rs", "from", line=6)] == ["possible"] * 2
    assert [one.rpartition(" ")[2] for one in case.ask("src/lib.rs", "from", line=7)] == ["exact"]


# Swift

SWIFT = {
    "Sources/App/Service.swift": (
        "import Foundation\nimport Core\n"
        "final class Service: Base, Runner {\n"
        "  let repo: Repo\n"
        "  init(repo: Repo) { self.repo = repo; super.init(name: 1) }\n"
        "  func run() {\n"
        "    repo.save(1)\n"
        "    self.helper()\n"
        "    let made = Repo(size: 1)\n"
        "    made.extra().show()\n"
        "    guard let item = repo.first else { return }\n"
        "    item.show()\n"
        "    DateFormatter().string()\n"
        "    shared()\n"
        "  }\n"
        "}\n"
    ),
    "Sources/App/Base.swift": (
        "class Base { init(name: Int) {}\n  func helper() {} }\n"
        "protocol Runner { func run() }\nfunc shared() {}\n"
    ),
    "Sources/Core/Repo.swift": (
        "public struct Repo {\n  public init(size: Int) {}\n"
        "  public var first: Item?\n  public func save(_ n: Int) {}\n}\n"
        "public struct Item { public func show() {} }\n"
    ),
    "Sources/Core/Repo+Extra.swift": "extension Repo { public func extra() -> Item { first! } }\n",
    "Sources/Other/Repo.swift": "struct Repo { func save(_ n: Int) {} }\nfunc shared() {}\n",
}
APP = "Sources/App/Service.swift"


@pytest.fixture(scope="module")
def swift() -> Case:
    return Case(SWIFT)


def test_swift_members_of_typed_properties(swift: Case) -> None:
    assert swift.ask(APP, "save") == ["Sources/Core/Repo.swift:Repo.save exact"]
    assert swift.ask(APP, "extra") == ["Sources/Core/Repo+Extra.swift:Repo.extra exact"]
    assert swift.ask(APP, "show") == ["Sources/Core/Repo.swift:Item.show exact"] * 2


def test_swift_bases(swift: Case) -> None:
    assert swift.ask(APP, "helper") == ["Sources/App/Base.swift:Base.helper exact"]
    assert swift.ask(APP, "init") == ["Sources/App/Base.swift:Base.init exact"]
    assert swift.ask(APP, "Base", ReferenceRole.INHERIT) == ["Sources/App/Base.swift:Base exact"]


def test_swift_constructor_and_modules(swift: Case) -> None:
    found = swift.ask(APP, "Repo")
    assert found == ["Sources/Core/Repo.swift:Repo.init exact", "Sources/Core/Repo.swift:Repo exact"]
    assert swift.ask(APP, "shared") == ["Sources/App/Base.swift:shared exact"]


LABELLED = {
    "Source/Session.swift": (
        "open class Session: Base {\n"
        '  public init(name: String = "", retries: Int = 3) {}\n'
        "  func request(for url: String, with body: Int = 1) {}\n"
        "  func request(_ url: String, done: () -> Void) {}\n"
        "  func request(_ url: String, _ rest: Int..., last: Bool) {}\n"
        "  func go() {\n"
        '    request(for: "a")\n'
        '    self.request("b") { }\n'
        '    request("c", done: {})\n'
        '    request("d", 1, 2, last: true)\n'
        '    request(at: "e")\n'
        '    request(to: "f")\n'
        "    fetch { } then: { }\n"
        "  }\n"
        "}\n"
        "class Base { func request(at place: String) {}\n"
        "  func fetch(first: () -> Void, then: () -> Void) {}\n"
        "  func fetch(_ count: Int, then: () -> Void) {} }\n"
    ),
    "Tests/SessionTests.swift": (
        "@testable import Networking\nimport XCTest\n"
        "extension Session { func twice() {} }\n"
        "func check() {\n"
        "  let made = Session()\n"
        "  made.twice()\n"
        "  let other: Networking.Session = Session(retries: 2)\n"
        "  other.request(for: 1)\n"
        "  _ = Session(wrong: 1)\n"
        "  XCTAssert(String(1).isEmpty)\n"
        "}\n"
        "extension String { var loud: String { self } }\n"
    ),
}


@pytest.fixture(scope="module")
def labelled() -> Case:
    return Case(LABELLED)


@pytest.mark.parametrize(
    ("line", "meant"),
    [(7, [3]), (8, [4]), (9, [4]), (10, [5]), (11, [16]), (12, [])],
    ids=["default", "closure behind", "closure inside", "variadic", "of the base", "of nobody"],
)
def test_swift_labels_tell_overloads_apart(labelled: Case, line: int, meant: list[int]) -> None:
    assert find_lines(labelled, "Source/Session.swift", "request", line) == meant


def test_swift_closures_behind_the_brackets(labelled: Case) -> None:
    assert find_lines(labelled, "Source/Session.swift", "fetch", 13) == [17]


def test_swift_extensions_are_not_the_type_that_they_extend(labelled: Case) -> None:
    tests = "Tests/SessionTests.swift"
    session, init = "Source/Session.swift:Session exact", "Source/Session.swift:Session.init exact"
    assert labelled.ask(tests, "Session", line=5) == [init, session]
    assert labelled.ask(tests, "Session", line=7) == [init, session]
    assert labelled.ask(tests, "Session", TYPE, 7) == [session]
    assert labelled.ask(tests, "Session", line=9) == [session]  # no initialiser has that label
    assert labelled.ask(tests, "Session", ReferenceRole.EXTEND, 3) == [session]
    assert labelled.ask(tests, "twice") == ["Tests/SessionTests.swift:Session.twice exact"]
    assert labelled.ask(tests, "request", line=8) == ["Source/Session.swift:Session.request exact"]
    assert labelled.ask(tests, "String", line=10) == []  # declared elsewhere, and only extended here


def find_lines(case: Case, path: str, name: str, line: int) -> list[int]:
    """Return the lines of the declarations that the uses of a name on a line mean, all of them exactly."""
    record = case.program.find_record(path)
    assert record is not None
    rows = [record.get_reference(row) for row in record.find_references(name)]
    (found,) = [case.resolver.resolve(path, record, row) for row in rows if row.line == line]
    assert all(one.confidence is Confidence.EXACT for one in found.targets)
    return [record.get_symbol(one.declaration.ordinal).start_line for one in found.targets]


@pytest.mark.parametrize(
    ("path", "text"),
    [
        (
            "p/A.java",
            "package p;\nclass A { A with(int x) { return this; } void last() {}\n"
            'void f(A a) { a.with(make(g()[0])).with(h("(", k(1))).last(); } }\n',
        ),
        (
            "src/lib.rs",
            "struct A {}\nimpl A { fn with(&self, x: i32) -> A { A {} }\n fn last(&self) {} }\n"
            "fn f(a: A) { a.with(make(g()[0])).with(h(k(1))).last(); }\n",
        ),
        (
            "Sources/M/A.swift",
            "class A { func with(_ x: Int) -> A { self }\n func last() {} }\n"
            "func f(a: A) { a.with(make(g()[0])).with(h(k(1))).last() }\n",
        ),
        (
            "a.cpp",
            "struct A { A& with(int x) { return *this; } void last() {} };\n"
            "void f(A a) { a.with(make(g()[0])).with(h(k(1))).last(); }\n",
        ),
        (
            "a.go",
            "package a\ntype A struct{}\nfunc (a A) With(x int) A { return a }\nfunc (a A) Last() {}\n"
            "func f(a A) { a.With(get(g()[0])).With(h(k(1))).Last() }\n",
        ),
    ],
)
def test_calls_among_the_arguments_do_not_lose_the_receiver(path: str, text: str) -> None:
    name = "Last" if path == "a.go" else "last"
    (found,) = Case({path: text, "go.mod": "module m\n"}).ask(path, name)
    assert found.endswith(f"A.{name} exact") or found == f"{path}:{name} exact"


# What must not happen


def test_bases_and_variables_that_go_round() -> None:
    text = (
        "package p;\nclass A extends B { void f() { var x = y.g(); var y = x.g(); x.h(); self(); } }\n"
        "class B extends C {}\nclass C extends A {}\n"
    )
    case = Case({"p/A.java": text})
    assert case.ask("p/A.java", "h") == []
    assert case.ask("p/A.java", "B", ReferenceRole.INHERIT) == ["p/A.java:p.B exact"]


def test_classes_deep_in_each_other() -> None:
    depth = 300
    text = "".join(f"class A{n} extends B{n} {{ " for n in range(depth)) + "void f() { g(); }" + "}" * depth
    case = Case({"A.java": text})
    assert case.ask("A.java", "g") == []


def test_common_names_of_unknown_holders_are_not_guessed() -> None:
    case = Case({"a.go": "package a\ntype T struct{}\nfunc (t T) Error() {}\nfunc f() { x.y().Error() }\n"})
    assert case.ask("a.go", "Error") == []


def test_too_many_possible_ones() -> None:
    types = "".join(f"type T{n} struct{{}}\nfunc (t T{n}) Special() {{}}\n" for n in range(12))
    case = Case({"a.go": f"package a\n{types}func f() {{ x.y().Special() }}\n"})
    assert case.ask("a.go", "Special") == []


def test_any_reference_is_answered() -> None:
    case = Case({**GO, **JAVA, **RUST, **C, **CPP, **SWIFT})
    for path in (*GO, *JAVA, *RUST, *C, *CPP, *SWIFT):
        record = case.program.find_record(path)
        if record is None:
            continue
        for role in ReferenceRole:
            for qualifier in (
                "",
                ".",
                "a..b",
                "()",
                "self.[].x()",
                "this",
                "super",
                "?.a",
                "crate",
                "a." * 40,
            ):
                row = Reference(record.symbol_count - 1, role, "run", qualifier, "x", 1, 2)
                case.resolver.resolve(path, record, row)


def test_rust_paths_of_other_crates() -> None:
    case = Case(
        {
            "Cargo.toml": '[package]\nname = "a"\n[dependencies]\nserde-json = "1"\n[dependencies.log]\n',
            "src/lib.rs": (
                "fn f(x: Foo) { serde_json::read(1); log::write(2); other::go(3);"
                " match x { y => y.special() } }\n"
            ),
        }
    )
    assert case.ask("src/lib.rs", "read") == ["!serde_json.read"]
    assert case.ask("src/lib.rs", "write") == ["!log.write"]
    assert case.ask("src/lib.rs", "go") == []
    assert case.ask("src/lib.rs", "special") == ["!Foo.special"]


def test_rust_parameters_of_types_have_their_bounds() -> None:
    text = (
        "trait Sink { fn drain(&self); }\nstruct Other;\nimpl Other { fn drain(&self) {} }\n"
        "fn f<S: Sink>(s: S) { s.drain() }\nfn g<T>(t: &T) where T: Sink { t.drain() }\n"
    )
    case = Case({"src/lib.rs": text})
    assert case.ask("src/lib.rs", "drain") == ["src/lib.rs:Sink.drain exact"] * 2


def test_rust_types_of_one_name() -> None:
    case = Case(
        {
            "src/lib.rs": "mod a;\nmod b;\n",
            "src/a.rs": "pub struct Pool;\nimpl Pool { pub fn take_one(&self) {} }\n",
            "src/b.rs": (
                "pub struct Pool { inner: super::a::Pool }\n"
                "impl Pool { pub fn take_one(&self) { self.inner.take_one() } }\n"
            ),
        }
    )
    assert case.ask("src/b.rs", "take_one") == ["src/a.rs:Pool.take_one exact"]


def test_java_parameters_of_types_have_their_bounds() -> None:
    case = Case(
        {
            "p/A.java": (
                "package p;\nclass A<T extends B> { void f(T t) { t.go(); } }\nclass B { void go() {} }\n"
            )
        }
    )
    assert case.ask("p/A.java", "go") == ["p/A.java:p.B.go exact"]
