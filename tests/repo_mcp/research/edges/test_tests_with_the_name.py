"""Tests with the name of a symbol in theirs or in their lines are shown, and what tells little says so."""

from __future__ import annotations

from tests.repo_mcp.research.asking import Asked

OVEN = {
    "src/check.ts": "export class GlazeCheck {\n  constructor(readonly limit: number) {}\n}\n",
    "src/kiln.ts": 'import { GlazeCheck } from "./check";\n\nexport class Kiln {\n'
    "  get checks(): GlazeCheck[] {\n"
    "    const one = new GlazeCheck(3);\n    return [one];\n  }\n}\n",
    "test/heat.test.ts": 'import { Kiln } from "../src/kiln";\n\nexport function testHeat() {\n'
    "  const kiln = new Kiln();\n  return kiln.checks.length;\n}\n",
    "test/failures.test.ts": "class FakeGlazeCheck {}\n\n"
    "export function testGlazeCheckStopsEarly() {\n  heat(4);\n}\n",
}


def test_a_test_with_the_name_comes_before_those_that_use_a_property_which_uses_it() -> None:
    report = Asked(OVEN).ask("which tests cover GlazeCheck?")
    assert report.claim.startswith(
        "testGlazeCheckStopsEarly (test/failures.test.ts:3-5) has GlazeCheck in its name."
        " No test is known to use GlazeCheck (src/check.ts:1-3) itself."
    )
    assert "Others use Kiln.checks, perhaps for something else: testHeat" in report.claim
    assert next(one.path for one in report.findings if one.hop) == "test/failures.test.ts"


def _configure(name: str, option: str) -> dict[str, str]:
    text = f"module.exports = {{\n  firing: {{\n    {option}: true,\n  }},\n}};\n"
    return {f"test/cases/{name}/kiln.config.js": text}


def test_files_that_write_an_option_cover_it_and_a_name_that_many_folders_have_tells_nothing() -> None:
    others = {path: text for at in range(20) for path, text in _configure(f"a{at:02}", "isSlow").items()}
    files = {
        "lib/types.d.ts": "export interface Firing {\n  avoidDoubleHeat?: boolean;\n}\n",
        "lib/kiln.config.js": "module.exports = { firing: { avoidDoubleHeat: false } };\n",
        **_configure("twice", "avoidDoubleHeat"),
        **others,
    }
    claim = Asked(files).ask("which test covers firing.avoidDoubleHeat?").claim
    assert "Files of tests have avoidDoubleHeat: test/cases/twice/kiln.config.js:3." in claim
    assert "named after" not in claim


def test_files_that_write_an_option_are_told_though_a_test_uses_it_by_its_type() -> None:
    files = {
        "src/firing.ts": "export interface Firing {\n  avoidDoubleHeat?: boolean;\n}\n",
        "test/heat.test.ts": 'import { Firing } from "../src/firing";\n\n'
        "export function testHeat(firing: Firing) {\n  return firing.avoidDoubleHeat;\n}\n",
        **_configure("twice", "avoidDoubleHeat"),
    }
    claim = Asked(files).ask("which test covers Firing.avoidDoubleHeat?").claim
    assert claim == (
        "Firing.avoidDoubleHeat (src/firing.ts:2) is used by testHeat (test/heat.test.ts:3-5)."
        " Files of tests have avoidDoubleHeat: test/cases/twice/kiln.config.js:3."
    )


def test_a_title_in_quotes_is_the_name_of_a_test() -> None:
    files = {
        "src/glaze.js": "export function mixGlaze(parts) {\n  return parts.length;\n}\n",
        "test/pots.test.js": 'describe("pots", () => {\n  it("uses mixGlaze for all", () => {\n'
        "    fire();\n  });\n});\n",
    }
    claim = Asked(files).ask("which tests cover mixGlaze?").claim
    test = 'describe("pots").it("uses mixGlaze for all") (test/pots.test.js:2-4)'
    assert claim.startswith(f"{test} has mixGlaze in its name. No test is known to use")
