"""Functions that a program declares under names of the language, and calls of those of the language."""

from __future__ import annotations

from tests.repo_mcp.graph.resolved import Repository


def test_a_package_of_go_declares_a_function_of_the_language_anew() -> None:
    repository = Repository.build(
        {
            "go.mod": "module example.com/m\n",
            "a/max.go": "package a\nfunc max(x, y int) int { return x }\n",
            "a/use.go": "package a\nfunc use() int { return max(1, 2) }\n",
            "b/use.go": "package b\nfunc use() int { return max(1, 2) }\n",
        }
    )
    assert repository.ask("a/use.go", "max(1", "max") == ["a/max.go:2 max exact"]
    assert repository.ask("b/use.go", "max(1", "max") == ["-> builtin.max"]


def test_a_function_of_the_language_is_no_method_of_its_name() -> None:
    text = "package b\ntype T struct{}\nfunc (t T) clear() {}\nfunc use(m map[int]int) { clear(m) }\n"
    repository = Repository.build({"go.mod": "module example.com/m\n", "b/b.go": text})
    assert repository.ask("b/b.go", "clear(m)", "clear") == ["-> builtin.clear"]


def test_a_method_of_java_may_be_named_like_the_length_of_an_array() -> None:
    text = """
        class A {
            private static long length(String a) { return 1; }
            static long twice() { return 2 * length("a"); }
        }
    """
    repository = Repository.build({"A.java": text})
    assert repository.ask("A.java", "2 * length", "length") == ["A.java:2 length exact"]


def test_a_file_of_swift_declares_a_function_of_the_language_anew() -> None:
    text = """
        private func assert(_ condition: Bool, within: Int) {}
        func use() {
            assert(true, within: 3)
        }
    """
    repository = Repository.build({"a.swift": text})
    assert repository.ask("a.swift", "within: 3", "assert") == ["a.swift:1 assert exact"]
