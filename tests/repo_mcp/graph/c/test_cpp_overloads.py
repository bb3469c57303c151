"""Overloads of C++ that literals choose, and macros that only an option of the compiler leaves out."""

from __future__ import annotations

from tests.repo_mcp.graph.resolved import Repository

TEXTS = {
    "run.h": """
        #include <string>
        struct Path { Path(const char* text); };
        struct Size { Size(int size, int other); };
        class Place { public: template <typename Any> Place(const Any& any); };
        enum Color { RED };

        void run(int size);
        void run(const std::string& name);

        void see(Size size);
        void see(Path path);

        void put(const char* text);
        void put(const std::string& text);
        template <typename T> void put(const T& any);

        void say(Place place);
        void say(Path path);

        void ask(Path path);
        void ask(const std::string& text);

        void draw(Color color, int size);
        void draw(double width, int size);

        void wide(const char* text);
        void wide(const wchar_t* text);
    """,
    "use.cc": """
        #include "run.h"
        void all(int given) {
          run("first");
          run(2);
          run(given);
          see("second");
          put("third");
          put(3.5);
          say("fourth");
          ask("fifth");
          draw(1, 2);
          draw(given, 3);
          wide(L"sixth");
          wide("seventh");
        }
    """,
}


def ask(line: str, name: str) -> list[str]:
    return sorted(Repository.build(TEXTS).ask("use.cc", line, name))


def test_a_literal_chooses_the_overload_that_takes_it() -> None:
    assert ask('run("first")', "run") == ["run.h:7 run possible", "run.h:8 run probable"]
    assert ask("run(2)", "run") == ["run.h:7 run probable", "run.h:8 run possible"]
    assert ask('see("second")', "see") == ["run.h:10 see possible", "run.h:11 see probable"]
    assert ask("draw(1, 2)", "draw") == ["run.h:23 draw possible", "run.h:24 draw probable"]


def test_its_own_type_is_better_than_a_class_or_a_template() -> None:
    found = ask('put("third")', "put")
    assert found == ["run.h:13 put probable", "run.h:14 put possible", "run.h:15 put possible"]
    assert ask("put(3.5)", "put")[2] == "run.h:15 put probable"
    assert ask('say("fourth")', "say") == ["run.h:17 say possible", "run.h:18 say probable"]


def test_wide_texts_and_narrow_ones_differ() -> None:
    assert ask('wide(L"sixth")', "wide")[1] == "run.h:27 wide probable"
    assert ask('wide("seventh")', "wide")[0] == "run.h:26 wide probable"


def test_what_no_literal_decides_is_possible() -> None:
    for line, name in (("run(given)", "run"), ('ask("fifth")', "ask"), ("draw(given, 3)", "draw")):
        assert all(one.endswith(" possible") for one in ask(line, name))


def test_an_enum_before_a_value_is_used() -> None:
    repository = Repository.build(
        {
            "color.h": "namespace paint {\nenum class color { red };\n}\n",
            "use.cc": '#include "color.h"\nauto one = paint::color::red;\n',
        }
    )
    assert repository.ask("use.cc", "red", "color") == ["color.h:2 color exact"]


def test_a_macro_that_only_an_option_leaves_out_is_probable() -> None:
    texts = {
        "check.h": """
            #if !CHECK_DONT_DEFINE_TEST
            #define TEST_RUN(name) void name()
            #endif
            #ifndef CHECK_BEGIN
            #define CHECK_BEGIN
            #define CHECK_END
            #endif
            #if !HAVE_COPY
            #define COPY(a, b) b
            #endif
            #if !CHECK_PLAIN
            #define MARK(name) name
            #endif
        """,
        "plain.h": "#define CHECK_PLAIN 1\n",
        "use.cc": """
            #include "check.h"
            TEST_RUN(one) {}
            CHECK_BEGIN
            void f() {
              COPY(1, 2);
              MARK(3);
            }
            CHECK_END
        """,
    }
    repository = Repository.build(texts)
    assert repository.ask("use.cc", "TEST_RUN(one)", "TEST_RUN") == ["check.h:2 TEST_RUN probable"]
    assert repository.ask("use.cc", "CHECK_END", "CHECK_END") == ["check.h:6 CHECK_END probable"]
    assert repository.ask("use.cc", "COPY(1, 2)", "COPY") == ["check.h:9 COPY possible"]  # the system's
    assert repository.ask("use.cc", "MARK(3)", "MARK") == ["check.h:12 MARK possible"]


def test_overloads_in_other_files_count_where_those_of_the_file_do_not_take_a_call() -> None:
    texts = {
        "node.hpp": """
            struct Node {
              int show() const { return show(1, 2); }
              static int show(int first, int second);
            };
            void clean(int* path, int* rest);
        """,
        "node.cc": """
            #include "node.hpp"
            int Node::show(int first, int second) { return 0; }
            void clean(int* path, int* rest) {}
        """,
        "use.cc": """
            #include "node.hpp"
            namespace {
            void clean(int* path) { ::clean(path, 0); }
            }
            struct Test {};
            TEST_F(Test, clean)
            {
              int path = Node::show(3, 4);
              clean(&path, &path);
              clean(&path);
            }
        """,
    }
    repository = Repository.build(texts)
    assert repository.ask("node.hpp", "show(1, 2)", "show") == ["node.cc:2 show exact"]
    assert repository.ask("use.cc", "Node::show(3, 4)", "show") == ["node.cc:2 show exact"]
    assert repository.ask("use.cc", "::clean(path, 0)", "clean") == ["node.cc:3 clean exact"]
    assert repository.ask("use.cc", "clean(&path, &path)", "clean") == ["node.cc:3 clean exact"]
    assert repository.ask("use.cc", "TEST_F(Test", "Test") == ["use.cc:5 Test exact"]
    assert repository.ask("use.cc", "TEST_F(Test", "TEST_F") == []


def test_a_name_behind_template_arguments_is_not_used_alone() -> None:
    repository = Repository.build({"a.cc": "using Item = std::vector<int>::Item;\n"})
    assert repository.ask("a.cc", "using Item", "Item") == ["-> std.vector.Item"]
