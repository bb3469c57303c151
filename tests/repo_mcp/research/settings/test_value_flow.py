"""How an option works: the statements that read it, what they call, and what reads the fields they set."""

from __future__ import annotations

from tests.repo_mcp.research.asking import Asked, find_one, list_found

FORM = {
    "src/options.ts": "export interface Options {\n  detachGone: boolean\n  maxKeptRows: number\n}\n",
    "src/form.ts": """import { Options } from './options'
import { capKeptRows } from './rows'

export class Form {
  leaving = new Set<string>()

  constructor(private options: Options) {}

  leave(name: string, isLocked: boolean) {
    log('leaving', name)
    log('for good', name)
    this.options.detachGone &&
      !isLocked &&
      this.leaving.add(name)
    log('left', name)
  }

  sweep() {
    for (const name of this.leaving) {
      this.drop(name)
    }
  }

  add(rows: string[]) {
    if (this.options.maxKeptRows > 0) {
      capKeptRows(rows, this.options.maxKeptRows)
    }
  }
}
""",
    "src/rows.ts": "export function capKeptRows(rows: string[], most: number) {\n  rows.splice(most)\n}\n",
    "tests/form.test.ts": "import { Form } from '../src/form'\n\n"
    + "".join(
        f"export function build{at}() {{\n"
        f"  return new Form({{ detachGone: true, maxKeptRows: {at} }})\n}}\n\n"
        for at in range(8)
    ),
}


def test_an_option_is_told_by_what_stands_under_it_and_what_reads_the_fields_that_sets() -> None:
    report = Asked(FORM).ask("how does detachGone work?")
    excerpt = find_one(report, "Form.leave").excerpt
    assert "!isLocked &&" in excerpt
    assert "this.leaving.add(name)" in excerpt
    assert "for good" not in excerpt
    assert find_one(report, "Form.sweep").why == "reads the field leaving, which leave sets"
    assert "What it sets is read by Form.sweep (src/form.ts:18-22)." in report.claim
    assert sum(one.path.startswith("tests/") for one in report.findings) <= 2


def test_what_is_named_like_an_option_and_called_under_it_is_shown() -> None:
    report = Asked(FORM).ask("how does max kept rows work?")
    assert list_found(report)[:3] == ["Options.maxKeptRows", "Form.add", "capKeptRows"]
    assert "Called there: capKeptRows (src/rows.ts:1-3)." in report.claim
    assert "is used by Form.add (src/form.ts:24-28)" in report.claim


def test_words_that_all_begin_with_capitals_are_one_name() -> None:
    files = {**FORM, "src/other.ts": "export class Rows {\n  keep() {\n    return 1\n  }\n}\n"}
    report = Asked(files).ask("How does Max Kept Rows work?")
    assert list_found(report)[0] == "Options.maxKeptRows"
