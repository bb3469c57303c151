"""What looks sure and is not: what a function declares, `using` in one, type parameters, arguments."""

from __future__ import annotations

import pytest

from tests.repo_mcp.graph.resolved import Repository

TEXTS = {
    "go.mod": "module example.org/app\n",
    "a.go": """
        package a
        type Conf struct { size int }
        func before() {
            c := Conf{} // of the package
            type Conf struct { own int }
            _ = c
        }
        func blocks() {
            {
                type part struct { size int }
                p := part{} // of the first block
                _ = p
            }
            {
                type part struct { size int }
                p := part{} // of the second block
                _ = p
            }
            func() {
                type Conf struct { size int }
            }()
            c := Conf{} // behind a block
            _ = c
        }
        func plain() {
            type mine struct { size int }
            m := mine{} // of the function
            m.size = 1 // a field of its own
            tests := []struct { mine mine }{{
                mine: mine{size: 1}, // beside a field of its name
            }}
        }
        """,
    "named.go": """
        package a
        type Hook interface { Run(level int) }
        type Hooks map[int][]Hook
        type Fault struct{}
        type Faults []*Fault
        func (f *Fault) Say() {}
        func (hooks Hooks) Run(level int) {
            for _, one := range hooks[level] {
                one.Run(level) // of an element's element
            }
        }
        func (all Faults) Say() {
            for _, one := range all {
                one.Say() // of an element
            }
        }
        """,
    "Sources/A/empty.swift": """
        class Items { func isEmpty() -> Bool { true }; func pack() -> Bool { true } }
        extension Items: Collection {}
        func use(items: Items) {
          if items.isEmpty {} // of a protocol
          let pack = items.pack // of the class
        }
        """,
    "over.cs": """
        class Top { public virtual string Say(long a, int b, bool c = true) => ""; }
        class Low : Top
        {
            public override string Say(long a, int b, bool c = true) => "";
            private string Say(long a, int b, bool d, bool c = true) => "";
            void Use(long a)
            {
                Say(a / 2, 1, false); // declared anew
            }
        }
        """,
    "a.c": """
        enum color { RED };
        void f(void) {
            { enum { RED = 5 }; }
            int x = RED; // behind a block
        #define OWN(x) x
            OWN(1); // of a macro in a function
        }
        """,
    "a.cpp": """
        namespace k { struct B { void f(); }; void g(); void take(B); }
        namespace n { struct B { void f(); }; void g(); void take(B); void only(B); }
        void one() {
            using k::B;
            using namespace k;
            B b; // of k
            g(); // of k
        }
        namespace n {
            void two(k::B b) {
                B c; // of n
                g(); // of n
                take(b); // of either
                only(c); // of one alone
            }
        }
        struct Base { void run(); };
        template <class Base> struct Held {
            Base item;
            Base get();
            void use() {
                item.run(); // of a type parameter
                get().run(); // of its result
            }
        };
        """,
    "macro.cpp": """
        namespace k { template <class T> struct Pick { using type = int; }; }
        namespace k { template <> struct Pick<long> { using type = long; }; }
        using picked = k::Pick<int>::type; // of one specialisation
        TEST_CASE("one") {
            using part = int;
            part a; // of the first test
        }
        TEST_CASE("two") {
            using part = long;
            struct Own { int size; };
            part b; // of the second test
            Own own;
            own.size = 1; // of a type of the test
        #define SOME(x) x
            SOME(1); // a macro of the test
        }
        TEST_CASE("three") {
            { using half = int; half c; }
            { using half = long; half d; } // of two tests' blocks
        }
        void plain() {
            { using half = int; half e; }
            { using half = long; half f; } // of two blocks of a function
        }
        SOME(2); // behind the test
        """,
    "using.h": "namespace k { inline void go(int a) {} }\n",
    "other.h": "namespace k { inline void go(int a, int b) {} }\n",
    "using.cpp": """
        #include "using.h"
        using k::go; // of one header
        """,
    "Node.java": """
        package a;
        class Node { void run() {} }
        class Shape { void draw() {} }
        interface Filled { void fill(); }
        class Holder<Node, S extends Shape, F extends Filled> {
            F filled;
            Node item;
            S shape;
            Node get() { return item; }
            void use() {
                item.run(); // of a type parameter
                get().run(); // of its result
                shape.draw(); // of a bounded one
                filled.fill(); // which a class below may narrow
            }
        }
        """,
    "p/Made.java": """
        package p;
        import static p.Held.take;
        import static p.Wide.*;
        class Made {
            int size;
            void run() {}
            Made self() { return this; }
            void use() {
                new Made() { void run() {} }.run(); // of the class without a name
                new Made() { void more() {} }.run(); // of its base
                (new Made() { int size; }).size = 1; // a field of it
                new Made() { void run() {} }.self().run(); // of a result
                var made = new Made() { void run() {} void own() {} };
                made.run(); // by inference
                made.own(); // which its base has not
                Made plain = new Made() { void run() {} };
                plain.run(); // by the written type
            }
        }
        """,
    "p/Held.java": "package p;\nclass Held { static void take() {} }\n",
    "p/Wide.java": "package p;\nclass Wide { static void go() {} }\n",
    "lib.rs": """
        struct Shape;
        impl Shape { fn area(&self) {} fn make() {} fn over(&self) {} }
        struct Other;
        impl Other { fn area(&self) {} fn make() {} }
        struct Color;
        struct Held<Shape> { item: Shape }
        impl<Shape> Held<Shape> {
            fn get(&self) -> &Shape { &self.item }
            fn use_it(&self) {
                self.item.area(); // of a parameter
                self.get().area(); // of its result
                Shape::make(); // by a path
            }
        }
        fn give<Shape>() -> Shape { todo!() }
        trait Draw { fn draw(&self); }
        struct Bounded<S> { item: S }
        impl<S: Draw> Bounded<S> {
            fn use_it(&self) { self.item.draw(); } // in one block
        }
        impl From<Color> for String { fn from(c: Color) -> String { todo!() } }
        trait Ext { fn build() -> Self; }
        impl Ext for String { fn build() -> String { todo!() } }
        impl From<Color> for Shape { fn from(c: Color) -> Shape { Shape } }
        fn outer() {
            let a = String::from("x"); // of a type of another crate
            String::build(); // by a trait of this one
            let b = Shape::from(Color); // of a type of this crate
            give::<u8>().area(); // of a function
        }
        """,
    "embed.go": """
        package a
        import "other.org/ext"
        import "sync"
        type Deep struct { Size int; size int }
        func (d *Deep) Fire() {}
        type Middle struct { Deep }
        func (m *Middle) Own() {}
        type Outer struct { Middle; ext.Thing }
        type Plain struct { Middle }
        type Locked struct { Middle; sync.Mutex }
        func use(o Outer, p Plain, l Locked) {
            o.Fire() // two levels down
            o.Size = 1 // a field there
            o.size = 1 // of this package
            o.Own() // one level down
            p.Fire() // without another module
            l.Fire() // beside a known type
            o.Deep.Fire() // by its name
        }
        """,
    "renamed.h": """
        struct item { int size; int same; int plain; int (*call)(int); };
        struct late { int after; };
        """,
    "names.h": """
        #define size other_size
        #define same same
        #define call(x) other_call(x)
        #define after other_after
        """,
    "behind.h": """
        #include "names.h"
        struct behind { int after; };
        """,
    "renaming.c": """
        #include "renamed.h"
        #include "behind.h"
        void use(struct item *p, struct behind *b, struct late *l) {
            p->size = 1; // renamed
            p->same = 1; // by itself
            p->plain = 1; // not renamed
            p->call = 0; // not called
            p->call(1); // called
            b->after = 1; // with its declaration
            l->after = 1; // without it
        }
        """,
    "plain.c": """
        #include "renamed.h"
        void plain(struct item *p) {
            p->size = 1; // no macro is seen
        }
        """,
}

AREAS = ["lib.rs:2 area possible", "lib.rs:4 area possible"]  # by name alone
CASES = {
    "go: declared below": ("a.go", "// of the package", "Conf", ["a.go:2 Conf exact"]),
    "go: one block": ("a.go", "// of the first block", "part", ["a.go:10 part probable"]),
    "go: another block": ("a.go", "// of the second block", "part", ["a.go:15 part probable"]),
    "go: behind a block": ("a.go", "// behind a block", "Conf", ["a.go:20 Conf probable"]),
    "go: without a namesake": ("a.go", "// of the function", "mine", ["a.go:26 mine exact"]),
    "go: its field": ("a.go", "// a field of its own", "size", ["a.go:26 size exact"]),
    "go: beside a field": ("a.go", "// beside a field of its name", "mine", ["a.go:26 mine exact"]),
    "cpp: two specialisations": (
        "macro.cpp",
        "// of one specialisation",
        "type",
        ["macro.cpp:1 type possible", "macro.cpp:2 type possible"],
    ),
    "cpp: a body behind a macro": ("macro.cpp", "// of the first test", "part", ["macro.cpp:5 part exact"]),
    "cpp: another such body": ("macro.cpp", "// of the second test", "part", ["macro.cpp:9 part exact"]),
    "cpp: a member of its type": (
        "macro.cpp",
        "// of a type of the test",
        "size",
        ["macro.cpp:10 size exact"],
    ),
    "cpp: its macro": ("macro.cpp", "// a macro of the test", "SOME", ["macro.cpp:14 SOME exact"]),
    "cpp: a macro behind it": ("macro.cpp", "// behind the test", "SOME", ["macro.cpp:14 SOME exact"]),
    "cpp: two blocks of it": (
        "macro.cpp",
        "// of two tests' blocks",
        "half",
        ["macro.cpp:18 half probable", "macro.cpp:19 half probable"],
    ),
    "cpp: using of one header": (
        "using.cpp",
        "// of one header",
        "go",
        ["using.h:1 go exact", "other.h:1 go probable"],
    ),
    "c: behind a block": ("a.c", "// behind a block", "RED", ["a.c:3 RED probable"]),
    "c: a macro": ("a.c", "// of a macro in a function", "OWN", ["a.c:5 OWN exact"]),
    "c++: using": ("a.cpp", "// of k", "B", ["a.cpp:1 B exact"]),
    "c++: not in another function": ("a.cpp", "// of n", "B", ["a.cpp:2 B exact"]),
    "c++: found by argument": ("a.cpp", "// of either", "take", ["a.cpp:2 take probable"]),
    "c++: in one namespace": ("a.cpp", "// of one alone", "only", ["a.cpp:2 only exact"]),
    "c++: a type parameter": ("a.cpp", "// of a type parameter", "run", []),
    "c++: a result": ("a.cpp", "// of its result", "run", []),
    "java: a type parameter": ("Node.java", "// of a type parameter", "run", []),
    "java: a result": ("Node.java", "// of its result", "run", []),
    "java: a bounded one": ("Node.java", "// of a bounded one", "draw", ["Node.java:3 draw probable"]),
    "java: not sure": (
        "Node.java",
        "// which a class below may narrow",
        "fill",
        ["Node.java:4 fill probable"],
    ),
    "java: without a name": (
        "p/Made.java",
        "// of the class without a name",
        "run",
        ["p/Made.java:9 run exact"],
    ),
    "java: its base": ("p/Made.java", "// of its base", "run", ["p/Made.java:6 run exact"]),
    "java: its field": ("p/Made.java", "// a field of it", "size", ["p/Made.java:11 size exact"]),
    "java: a result of it": ("p/Made.java", "// of a result", "run", ["p/Made.java:6 run exact"]),
    "java: var": ("p/Made.java", "// by inference", "run", ["p/Made.java:13 run exact"]),
    "java: var, its own": ("p/Made.java", "// which its base has not", "own", ["p/Made.java:13 own exact"]),
    "java: not var": ("p/Made.java", "// by the written type", "run", ["p/Made.java:6 run exact"]),
    "java: static import": ("p/Made.java", "p.Held.take;", "Held", ["p/Held.java:2 Held exact"]),
    "java: static import of all": ("p/Made.java", "p.Wide.*;", "Wide", ["p/Wide.java:2 Wide exact"]),
    "rust: a parameter": ("lib.rs", "// of a parameter", "area", AREAS),
    "rust: its result": ("lib.rs", "// of its result", "area", AREAS),
    "rust: its path": (
        "lib.rs",
        "// by a path",
        "make",
        ["lib.rs:2 make possible", "lib.rs:4 make possible"],
    ),
    "rust: bounds of a block": ("lib.rs", "// in one block", "draw", ["lib.rs:16 draw probable"]),
    "rust: String::from": ("lib.rs", "// of a type of another crate", "from", ["lib.rs:21 from possible"]),
    "rust: String::build": ("lib.rs", "// by a trait of this one", "build", ["lib.rs:23 build probable"]),
    "rust: its own from": ("lib.rs", "// of a type of this crate", "from", ["lib.rs:24 from exact"]),
    "rust: a function": ("lib.rs", "// of a function", "area", AREAS),
    "go: two levels": ("embed.go", "// two levels down", "Fire", ["embed.go:5 Fire probable"]),
    "go: a field": ("embed.go", "// a field there", "Size", ["embed.go:4 Size probable"]),
    "go: a small letter": ("embed.go", "// of this package", "size", ["embed.go:4 size exact"]),
    "go: one level": ("embed.go", "// one level down", "Own", ["embed.go:7 Own exact"]),
    "go: one module": ("embed.go", "// without another module", "Fire", ["embed.go:5 Fire exact"]),
    "go: a known type": ("embed.go", "// beside a known type", "Fire", ["embed.go:5 Fire exact"]),
    "go: by name": ("embed.go", "// by its name", "Fire", ["embed.go:5 Fire exact"]),
    "go: element's element": ("named.go", "// of an element's element", "Run", ["named.go:2 Run exact"]),
    "go: element": ("named.go", "// of an element", "Say", ["named.go:6 Say exact"]),
    "swift: not called": (
        "Sources/A/empty.swift",
        "// of a protocol",
        "isEmpty",
        ["Sources/A/empty.swift:1 isEmpty probable"],
    ),
    "swift: a method as a value": (
        "Sources/A/empty.swift",
        "// of the class",
        "pack",
        ["Sources/A/empty.swift:1 pack exact"],
    ),
    "c#: anew": (
        "over.cs",
        "// declared anew",
        "Say",
        ["over.cs:4 Say possible", "over.cs:5 Say possible"],  # not the override, though it needs no default
    ),
    "c: renamed": ("renaming.c", "// renamed", "size", ["renamed.h:1 size possible"]),
    "c: by itself": ("renaming.c", "// by itself", "same", ["renamed.h:1 same exact"]),
    "c: not renamed": ("renaming.c", "// not renamed", "plain", ["renamed.h:1 plain exact"]),
    "c: not called": ("renaming.c", "// not called", "call", ["renamed.h:1 call exact"]),
    "c: called": ("renaming.c", "// called", "call", ["renamed.h:1 call possible"]),
    "c: both renamed": ("renaming.c", "// with its declaration", "after", ["behind.h:2 after exact"]),
    "c: the use alone": ("renaming.c", "// without it", "after", ["renamed.h:2 after possible"]),
    "c: no macro": ("plain.c", "// no macro is seen", "size", ["renamed.h:1 size exact"]),
}


@pytest.mark.parametrize("case", CASES)
def test_what_names_mean(repository: Repository, case: str) -> None:
    path, line, name, expected = CASES[case]
    number = next(one for one in TEXTS[path].split("\n") if one.strip().endswith(line)).strip()
    assert repository.ask(path, number, name) == expected


def test_a_macro_that_is_tested_within_a_declaration_is_no_function() -> None:
    text = """
        struct event_base
        #ifdef FOR_READERS
        {}
        #endif
        ;
        """
    record = Repository.build({"a.h": text}).program.find_record("a.h")
    assert record is not None
    assert not record.find_symbols("FOR_READERS")
