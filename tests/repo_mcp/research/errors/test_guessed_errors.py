"""What makes a guessed error leads before a namesake of what is asked, with the condition of each error."""

from __future__ import annotations

import pytest

from repo_mcp.research.errors.lines import find_errors
from tests.repo_mcp.research.asking import Asked, list_found

LABELS = """export class LabelError extends Error {}

function checkLabel(label) {
  if (label instanceof Promise)
    throw new LabelError('a label may not be late')
  if (label.faults)
    throw new LabelError(JSON.stringify(label.faults), { cause: label })
  return label
}

export function sortParcels(parcels, options) {
  return parcels.map((parcel) => {
    let labelError
    try {
      checkLabel(parcel.label)
    } catch (cause) {
      let made = cause
      if (!(cause instanceof LabelError)) {
        made = new LabelError(cause.message, { cause })
      }
      if (options.strict) {
        throw made
      }
      labelError = made
    }
    return { parcel, labelError }
  })
}
"""
PRINTER = """export function validateParcelLabelRow(row, logger) {
  logger.warn(`the label of parcel ${row} is odd`)
}
"""
FILES = {"src/labels.ts": LABELS, "src/printer.ts": PRINTER}
ASKED = "Which errors can validating a parcel label row raise and when? (LabelError, checkLabel)"


def test_what_makes_the_guessed_error_leads_before_what_only_has_the_words_in_its_name() -> None:
    report = Asked(FILES).ask(ASKED)
    assert list_found(report)[0] == "checkLabel"
    assert "validateParcelLabelRow" not in report.claim


def test_errors_of_one_function_are_told_apart_by_their_conditions() -> None:
    claim = Asked(FILES).ask(ASKED).claim
    assert (
        'LabelError "a label may not be late" (:5, `if (label instanceof Promise)`) and'
        " LabelError (:7, `if (label.faults)`)" in claim
    )


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ("throw new LockError(row, e.InnerException);", ["LockError"]),
        ("throw e.InnerException;", []),
        ("throw new LockError(nameof(row), state.FirstError);", ["LockError"]),
        ("throw new LockError(row, errors.RowError(1))", ["LockError"]),
        ("throw new errors.RowError(row)", ["RowError"]),
        ("raise errors.RowError", ["RowError"]),
    ],
)
def test_a_member_that_an_error_is_given_is_no_error(line: str, names: list[str]) -> None:
    assert find_errors(line) == names


SHIPS = """class Harbour
{
    void RegisterShip(Ship ship)
    {
        if (ship.Late) throw new ShipLateException(ship);
    }

    void RegisterShip(string name)
    {
        if (name == "") throw new ShipLateException(name);
    }

    bool TryTurn(Exception seen, out Exception turned)
    {
        turned = new ShipClashException(seen);
        return true;
    }

    Exception MapShip(Exception seen)
    {
        return new ShipLostException(seen);
    }
}
"""
OF_SHIPS = "Which errors can registering a ship raise and when? (ShipClashException, {0}, ShipLateException)"


def test_overloads_are_told_together_and_an_error_of_a_library_where_it_is_made() -> None:
    claim = Asked({"Harbour.cs": SHIPS}).ask(OF_SHIPS.format("ShipLostException")).claim
    assert (
        "2 overloads of Harbour.RegisterShip (Harbour.cs:3-6, :8-11): ShipLateException (:5, `if (" in claim
    )
    assert "In Harbour.TryTurn (Harbour.cs:13-17): ShipClashException (:15)" in claim


def test_an_error_that_a_function_gives_back_is_told_if_it_is_guessed() -> None:
    claim = Asked({"Harbour.cs": SHIPS}).ask(OF_SHIPS.format("ShipLostException")).claim
    assert "In Harbour.MapShip (Harbour.cs:19-22): ShipLostException (:21)" in claim
