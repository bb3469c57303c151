"""What uses a symbol: no file that only imports it for a use of its own, and values are read or set."""

from __future__ import annotations

from tests.repo_mcp.research.asking import Asked, find_one, list_found

ROWS = {
    "shop/rows.py": "__all__ = ['read_rows']\n\n\ndef read_rows(path):\n    return path.read()\n",
    "shop/print.py": "from shop.rows import read_rows\n\n\n"
    "def print_rows(path):\n    print(read_rows(path))\n",
    "shop/__init__.py": "from shop.rows import read_rows\n",
}


def test_a_file_that_imports_what_it_uses_is_one_user() -> None:
    report = Asked(ROWS).ask("what breaks if I change read_rows?")
    assert "shop/print.py" not in list_found(report)
    assert "shop/rows.py" not in list_found(report)
    assert "shop/__init__.py" in list_found(report)  # which does nothing else with it
    assert " is used by print.print_rows (shop/print.py:4-5) and " in report.claim


def test_a_field_is_read_or_set() -> None:
    texts = {
        "rows.go": "package rows\n\ntype Row struct {\n\tRetry int\n}\n\n"
        "func Make() *Row {\n\treturn &Row{Retry: 3}\n}\n\n"
        "func (r *Row) Next() {\n\tr.Retry = r.Retry - 1\n\tr.Retry--\n}\n\n"
        "func (r *Row) Ends() bool {\n\treturn r.Retry == 0\n}\n",
    }
    report = Asked(texts).ask("what breaks if I change Row.Retry?")
    assert find_one(report, "rows.Make").why == "sets Row.Retry"
    assert find_one(report, "rows.Row.Ends").why == "reads Row.Retry"


def test_a_filter_of_a_clause_is_no_error_and_arguments_come_last() -> None:
    text = (
        "class Gate {\n    void Open(Row row) {\n"
        "        if (row == null) throw new ArgumentNullException(nameof(row));\n"
        "        try { row.Read(); }\n"
        "        catch (Exception ex) when (ex.IsCatchableExceptionType())\n        {\n"
        '            throw new GateException("the gate is shut", ex);\n        }\n'
        "        try { row.Close(); }\n        catch (Exception ex) when (ex.IsCatchableExceptionType())\n"
        "        {\n            Log(ex);\n            throw;\n        }\n    }\n}\n"
    )
    claim = Asked({"Gate.cs": text}).ask("which exceptions can Gate.Open throw?").claim
    assert claim.startswith('Errors that arise here: GateException "the gate is shut" (Gate.cs:7, `catch (')
    assert "IsCatchableExceptionType (" not in claim
    assert "ArgumentNullException (Gate.cs:3" in claim


def test_an_element_of_an_array_is_set_and_not_read() -> None:
    texts = {
        "base.h": "struct base {\n    int notify_fd[2];\n};\n",
        "base.c": '#include "base.h"\n\n'
        "void base_clear(struct base *base)\n{\n    base->notify_fd[0] = -1;\n}\n\n"
        "int base_wake(struct base *base)\n{\n    return send(base->notify_fd[1], 1);\n}\n",
    }
    claim = Asked(texts).ask("What reads `base.notify_fd`?").claim
    assert claim == "base.notify_fd is read at base.c:10. It is declared at base.h:2 and set at base.c:5."
