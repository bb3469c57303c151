"""Where one more belongs that is to be like one that the question names: the lines with that one."""

from __future__ import annotations

from tests.repo_mcp.research.asking import Asked

RULES = {
    "src/types.ts": "export type RowRules = {\n  maxRows: number\n  minRows: number\n}\n",
    "src/check.ts": (
        "import { RowRules } from './types'\n\n"
        "export function checkRows(rules: RowRules, rows: string[]) {\n"
        "  const { maxRows, minRows } = rules\n  log(rows)\n"
        "  if (\n    minRows &&\n    rows.length < minRows\n  ) {\n    return 'too few rows'\n  }\n"
        "  return ''\n}\n"
    ),
    "demo/page.ts": "export const page = {\n" + "  minRows: 1,\n" * 9 + "}\n",
    "tests/check.test.ts": "checkRows({ minRows: 2, maxRows: 3 }, [])\n",
}


def test_one_more_belongs_where_the_one_stands_that_it_is_like() -> None:
    report = Asked(RULES).ask("where would I add a new row rule next to minRows?")
    assert [one.path for one in report.findings[:2]] == ["src/check.ts", "src/types.ts"]
    assert "rows.length < minRows" in report.findings[0].excerpt
    assert "log(rows)" not in report.findings[0].excerpt
    assert report.claim.startswith(
        "One more belongs where minRows is: src/check.ts:4, :7, :8 and src/types.ts:3."
    )


def test_a_plain_word_is_nothing_that_one_more_is_like() -> None:
    report = Asked(RULES).ask("where would I add a new row rule like others?")
    assert "belongs where" not in report.claim
