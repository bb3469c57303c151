"""How sure a use is where a library, an option of the build or an alias has a part in it."""

from __future__ import annotations

import pytest

from tests.repo_mcp.graph.resolved import Repository

TEXTS = {
    # A library may have functions of the same name, between which types decide.
    "Sources/Help/help.swift": """
        import Foundation
        import Vendor
        public func expect<T>(_ one: T) -> T { one }
        public func plain(_ one: Int) -> Int { one }
        """,
    "Sources/Help/own.swift": """
        import Foundation
        public func alone<T>(_ one: T) -> T { one }
        func use() {
          _ = expect(1) // beside a library
          _ = plain(1) // of one type
          _ = alone(1) // without a library
        }
        """,
    # The repository gives members to a type of the language.
    "Sources/Text/text.swift": """
        extension String { func quoted(_ by: Int = 1) -> String { self } }
        extension String { private func hidden() -> String { self } }
        """,
    "Sources/Text/use.swift": """
        func use(text: String) {
          _ = text.quoted() // of an extension
          _ = text.hidden() // of another file
        }
        """,
    # A macro is defined unless an option of the compiler says otherwise.
    "short.h": """
        #ifndef USE_SHORT
        #define USE_SHORT 1
        #endif
        #ifndef USE_LONG
        #define USE_LONG 0
        #endif
        #if USE_SHORT
        #define TEST ANY_TEST
        #define PASS() ANY_PASS()
        #endif
        #if USE_LONG
        #define FAIL() ANY_FAIL()
        #endif
        """,
    "short.c": """
        #include "short.h"
        TEST f(void) { // a type by default
            PASS(); // called by default
            FAIL(); // not by default
        }
        """,
    # A function hides a type of its name.
    "value.h": """
        class Value { public: enum type { one, two }; Value(int); int type(); };
        """,
    "value.cpp": """
        #include "value.h"
        int Value::type() { return 1; }
        void f() {
            Value v(1);
            v.type(); // of a value
        }
        """,
    # What a class gives back of itself is of the class below it.
    "a/A.java": """
        package a;
        abstract class Statement<This extends Statement<This>> {
            public This bind(String a) { return null; }
            public This[] list() { return null; }
            public abstract void execute();
        }
        class Call extends Statement<Call> { void invoke() {} public void execute() {} }
        class Other { void invoke() {} }
        class Use {
            void f(Call c) {
                c.bind("a").bind("b").invoke(); // of the class below
                c.bind("a").execute(); // overridden there
                c.list().invoke(); // of a list
            }
        }
        """,
}
CASES = {
    "swift: a generic function beside a library": (
        "// beside a library",
        "expect",
        ["Sources/Help/help.swift:3 expect probable"],
    ),
    "swift: a plain one": ("// of one type", "plain", ["Sources/Help/help.swift:4 plain exact"]),
    "swift: one without a library": (
        "// without a library",
        "alone",
        ["Sources/Help/own.swift:2 alone exact"],
    ),
    "swift text: an extension": (
        "// of an extension",
        "quoted",
        ["Sources/Text/text.swift:1 quoted probable"],
    ),
    "swift text: a private one": ("// of another file", "hidden", ["-> String.hidden"]),
    "c: a macro for a type": ("// a type by default", "TEST", ["short.h:8 TEST probable"]),
    "c: a macro": ("// called by default", "PASS", ["short.h:9 PASS probable"]),
    "c: a macro that is not defined": ("// not by default", "FAIL", ["short.h:12 FAIL possible"]),
    "c++: a function and a type": ("// of a value", "type", ["value.cpp:2 type exact"]),
    "java: itself": ("// of the class below", "invoke", ["a/A.java:7 invoke probable"]),
    "java: overridden": ("// overridden there", "execute", ["a/A.java:7 execute probable"]),
    "java: a list": (
        "// of a list",
        "invoke",
        ["a/A.java:7 invoke possible", "a/A.java:8 invoke possible"],
    ),
}
PATHS = {
    "swift": "Sources/Help/own.swift",
    "swift text": "Sources/Text/use.swift",
    "c": "short.c",
    "c++": "value.cpp",
    "java": "a/A.java",
}


@pytest.mark.parametrize("case", CASES)
def test_a_use_is_as_sure_as_what_decides_it(case: str, repository: Repository) -> None:
    line, name, meant = CASES[case]
    assert repository.ask(PATHS[case.partition(":")[0]], line, name) == meant
