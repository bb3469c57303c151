"""Errors that arise without a word such as throw, what only may throw, and errors that nothing raises."""

from __future__ import annotations

from repo_mcp.research.findings.reasons import Role
from tests.repo_mcp.research.asking import Asked, drop_conditions

GATE = """enum GateError: Error { case locked }
enum PathError: Error { case lost }

struct Refusal: Error {}

struct Gate {
    func pass(
        _ name: String
    ) async throws -> Bool {
        return true
    }
    func open(_ name: String, _ promise: Promise) throws {
        if name.isEmpty {
            promise.fail(Refusal(.noName))
        }
        guard name.count < 9 else {
            throw Refusal(.tooLong)
        }
    }
}

struct Path {
    func follow() throws { try walk() }
}
"""


def test_a_head_that_says_that_it_throws_raises_nothing() -> None:
    claim = Asked({"Gate.swift": GATE}).ask("which errors can Gate.pass throw?").claim
    assert claim.startswith(
        "Neither Gate.pass (Gate.swift:7-11) nor what it calls is known to cause an error."
    )


def test_what_a_promise_fails_with_is_an_error_and_is_told_with_its_value() -> None:
    claim = drop_conditions(Asked({"Gate.swift": GATE}).ask("which errors can Gate.open throw?").claim)
    assert claim.startswith(
        "Errors that arise here: Refusal(.noName) (Gate.swift:14) and Refusal(.tooLong) (Gate.swift:17)."
    )


CONVERT = """#include <stdexcept>

class ScaleError : public std::range_error {
 public:
  ScaleError(const char* text) : std::range_error(text) {}
};

ScaleError makeScaleError(int code) {
  return {texts[code]};
}

int scale(const char* text) {
  return tryScale(text).thenOrThrow([&](int code) {
    return makeScaleError(code);
  });
}
int scale(int* value) {
  return *value;
}
int scale(long value) {
  if (value < 0) {
    throw_exception(makeScaleError(1));
  }
  return int(value);
}
"""
COPIES = "".join(f"int scale(T{at}* value) {{\n  return *value;\n}}\n" for at in range(8))


def test_an_error_that_a_function_makes_is_told_by_its_type_at_every_place_of_any_overload() -> None:
    asked = Asked({"scale.cpp": CONVERT + COPIES})
    claim = drop_conditions(asked.ask("which errors can scale throw?").claim)
    assert claim.startswith("Errors that arise here: ScaleError (scale.cpp:14; :22).")


def test_an_error_that_is_handed_to_what_throws_is_raised() -> None:
    texts = {
        "gate.cpp": "#include <stdexcept>\n\nstruct Lost : std::runtime_error {};\n\nint find(int id) {\n"
        "  if (id < 0)\n    throw_exception(Lost(id));\n  return get(id).valueOrThrow(Lost(id));\n}\n"
    }
    raising = [one for one in Asked(texts).ask("who throws Lost?").findings if one.role is Role.RAISES]
    assert [one.lines for one in raising] == [(7, 8)]
