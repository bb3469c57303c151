"""A bare name that several types declare: each is told with its errors, first what others can call."""

from __future__ import annotations

from tests.repo_mcp.research.asking import Asked

READERS = {
    "Parser.cs": (
        "public class Parser\n{\n    private string GetRow(int index)\n    {\n        var first = index;\n"
        "        var last = first;\n        Log(last);\n        if (index > last)\n        {\n"
        '            throw new RangeException("no such place");\n        }\n'
        "        return Take(index);\n    }\n}\n"
    ),
    "Reader.cs": (
        "public class Reader\n{\n    public string GetRow(int index)\n    {\n"
        "        CheckIsOpen();\n        return rows[index];\n    }\n\n"
        "    public string GetRow(string name)\n    {\n        return GetRow(FindRow(name));\n    }\n\n"
        "    private int FindRow(string name)\n    {\n        return FindRow(new[] { name }, 0);\n    }\n\n"
        "    private int FindRow(string[] names, int first = 0)\n    {\n"
        "        if (names.Length == 0)\n        {\n"
        '            throw new HeaderException("there is no header");\n        }\n'
        "        return first;\n    }\n\n"
        "    private void CheckIsOpen()\n    {\n        if (rows == null)\n        {\n"
        '            throw new ClosedException("the reader is closed");\n        }\n    }\n}\n'
    ),
    "Memory.cs": "public class Memory\n{\n    public string GetRow(int index)\n"
    "    {\n        return null;\n    }\n}\n",
}


def test_the_errors_of_each_type_are_told_by_its_name() -> None:
    report = Asked(READERS).ask("which errors can `GetRow` raise?")
    first, _, others = report.claim.partition(" In Parser.GetRow (Parser.cs:3-13): ")
    assert first.startswith("Errors that arise in Reader.GetRow (Reader.cs:3-7, :9-12): ")
    assert 'ClosedException "the reader is closed"' in first
    assert 'HeaderException "there is no header"' in first  # behind an overload, whichever is called
    assert others.startswith('RangeException "no such place" (:10, `if (index > last)`).')
    assert others.endswith(
        " Memory.GetRow (Memory.cs:3-6) is not known to cause an error, nor is what it calls."
    )
    assert report.findings[0].path == "Reader.cs"


def test_more_types_than_are_followed_as_subjects_have_their_errors_told() -> None:
    texts = {
        f"gate{n}.py": f"class Gate{n}:\n    def pass_through(self, row):\n"
        f"        if row:\n            raise Error{n}('shut')\n"
        for n in range(8)
    }
    claim = Asked(texts).ask("which errors can `pass_through` raise?").claim
    assert [n for n in range(8) if f"Gate{n}.pass_through (gate{n}.py:2-4): Error{n}" in claim] == [*range(8)]


def test_what_another_type_of_the_name_raises_is_told_once() -> None:
    texts = {
        "base.go": 'package base\n\nfunc (b *Bucket) Drop(key string) error {\n\tif key == "" {\n'
        "\t\treturn ErrNoKey\n\t}\n\treturn nil\n}\n\ntype Bucket struct{}\n",
        "tx.go": "package base\n\ntype Tx struct{ root Bucket }\n\n"
        "func (t *Tx) Drop(key string) error {\n\treturn t.root.Drop(key)\n}\n",
    }
    claim = Asked(texts).ask("which errors can `Drop` return?").claim
    assert "In Tx.Drop (tx.go:5-7): what Bucket.Drop (base.go:3-8) raises." in claim


def test_a_property_is_asked_for_like_a_function() -> None:
    texts = {
        "box.py": "class Box:\n    @property\n    def first_row(self):\n        if not self.rows:\n"
        "            raise EmptyError('no rows')\n        return self.rows[0]\n",
    }
    claim = Asked(texts).ask("which errors can `first_row` raise?").claim
    assert claim.startswith('Errors that arise here: EmptyError "no rows" (box.py:5')


def test_the_head_of_a_function_declares_errors() -> None:
    text = (
        "public class Box {\n    public Row open(String name)\n"
        "            throws RowException, java.io.IOException {\n"
        "        return inner.open(name);\n    }\n}\n"
    )
    claim = Asked({"Box.java": text}).ask("which exceptions can `open` throw?").claim
    assert "Declared: RowException (Box.java:2-5) and java.io.IOException (Box.java:2-5)." in claim
