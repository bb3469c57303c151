"""Declarations of one name of which a build takes one, and members that a class has before its interfaces."""

from __future__ import annotations

from repo_mcp.symbols.symbol_record import ReferenceRole
from tests.repo_mcp.graph.resolved import Repository

OTHER = "package p; public class Tool { static void go() {} }"


def test_super_means_a_constructor_of_the_class_and_no_interface() -> None:
    found = Repository.build(
        {
            "p/Box.java": """
                package p;
                interface Sized {}
                class Base { Base(int a) {} }
                class Box extends Base implements Sized { Box() { super(1); } }
                class Plain implements Sized { Plain() { super(); } }
            """,
        }
    )
    assert found.ask("p/Box.java", "super(1)", "Base") == ["p/Box.java:3 Base exact"]
    record = found.program.find_record("p/Box.java")
    assert record is not None
    assert not record.list_named_role("Sized", ReferenceRole.CALL)


def test_a_class_has_the_members_of_its_bases_before_those_of_interfaces() -> None:
    found = Repository.build(
        {
            "p/Box.java": """
                package p;
                interface Sized { int size(); String toString(); boolean equals(Object other); }
                class Root { public int size() { return 1; } }
                class Base extends Root {}
                class Box extends Base implements Sized {
                  int twice() { return 2 * size(); }
                  String told() { return toString(); }
                }
                class Use {
                  boolean same(Box a) { return a.equals(a); }
                  boolean like(Sized b) { return b.equals(b); }
                }
            """,
        }
    )
    assert found.ask("p/Box.java", "2 * size()", "size") == ["p/Box.java:3 size exact"]
    assert found.ask("p/Box.java", "return toString()", "toString") == []  # of Object
    assert found.ask("p/Box.java", "a.equals(a)", "equals") == []
    assert found.ask("p/Box.java", "b.equals(b)", "equals") == ["p/Box.java:2 equals exact"]


def test_a_class_from_outside_may_have_what_an_interface_declares() -> None:
    found = Repository.build(
        {
            "p/Fault.java": """
                package p;
                interface Told { String getMessage(); }
                class Fault extends RuntimeException implements Told {}
                class Plain implements Told { }
                class Use {
                  String of(Fault one) { return one.getMessage(); }
                  String by(Plain two) { return two.getMessage(); }
                }
            """,
        }
    )
    assert found.ask("p/Fault.java", "one.getMessage()", "getMessage") == [
        "p/Fault.java:2 getMessage probable"
    ]
    assert found.ask("p/Fault.java", "two.getMessage()", "getMessage") == ["p/Fault.java:2 getMessage exact"]


def test_a_module_of_java_sees_its_own_type_of_a_full_name() -> None:
    use = "package p; class Use { void run() { Tool.go(); } }"
    found = Repository.build(
        {
            "one/src/main/java/p/Tool.java": OTHER,
            "one/src/test/java/p/Use.java": use,
            "two/src/main/java/p/Tool.java": OTHER,
            "two/src/main/java/p/Use.java": use,
            "three/src/main/java/p/Use.java": use,
        }
    )
    first, second = (f"{one}/src/main/java/p/Tool.java:1" for one in ("one", "two"))
    assert found.ask("one/src/test/java/p/Use.java", "Tool.go", "Tool") == [f"{first} Tool exact"]
    assert found.ask("two/src/main/java/p/Use.java", "Tool.go", "go") == [f"{second} go exact"]
    assert found.ask("three/src/main/java/p/Use.java", "Tool.go", "Tool") == [
        f"{first} Tool probable",
        f"{second} Tool probable",
    ]


def test_types_of_one_name_in_several_files_of_a_swift_module_are_not_sure() -> None:
    found = Repository.build(
        {
            "Sources/App/Phone.swift": "struct Screen {}\nstruct Menu {}",
            "Sources/App/Desk.swift": "struct Screen {}",
            "Sources/App/Use.swift": "extension Screen { func a() -> Menu { b(Screen()) } }",
        }
    )
    desk, phone = "Sources/App/Desk.swift:1", "Sources/App/Phone.swift"
    twins = [f"{desk} Screen probable", f"{phone}:1 Screen probable"]
    assert found.ask("Sources/App/Use.swift", "Screen()", "Screen") == twins
    assert found.ask("Sources/App/Use.swift", "Screen()", "Menu") == [f"{phone}:2 Menu exact"]


def test_a_call_of_an_alias_that_conditions_choose_is_not_sure() -> None:
    found = Repository.build(
        {
            "Sources/App/Image.swift": """
                #if os(macOS)
                public typealias Image = NSImage
                #else
                public typealias Image = UIImage
                #endif
                extension Image { convenience init?(named: String, at: Int) { self.init() } }
                let one = Image(named: "a", at: 1)
            """,
        }
    )
    said = found.ask("Sources/App/Image.swift", "let one", "Image")
    assert said
    assert not [one for one in said if one.endswith("exact")]


def test_an_import_of_what_a_configuration_chooses_is_not_sure() -> None:
    found = Repository.build(
        {
            "Cargo.toml": '[package]\nname = "a"\n',
            "src/lib.rs": "mod code;\nmod run;\n",
            "src/code.rs": """
                #[cfg(unix)]
                pub fn read() {}
                #[cfg(not(unix))]
                pub fn read() {}
                pub struct Code;
                pub fn code() {}
            """,
            "src/run.rs": "use crate::code::read;\nuse crate::code::Code;\n",
        }
    )
    assert found.ask("src/run.rs", "code::read", "read") == [
        "src/code.rs:1 read probable",
        "src/code.rs:3 read probable",
    ]
    assert found.ask("src/run.rs", "code::Code", "Code") == ["src/code.rs:5 Code exact"]


def test_a_marked_method_overrides_what_takes_the_same_and_nothing_beside_it() -> None:
    found = Repository.build(
        {
            "p/Coder.java": """
                package p;
                interface Coder { Object code(Object one); }
                interface TextCoder extends Coder { String code(String one); }
                abstract class Base implements TextCoder {
                  @Override public Object code(Object one) { return code((String) one); }
                }
            """,
        }
    )
    said = found.ask("p/Coder.java", "return code(", "code")
    assert said == ["p/Coder.java:3 code probable"]
