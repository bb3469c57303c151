"""What runs by default, and in which order, is answered by the function that registers it, with its body."""

from __future__ import annotations

import pytest

from tests.repo_mcp.research.asking import Asked, list_found

FIRING = {
    "src/filter.ts": "export interface Filter {\n  handle(pot: string): string;\n}\n",
    "src/dust.ts": 'import { Filter } from "./filter";\n\nexport class DustFilter implements Filter {\n'
    "  handle(pot: string) {\n    return pot.trim();\n  }\n}\n",
    "src/crack.ts": 'import { Filter } from "./filter";\n\nexport class CrackFilter implements Filter {\n'
    "  handle(pot: string) {\n    return pot.slice(1);\n  }\n}\n",
    "src/gloss.ts": 'import { Filter } from "./filter";\n\n'
    "// After CrackFilter and DustFilter, if asked for.\n"
    "export class GlossFilter implements Filter {\n  handle(pot: string) {\n    return pot;\n  }\n}\n",
    "src/line.ts": 'import { CrackFilter } from "./crack";\nimport { DustFilter } from "./dust";\n\n'
    "export function assemble() {\n  const all = new Line();\n  all.use(new DustFilter());\n"
    "  all.use(new CrackFilter());\n  return all;\n}\n",
    "src/order.ts": "// The default order of filters that are run: see which filter is run by default.\n"
    "export function defaultOrderRun(filters: string[]) {\n  return filters.sort();\n}\n",
}


@pytest.mark.parametrize(
    "query",
    [
        "which filters are run by default and in which order?",
        "How is a pot fired: which filters run by default?",
    ],
)
def test_the_function_that_registers_most_of_a_kind_comes_first(query: str) -> None:
    report = Asked(FIRING).ask(query)
    best = report.findings[0]
    assert (best.symbol, best.reason.text) == ("assemble", "names DustFilter and CrackFilter, in their order")
    assert "all.use(new DustFilter());" in best.excerpt


def test_another_question_about_the_kind_has_no_such_answer() -> None:
    report = Asked(FIRING).ask("which filters does a pot run through?")
    assert "assemble" not in list_found(report)[:1]
