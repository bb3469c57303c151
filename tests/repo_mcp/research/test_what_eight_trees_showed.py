"""What questions about eight unknown repositories showed: false claims, and lines that say nothing."""

from __future__ import annotations

import pytest

from repo_mcp.bodies.body import find_margin
from repo_mcp.bodies.statements import holds_failure
from repo_mcp.research.errors.lines import find_errors
from repo_mcp.research.findings.excerpts import render_excerpt
from repo_mcp.research.findings.locating import is_aside
from repo_mcp.research.settings.line_use import LineUse, classify_use
from repo_mcp.text.question_words import find_action, list_words
from tests.repo_mcp.research.asking import Asked, drop_conditions, find_one

CARRIER = {
    "carriers.ts": """export interface Carrier {
  send(parcel: string): void;
}

export class TruckCarrier implements Carrier {
  private sent: string[] = [];

  send(parcel: string): void {
    this.sent.push(parcel);
  }
}

export class ShipCarrier implements Carrier {
  send(parcel: string): void {
    throw new Error('no ship for ' + parcel);
  }
}
""",
    "depot.ts": """import { Carrier } from './carriers';

export class Depot {
  private carrier: Carrier;

  constructor(carrier: Carrier) {
    this.carrier = carrier;
  }

  dispatch(parcel: string): void {
    this.carrier.send(parcel);
  }
}
""",
    "rules.ts": """import { Carrier } from './carriers';

function register(carrier: Carrier): void {}

export function useNothing(): void {
  register({
    send: parcel => undefined,
  });
}
""",
}


@pytest.fixture(scope="module")
def carrier() -> Asked:
    return Asked(CARRIER)


def test_what_is_plugged_in_is_added_to_its_kind(carrier: Asked) -> None:
    claim = carrier.ask("Where would I plug in my own carrier?").claim
    assert claim.startswith("Implement Carrier (carriers.ts:1-3).")
    assert "It can be given to Depot.constructor (depot.ts:6-8)." in claim


@pytest.mark.parametrize(
    ("question", "nouns"),
    [
        ("how do I plug in a new codec", ("codec",)),
        ("where can we hook in our own parser", ("parser",)),
    ],
)
def test_a_verb_with_in_is_an_action(question: str, nouns: tuple[str, ...]) -> None:
    action = find_action(question)
    assert action is not None
    assert action.nouns == nouns


def test_what_is_noticed_is_asked_for() -> None:
    assert list_words("how does the pump notice that the tank is empty") == ["pump", "tank", "empty"]
    assert "notice" in list_words("how is a notice printed")


@pytest.mark.parametrize("line", ["    --row-limit=COUNT", "  --row-limit=<n>  rows to read"])
def test_a_text_of_help_sets_nothing(line: str) -> None:
    assert classify_use("row_limit", line) is LineUse.DECLARES


def test_an_argument_of_a_command_sets_an_option() -> None:
    assert classify_use("row_limit", "run --row-limit=20") is LineUse.SETS


@pytest.mark.parametrize(
    ("path", "is_one"),
    [
        ("THIRD-PARTY-NOTICES.TXT", True),
        ("NOTICE", True),
        ("docs/COPYING.md", True),
        ("docs/copying-files.md", False),
    ],
)
def test_notices_are_no_documentation(path: str, is_one: bool) -> None:
    assert is_aside(path) is is_one


def test_an_error_in_cpp_is_named_as_it_is_thrown() -> None:
    assert find_errors("throw std::out_of_range(key);") == ["std::out_of_range"]
    assert find_errors("throw_as<faults::no_such_key>(key);") == ["faults::no_such_key"]
    assert holds_failure("throw_as<faults::no_such_key>(key);")
    assert not holds_failure("int throw_count = 0;")


def test_an_error_that_holds_another_is_told_by_what_it_holds() -> None:
    source = """pub fn read_crate(crate_bytes: &[u8]) -> Result<(), ReadError> {
    if crate_bytes.is_empty() {
        return Err(ReadError::Format(
            FormatErrorKind::EmptyCrate.into(),
        ));
    }
    Err(ReadError::Closed)
}
"""
    claim = drop_conditions(
        Asked({"src/crate_reader.rs": source}).ask("which errors can read_crate return?").claim
    )
    assert "FormatErrorKind::EmptyCrate (src/crate_reader.rs:3)" in claim
    assert "ReadError::Closed (src/crate_reader.rs:7)" in claim
    assert "ReadError::Format" not in claim


def test_lines_for_a_preprocessor_have_no_part_in_the_margin() -> None:
    lines = ["        var a = 1;", "#if FAST", "            b();", "#endif"]
    assert find_margin(lines) == 8
    assert render_excerpt(lines, [1, 2, 3]) == "1\tvar a = 1;\n2\t#if FAST\n3\t    b();\n"


def test_tests_in_a_file_of_the_program_are_no_callers() -> None:
    source = """pub fn pack_parcel(parcel: &str) -> String {
    parcel.to_string()
}

pub fn ship_parcel(parcel: &str) -> String {
    pack_parcel(parcel)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packs() {
        assert_eq!(pack_parcel("a"), "a");
    }
}
"""
    report = Asked({"src/parcel.rs": source}).ask("how is a parcel packed")
    groups = {one.what: one.places for one in report.groups}
    callers = [place for what, own in groups.items() if what.startswith("callers of ") for place in own]
    assert not any("tests.packs" in place for place in callers)


def test_a_declaration_that_is_only_named_shows_its_name() -> None:
    body = "\n".join(f"  step_{number}(queue);" for number in range(40))
    source = "".join(
        f"static struct queue *\nqueue_take_{one}(struct queue *queue)\n{{\n{body}\n}}\n\n"
        for one in "abcdefghijklm"
    )
    report = Asked({"src/queue.c": source}).ask("how is something taken from the queue")
    heads = [one.excerpt for one in report.findings if one.excerpt.count("\n") == 1]
    assert heads
    assert all("queue" in head.partition("\t")[2] for head in heads)
    assert not any(head.endswith("\tstatic struct queue *\n") for head in heads)


def test_a_text_of_help_comes_after_what_does_something() -> None:
    files = {
        "app/cli.py": 'USAGE = """\nlimit the rows that are read\nfrom a slow disk\n"""\n',
        "app/disk.py": "def read_rows(disk, limit):\n    rows = []\n    while len(rows) < limit:\n"
        "        rows.append(disk.read())\n    return rows\n",
    }
    report = Asked(files).ask("how are the rows limited that are read from a slow disk")
    assert find_one(report, "disk.read_rows") is report.findings[0]


@pytest.mark.parametrize("path", ["src/units.rs", "src/units/mod.rs"])
def test_a_name_behind_its_module_is_declared(path: str) -> None:
    files = {
        path: "pub fn scale(rows: u32) -> u32 {\n    rows * 2\n}\n",
        "src/sheet.rs": "use crate::units;\n\npub fn draw() -> u32 {\n    units::scale(4)\n}\n",
    }
    asked = Asked(files)
    assert asked.ask("what breaks if I change units::scale?").claim.startswith(
        f"scale ({path}:1-3) is used by draw"
    )
    assert "is not declared" in asked.ask("what breaks if I change sheet::scale?").claim
