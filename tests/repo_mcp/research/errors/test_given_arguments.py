"""What a call gives a function, and which errors that rules out."""

from __future__ import annotations

import pytest

from repo_mcp.research.errors.given_arguments import Given, decide, find_arguments, read_given, split_list
from tests.repo_mcp.research.asking import Asked

NULL, FALSE, TRUE = Given.NULL, Given.FALSE, Given.TRUE


@pytest.mark.parametrize(
    ("language", "parameters", "arguments", "known"),
    [
        (
            "python",
            "(self, row, *, key: str | None = None, strict=False)",
            "row",
            {"key": NULL, "strict": FALSE},
        ),
        ("python", "(self, row, *, key=None)", 'row, key="a, b"', {"key": TRUE}),
        ("python", "(row, key=None)", "row, None", {"key": NULL}),
        ("python", "(row, key=None)", "row, key", {}),
        ("python", "(row, key=None)", "*rows", {}),
        ("python", "(row, key=None, **more)", "row, **more", {}),
        ("python", "(row, *rest, key=None)", "1, 2, 3", {"row": TRUE, "key": NULL}),
        ("typescript", "(row: Row, key?: string, cb: () => void = noop)", "row", {"key": NULL}),
        ("javascript", "(row, strict = false)", "row, true", {"strict": TRUE}),
        (
            "csharp",
            "(Row row, string? key = null, bool strict = false)",
            "row, strict: true",
            {"key": NULL, "strict": TRUE},
        ),
        ("csharp", "(this Row row, bool strict = false)", "true", {"strict": TRUE}),
        ("swift", "(_ row: Row, with key: String? = nil)", "row", {"key": NULL}),
        ("cpp", "(Row row, const char* key = nullptr)", "row", {"key": NULL}),
        ("java", "(Row row, boolean strict)", "row, false", {"strict": FALSE}),
        ("swift", "(_ row: Row, with key: String? = nil)", 'row, with: "a"', {"key": TRUE}),
        ("go", "(row Row, strict bool)", "row, false", {"strict": FALSE}),
        ("rust", "(&self, row: Row, strict: bool)", "row, true", {"strict": TRUE}),
    ],
)
def test_a_call_tells_of_parameters(
    language: str, parameters: str, arguments: str, known: dict[str, Given]
) -> None:
    assert read_given(parameters, arguments, language) == known


@pytest.mark.parametrize(
    ("condition", "holds"),
    [
        ("if key is not None:", False),
        ("if (key != null && row.isLate) {", False),
        ("elif before or key:", None),
        ("if key or strict:", False),
        ("if not strict:", True),
        ("} else if (!strict || row) {", True),
        ("if key == null:", True),
        ("if key is None and row.late:", None),
        ("if key.late:", None),
        ("if (key) {", False),
        ("if (key === undefined) {", True),
    ],
)
def test_a_condition_is_decided_by_what_is_known(condition: str, holds: bool | None) -> None:
    assert decide(condition, {"key": NULL, "strict": FALSE}) is holds


def test_arguments_are_cut_outside_of_brackets_and_quotes() -> None:
    assert split_list("a, f(b, c), ',', {d: [1, 2]}") == ["a", " f(b, c)", " ','", " {d: [1, 2]}"]
    assert find_arguments('x = Shelf(\n    "a)", f(1),\n)\n', "Shelf") == '\n    "a)", f(1),\n'
    assert find_arguments(r'Shelf("a\\", f("\"("))', "Shelf") == r'"a\\", f("\"(")'
    assert find_arguments("myShelf(1)", "Shelf") is None
    assert find_arguments("Shelf(1", "Shelf") is None


SHELF = """class Closed(Exception): ...
class Locked(Exception): ...
class Late(Exception): ...


def open_shelf(path, *, key=None, strict=False):
    if key is not None:
        if key.is_lost:
            raise Locked(path)
    if strict:
        check_shelf(path)
    if path is None:
        raise Closed(path)


def check_shelf(path):
    if path.is_late:
        raise Late(path)


def read_rows(path):
    return open_shelf(path)


def read_strictly(path):
    open_shelf(path)
    return open_shelf(path, strict=True)


def read_both(path, key):
    return open_shelf(path, key=key)
"""


def test_errors_that_the_arguments_rule_out_do_not_arise() -> None:
    asked = Asked({"shelf.py": SHELF})
    claim = asked.ask("which errors can read_rows raise?").claim
    assert claim.startswith("Errors that arise here: Closed (shelf.py:13, `if path is None`). ")
    claim = asked.ask("which errors can read_strictly raise?").claim  # one call of two gives it
    assert "Locked" not in claim
    assert "Closed (shelf.py:13" in claim
    assert "Late (shelf.py:18" in claim
    claim = asked.ask("which errors can read_both raise?").claim
    assert "Locked (shelf.py:9, `if key.is_lost`)" in claim
    assert "Late" not in claim


def test_a_parameter_that_is_given_a_value_decides_nothing_behind_it() -> None:
    text = SHELF.replace("    if key is not", "    key = key or find_key(path)\n    if key is not")
    assert "Locked (shelf.py:10" in Asked({"shelf.py": text}).ask("which errors can read_rows raise?").claim


def test_the_condition_of_the_call_is_told_with_that_of_the_error() -> None:
    text = SHELF.replace("    return open_shelf(path)\n", "    if path.is_new:\n        open_shelf(path)\n")
    claim = Asked({"shelf.py": text}).ask("which errors can read_rows raise?").claim
    assert "Closed (shelf.py:13, `if path is None`, called under `if path.is_new`)" in claim


def test_an_error_that_is_only_kept_in_a_field_does_not_arise() -> None:
    text = (
        "class LeakTask {\n    private Exception made;\n    void start(Row row) {\n"
        '        this.made = new LeakException("seen first here");\n'
        '        if (row == null) { throw new RowException("no row at all"); }\n    }\n}\n'
    )
    claim = Asked({"LeakTask.java": text}).ask("which exceptions can LeakTask.start throw?").claim
    assert "LeakException" not in claim
    thrown = text.replace("if (row == null)", "if (late) { throw made; } if (row == null)")
    thrown = thrown.replace("{ throw made; } if", "throw made;\n        if")
    claim = Asked({"LeakTask.java": thrown}).ask("which exceptions can LeakTask.start throw?").claim
    assert "LeakException" in claim


def test_a_function_that_first_refuses_is_left_to_what_overrides_it() -> None:
    text = (
        "class Store:\n    def load(self, key):\n        return self._load(key)\n\n"
        "    def _load(self, key):\n"
        '        raise NotImplementedError(\n            "%(name)r does not load rows"\n            % {\n'
        '                "name": type(self).__name__,\n            }\n        )\n\n\n'
        "class Disk(Store):\n    def _load(self, key):\n        raise KeyError(key)\n"
    )
    claim = Asked({"store.py": text}).ask("which errors can Store.load raise?").claim
    assert claim.startswith("Errors that arise here: KeyError (store.py:16).")


def test_an_error_that_a_parameter_names_is_its_default() -> None:
    text = (
        "def keep(row, Full=shop.FullError):\n    try:\n        put(row)\n    except OSError as error:\n"
        "        raise Full(str(error)) from error\n"
    )
    claim = Asked({"keep.py": text}).ask("which errors can keep raise?").claim
    assert claim == "Errors that arise here: shop.FullError (keep.py:5, `except OSError as error`)."


def test_an_error_of_swift_is_told_with_its_case_and_reason() -> None:
    text = (
        "func send(_ row: Row, done: (Result<Row, ShelfError>) -> Void) {\n    if row.isLate {\n"
        "        done(.failure(ShelfError.requestFailed(reason: .tooLate(row))))\n        return\n    }\n"
        "    done(.failure(ShelfError.closed))\n}\n"
    )
    claim = Asked({"Send.swift": text}).ask("which errors can send throw?").claim
    assert claim == (
        "Errors that arise here: ShelfError.requestFailed(.tooLate) (Send.swift:3, `if row.isLate`) and"
        " ShelfError.closed (Send.swift:6)."
    )


def test_what_most_of_a_filter_keeps_is_said_with_the_error() -> None:
    text = (
        "class Gate {\n    void Open(Row row) {\n        try\n        {\n            Check(row);\n        }\n"
        "        catch (Exception ex) when (IsExpected(ex))\n        {\n"
        '            throw new GateException("the gate is shut", ex);\n        }\n    }\n'
        "    void Check(Row row) {\n        if (row.IsLate)\n        {\n"
        '            throw new LateException("too late now");\n        }\n    }\n}\n'
    )
    claim = Asked({"Gate.cs": text}).ask("which exceptions can Gate.Open throw?").claim
    late = "`if (row.IsLate)`, called in a `try` with `catch (Exception ex) when (IsExpected(ex))`"
    assert f'LateException "too late now" (Gate.cs:15, {late})' in claim


def test_an_error_that_only_gives_its_stack_does_not_arise() -> None:
    text = (
        "function findCaller () {\n  const stack = new Error().stack\n  return stack.split()\n}\n\n"
        "function send (row) {\n  const caller = findCaller()\n"
        "  if (!row) throw new TypeError('no row at all')\n  return caller\n}\n"
    )
    claim = Asked({"send.js": text}).ask("which errors can send throw?").claim
    assert claim == 'Errors that arise here: TypeError "no row at all" (send.js:8, `if (!row)`).'


def test_what_an_interface_declares_on_several_lines_fails_as_what_implements_it() -> None:
    text = (
        "export interface Query {\n  run(\n    options?: Options | Options['kind'],\n  ): Promise<Row>\n}\n\n"
        "export class QueryImpl implements Query {\n  async run(options?: Options): Promise<Row> {\n"
        "    const row = await this.find(options)\n    if (row === undefined) {\n"
        "      const kind =\n        options?.kind ?? NoRowError\n"
        "      const error = isKind(kind) ? new kind(this.text) : kind(this.text)\n      throw error\n    }\n"
        "    return row\n  }\n}\n"
    )
    claim = Asked({"query.ts": text}).ask("which errors can Query.run throw?").claim
    assert claim.startswith("Errors that arise here: NoRowError (query.ts:14, `if (row === undefined)`).")


def test_a_text_handed_to_what_raises_an_error_is_told_with_its_name() -> None:
    text = (
        "class Refused(Exception): ...\n\n\nclass Row:\n"
        "    def fail(self, text):\n        raise Refused(text)\n\n"
        "    def read(self, kind):\n        if kind == 'late':  # pragma: no cover\n"
        "            self.fail('the row is too late')\n"
    )
    claim = Asked({"row.py": text}).ask("which errors can Row.read raise?").claim
    assert claim.startswith(
        "Errors that arise here: Refused \"the row is too late\" (row.py:10, `if kind == 'late'`)."
    )
