"""Swift: a call that nothing awaits is of no asynchronous function, and a value has no static member."""

from __future__ import annotations

import pytest

from tests.repo_mcp.graph.resolved import Repository

A = "Sources/A/a.swift"
TEXT = """
struct Plain { func to(_ one: Int) {}; func both(_ one: Int) {}; func both(_ one: Int) async {} }
struct Later { func to(_ one: Int) async {} }
func expect<T>(_ one: () async -> T) -> Later { Later() }
func expect<T>(_ one: @autoclosure () -> T) -> Plain { Plain() }
func load(_ one: Int) {}
func load(_ one: Int) async {}
func wait() async {}
func use(_ body: () async -> Void) -> Plain { Plain() }
class Work {
  func run(plain: Plain) async {
    plain.both(1)
    await plain.both(2)
    load(3)
    try? await use { load(4) }.both(5)
    async let later = load(6)
    let inside = await plain.both(load(7))
    expect(8).to(8)
    await expect(9).to(9)
    wait()
  }
}
"""


TEXTS = {A: TEXT}


@pytest.mark.parametrize(
    ("line", "name", "expected"),
    [
        ("plain.both(1)", "both", ["1 both exact"]),
        ("await plain.both(2)", "both", ["1 both possible"]),
        ("load(3)", "load", ["5 load exact"]),
        ("load(4)", "load", ["5 load exact"]),  # a closure awaits on its own
        ("load(4)", "both", ["1 both possible"]),
        ("load(6)", "load", ["5 load possible", "6 load possible"]),
        ("load(7)", "load", ["5 load possible", "6 load possible"]),
        ("expect(8)", "to", ["1 to probable"]),  # of overloads of `expect` with different results
        ("expect(9)", "to", ["1 to possible", "2 to possible"]),
        ("    wait()", "wait", ["7 wait exact"]),  # there is no other
    ],
)
def test_calls_with_and_without_await(
    repository: Repository, line: str, name: str, expected: list[str]
) -> None:
    said = repository.ask(A, line, name)
    assert sorted(said) == sorted(f"{A}:{one}" for one in expected)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("DispatchQueue.main.perform { 1 }", []),
        ("queue.perform { 2 }", []),
        ("queueType.perform { 3 }", [f"{A}:2 perform probable"]),
    ],
)
def test_static_members_by_name_alone(line: str, expected: list[str]) -> None:
    text = """
        import Dispatch
        enum Queues { static func perform(_ body: () -> Int) {} }
        func run() {
          let queue = made(), queueType = found()
          DispatchQueue.main.perform { 1 }
          queue.perform { 2 }
          queueType.perform { 3 }
        }
        """
    assert Repository.build({A: text}).ask(A, line, "perform") == expected
