"""Errors that the comment on a function documents, and the type from which several derive."""

from __future__ import annotations

import pytest

from repo_mcp.research.errors.documented import Documented, list_documented
from tests.repo_mcp.research.asking import Asked


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (
            '"""Read.\n\nRaises:\n  Closed: If the shelf is\n    closed. Or not.\n  Late: never\n\n'
            'Returns:\n  Row: one\n"""',
            [("Closed", "If the shelf is closed", 4), ("Late", "never", 6)],
        ),
        (
            '"""Read.\n\nRaises\n------\nClosed\n    If the shelf is closed.\n\nNotes\n-----\n"""',
            [("Closed", "If the shelf is closed", 5)],
        ),
        (
            '"""Read.\n\n:param row: it\n:raises shelf.Closed: if the\n    shelf is closed\n:returns: x\n"""',
            [("shelf.Closed", "if the shelf is closed", 4)],
        ),
        (
            "/**\n * Read.\n * @param row\n * @throws {Closed} if the\n *   shelf is closed\n * @see it\n */",
            [("Closed", "if the shelf is closed", 4)],
        ),
        ("/** @throws Closed if {@link Shelf} is closed */", [("Closed", "if Shelf is closed", 1)]),
        (
            '/// <exception cref="T:Shop.Closed">The <see cref="Shelf"/> is\n/// closed.</exception>',
            [("T:Shop.Closed", "The Shelf is closed", 1)],
        ),
        ('/// <exception cref="Closed" />', [("Closed", "", 1)]),
        ("/// - Throws: `Closed` if the shelf is closed", [("Closed", "if the shelf is closed", 1)]),
        ("/// \\throws Closed if the shelf is closed", [("Closed", "if the shelf is closed", 1)]),
        ('"""It raises: nothing.\n\nRaises: nothing\n"""', []),
    ],
)
def test_documented_errors_are_read(text: str, found: list[tuple[str, str, int]]) -> None:
    lines = text.split("\n")
    entries = list_documented(lines, range(1, len(lines) + 1))
    assert entries == [Documented(name.removeprefix("T:"), said, line) for name, said, line in found]


SHELF = '''class ShopError(Exception): ...
class Closed(ShopError): ...
class Late(ShopError): ...


def open_shelf(row):
    """Open a shelf.

    Raises:
      Closed: If it is closed.
      Lost: If nobody finds it.
    """
    if row.is_late:
        raise Late(row)
    raise Closed(row)
'''


def test_what_is_documented_is_told_apart_from_what_arises_and_the_base_is_named() -> None:
    claim = Asked({"shelf.py": SHELF}).ask("which errors can open_shelf raise?").claim
    assert claim == (
        "Errors that arise here: Late (shelf.py:14, `if row.is_late`) and Closed (shelf.py:15)."
        " Late and Closed derive from ShopError (shelf.py:1)."
        ' Documented: Closed "If it is closed" (shelf.py:10) and Lost "If nobody finds it" (:11).'
    )


def test_one_error_has_no_base_in_common() -> None:
    text = SHELF.replace("    if row.is_late:\n        raise Late(row)\n", "")
    assert "derive" not in Asked({"shelf.py": text}).ask("which errors can open_shelf raise?").claim


def test_what_functions_of_two_files_document_is_cited_in_each() -> None:
    comment = '    """Shut.\n\n    Raises:\n      {}: If it is late.\n    """\n'
    files = {
        f"{name}.py": f"def shut(one):\n{comment.format(name.title())}    return one\n"
        for name in ("box", "van")
    }
    claim = Asked(files).ask("which errors can shut raise?").claim
    assert 'Documented: Box "If it is late" (box.py:5) and Van "If it is late" (van.py:5).' in claim
