"""Errors that a function makes and that never leave it."""

from __future__ import annotations

import pytest

from repo_mcp.research.errors.caught import list_caught
from repo_mcp.research.errors.lines import find_errors, find_message, holds_error
from tests.repo_mcp.research.asking import Asked, drop_conditions

PARCEL_TS = """\
export function readLabel(parcel: unknown) {
  try {
    if (!isObject(parcel)) {
      throw new Error('no such parcel');
    }
    return checkLabel(parcel);
  } catch (cause) {
    throw new LabelError({ message: 'the label cannot be read', cause });
  }
}

function checkLabel(parcel: object) {
  throw new TypeError('the label is too long');
}

export function findCause(parcel: unknown): LabelError {
  if (typeof parcel === 'string') {
    return new LabelError('a text is no parcel');
  }
  const made = new LabelError('an empty parcel');
  made.parcel = parcel;
  return made;
}

export function openParcel(parcel: unknown) {
  throw findCause(parcel);
}
"""


@pytest.fixture(scope="module")
def parcels() -> Asked:
    return Asked({"src/parcel.ts": PARCEL_TS})


def test_what_a_catch_replaces_does_not_arise(parcels: Asked) -> None:
    claim = drop_conditions(parcels.ask("which errors can readLabel throw?").claim)
    assert claim == 'Errors that arise here: LabelError "the label cannot be read" (src/parcel.ts:8).'


def test_an_error_that_a_function_makes_for_another_is_raised_by_that(parcels: Asked) -> None:
    claim = parcels.ask("which errors can openParcel throw?").claim
    assert claim.startswith(
        'Errors that arise here: LabelError "a text is no parcel" (src/parcel.ts:26)'
        ' and LabelError "an empty parcel" (src/parcel.ts:26).'
    )


CAUGHT = [
    ("py", "try:\n    raise A()\nexcept Exception as e:\n    raise B() from e"),
    ("py", "try:\n    raise A()\nexcept:\n    pass"),
    ("java", "try {\n    throw new A();\n} catch (Exception e) {\n    throw new B(e);\n}"),
    ("java", "try {\n    throw new A();\n}\ncatch (final Throwable e) {\n    log.error(e);\n}"),
    ("cs", "try\n{\n    throw new A();\n}\ncatch\n{\n    return;\n}"),
    ("cs", "try\n{\n    throw new A();\n}\ncatch (System.Exception)\n{\n    return;\n}"),
    ("kt", "try {\n    throw A()\n} catch (e: Exception) {\n    throw B(e)\n}"),
    ("rb", "begin\n  raise A\nrescue => e\n  raise B, e.message\nend"),
    ("js", "try {\n    throw new A();\n} catch (e) {\n    console.error(e);\n} finally {\n    close();\n}"),
]
LET_OUT = [
    ("py", "try:\n    raise A()\nexcept Exception:\n    raise"),
    ("py", "try:\n    raise A()\nexcept KeyError as e:\n    raise B() from e"),
    ("py", "try:\n    raise A()\nfinally:\n    close()"),
    ("java", "try {\n    throw new A();\n} catch (IOException e) {\n    throw new B(e);\n}"),
    ("cs", "try\n{\n    throw new A();\n}\ncatch (Exception e) when (e.Message != null)\n{\n    return;\n}"),
    ("cs", "try\n{\n    throw new A();\n}\ncatch (Exception)\n{\n    throw;\n}"),
    ("js", "try {\n    throw new A();\n} catch (e) {\n    if (e instanceof A) throw e;\n}"),
    ("js", "try {\n    throw new A();\n} catch (e) {\n    throw e instanceof A ? e : new B(e);\n}"),
    ("js", "try {\n    throw new A();\n} catch (e) {\n    callback(e);\n}"),
]


@pytest.mark.parametrize(("ending", "text"), CAUGHT)
def test_what_a_clause_for_everything_keeps_is_caught(ending: str, text: str) -> None:
    lines = text.split("\n")
    raising = next(at for at, line in enumerate(lines, 1) if "raise A" in line or " A(" in line)
    assert raising in list_caught(lines, 1, len(lines), f"a.{ending}")


@pytest.mark.parametrize(("ending", "text"), LET_OUT)
def test_what_a_clause_may_let_out_is_not_caught(ending: str, text: str) -> None:
    lines = text.split("\n")
    assert not list_caught(lines, 1, len(lines), f"a.{ending}")


def test_an_error_made_before_it_is_thrown_is_told_once_with_its_text() -> None:
    text = (
        "class Reader {\n    void ReadComma() {\n        if (bad) {\n"
        "            ReadException ex = MakeUnexpected(',');\n            at--;\n            throw ex;\n"
        '        }\n        throw ReadException.Create(this, "nothing to read");\n    }\n\n'
        "    ReadException MakeUnexpected(char one) {\n"
        '        return ReadException.Create(this, "unexpected character");\n    }\n}\n'
    )
    claim = drop_conditions(Asked({"Reader.cs": text}).ask("which errors can ReadComma throw?").claim)
    assert claim == (
        'Errors that arise here: ReadException "unexpected character" (Reader.cs:6)'
        ' and ReadException "nothing to read" (Reader.cs:8).'
    )


def test_a_template_inside_a_message_is_no_message() -> None:
    said = "throw new Error(\n  `Expected texts. Got ${all\n    .map(([key, it]) => `${key}: a ${it}`)}`,\n)"
    assert find_message(said) == '"Expected texts. Got ${…}"'
    assert find_message("throw new Error(`no row ${at + 1} here`)") == '"no row ${at + 1} here"'
    assert find_message("throw new Error(`no row ${rows.map(") == '"no row ${…"'


def test_the_type_that_a_typescript_function_gives_is_no_error() -> None:
    assert not holds_error("export function findCause(cause: unknown): LabelError {")
    assert find_errors("throw LabelError.fromRow(row)") == ["LabelError"]


def test_the_text_of_an_error_may_be_in_a_variable_beside_others() -> None:
    text = (
        'class Writer {\n    void WriteRow(Row row) {\n        string message = "a row within itself";\n'
        "        message += row.Name;\n"
        "        throw WriteException.Create(null, row.Path, message, null);\n    }\n}\n"
    )
    claim = Asked({"Writer.cs": text}).ask("which errors can WriteRow throw?").claim
    assert claim == 'Errors that arise here: WriteException "a row within itself" (Writer.cs:5).'


def test_an_error_that_an_event_is_asked_for_is_not_raised() -> None:
    text = (
        "class Walker {\n    void walk(Event event) throws IOException {\n"
        "        IOException cause = event.ioException();\n"
        "        visitor.visit(event.file(), event.ioException());\n"
        "        if (cause == null) {\n            visit(event);\n        }\n    }\n"
        "    Event visit(Event event) {\n"
        '        throw new ClosedException("walked before");\n    }\n}\n'
    )
    claim = Asked({"Walker.java": text}).ask("which exceptions does Walker.walk throw?").claim
    assert "ClosedException" in claim
    arising, _, declared = claim.partition(" Declared: ")
    assert "IOException" not in arising
    assert declared.startswith("IOException (Walker.java:2-8).")  # which its head says
    assert find_errors("throw event.readError();") == []
    assert holds_error("throw event.readError();")
