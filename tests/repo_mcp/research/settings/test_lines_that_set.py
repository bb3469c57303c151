"""A line that mentions a setting in a message or in prose, or sets another of that name, does not set it."""

from __future__ import annotations

import pytest

from repo_mcp.research.findings.records import Form
from repo_mcp.research.settings.line_use import LineUse, classify_use
from tests.repo_mcp.research.asking import Asked

PING = """export interface Options {
  ping?: { everyMs?: number };
  beat?: { everyMs?: number };
  idleMs?: number;
}

export const beatDefaults = {
  everyMs: 5_000,
};

export function run(opts: Options) {
  const ping = {
    everyMs: opts.ping?.everyMs ?? 1000,
  };
  if (
    opts.idleMs &&
    ping.everyMs > opts.idleMs
  ) {
    throw new Error(
      `Ping must come first - ping.everyMs: ${ping.everyMs} opts.idleMs: ${opts.idleMs}`,
    );
  }
}
"""


def test_a_message_reads_a_setting() -> None:
    claim = Asked({"src/ping.ts": PING}).ask("where is idleMs configured and read?").claim
    assert claim == "idleMs is declared at src/ping.ts:4. It is read at src/ping.ts:16."


def test_a_setting_of_another_owner_is_another_setting() -> None:
    asked = Asked({"src/ping.ts": PING})
    claim = asked.ask("where is beat.everyMs configured?").claim
    assert claim == "beat.everyMs is declared at src/ping.ts:3 and set at src/ping.ts:8."
    claim = asked.ask("where is ping.everyMs configured?").claim
    assert claim.startswith("ping.everyMs is declared at src/ping.ts:2 and set at src/ping.ts:13.")


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("notes: >\n  Use the default. Set isLoud to get more,\n  with isLoud: as a key.\n", 0),
        ("notes: |\n  isLoud: says more\n", 0),
        ("notes: with isLoud: or without\n", 0),
        ('p-isLoud: "1"\n', 0),
        ("bell:\n  isLoud: true\n", 2),
        ("- isLoud: true\n", 1),
        ("bell: { tone: 3, isLoud: true }\n", 1),
    ],
)
def test_prose_inside_data_sets_nothing(text: str, line: int) -> None:
    files = {"bell.yaml": text, "bell.ts": "export interface Bell {\n  isLoud: boolean;\n}\n"}
    claim = Asked(files).ask("where is isLoud configured?").claim
    assert claim == f"isLoud is declared at bell.ts:2{f' and set at bell.yaml:{line}' if line else ''}."


def test_a_type_in_a_document_sets_nothing() -> None:
    files = {
        "bell.ts": "export interface Bell {\n  isLoud: boolean;\n}\n",
        "docs/bell.md": "```ts\n{\n  isLoud: boolean | null;\n}\n```\n",
    }
    reasons = [one.why for one in Asked(files).ask("where is isLoud configured?").findings]
    assert "declares or documents isLoud, in a document or example" in reasons


def test_words_beside_a_declared_name_are_not_said_to_be_declared() -> None:
    files = {"bell.py": "class Bell:\n    max_tone = 3\n"}
    claim = Asked(files).ask("where is the default max_tone configured?").claim
    assert claim == "max_tone is declared as 3 at bell.py:2."


def test_what_reads_options_is_no_option() -> None:
    files = {"bell.py": "def ring_bell(options):\n    return options.get('tone', 3)\n"}
    assert Asked(files).ask("which options does ring_bell read?").reading.form is not Form.CONFIGURED


def test_a_sentence_about_setting_sets_nothing() -> None:
    files = {
        "bell.ts": "export interface Bell {\n  isLoud: boolean;\n}\n",
        "ring.ts": "export function ring() {\n  warn('To hear more, set isLoud to true');\n}\n",
    }
    assert Asked(files).ask("where is isLoud configured?").claim == "isLoud is declared at bell.ts:2."


@pytest.mark.parametrize(
    ("line", "use"),
    [
        ("new Bell('loud', { limit: 3 })", LineUse.SETS),
        ('log("at most limit: " + n)', LineUse.READS),
        ("log(`it's at most opts.limit: ${opts.limit}`)", LineUse.READS),
        ("it's limit: 3", LineUse.SETS),
    ],
)
def test_a_key_behind_a_closed_text_is_set(line: str, use: LineUse) -> None:
    assert classify_use("limit", line) is use


SERVICE = {
    "Level.cs": "namespace Post {\npublic enum Level { Low, High }\n}\n",
    "Settings.cs": "namespace Post {\npublic class Settings {\n    private Level _level;\n"
    "    public Level Level {\n        get { return _level; }\n        set { _level = value; }\n"
    "    }\n}\n}\n",
    "Sender.cs": "namespace Post {\npublic class Sender {\n    private Settings _settings;\n"
    "    public void Prepare() {\n        _settings.Level = Level.High;\n    }\n"
    "    public void Send() {\n        if (_settings.Level == Level.High) { Hurry(); }\n    }\n}\n}\n",
}


@pytest.mark.parametrize("question", ["where is the setting Level read?", "where is Level read?"])
def test_where_a_setting_is_read_is_answered_with_the_lines_that_read_it(question: str) -> None:
    report = Asked(SERVICE).ask(question)
    assert report.reading.form is Form.CONFIGURED
    assert (
        report.claim
        == "Level is read at Sender.cs:8. It is declared at Settings.cs:4-7 and set at Sender.cs:5."
    )


def test_a_function_that_sets_and_reads_a_setting_does_both() -> None:
    files = {
        "bell.ts": "export interface Bell {\n  isLoud: boolean;\n}\n",
        "make.ts": "import { Bell } from './bell';\n\nexport function make(bell: Bell): Bell {\n"
        "  return {\n    isLoud:\n      bell.isLoud ?? true,\n  };\n}\n",
    }
    for question in ("where is isLoud configured?", "where is isLoud read?"):
        claim = Asked(files).ask(question).claim
        assert "set at make.ts:5" in claim
        assert "read at make.ts:6" in claim


OWNED = {
    "bell.ts": "export interface Bell {\n  tone?: { pitch: number };\n}\n"
    "export interface Horn {\n  call?: { pitch: number };\n}\n",
    "ring.ts": "import { Bell, Horn } from './bell';\n\nexport function ring(opts: Bell, horn: Horn) {\n"
    "  const pitch = opts.tone?.pitch ?? 3;\n  return horn.call?.pitch ?? pitch;\n}\n",
    "bell.json": '{\n  "call": {\n    "pitch": 4\n  },\n  "tone": {\n    "pitch": 5\n  }\n}\n',
    "bell.yaml": "call:\n  pitch: 6\ntone:\n  pitch: 7\n",
}


def test_a_dotted_name_is_set_and_read_under_its_owner_only() -> None:
    claim = Asked(OWNED).ask("where is tone.pitch configured and read?").claim
    assert claim == (
        "tone.pitch is declared at bell.ts:2 and set at bell.json:6, bell.yaml:4 and ring.ts:4."
        " It is read at ring.ts:4."
    )


def test_a_key_that_nothing_declares_is_set_inside_its_owner() -> None:
    files = {name: text for name, text in OWNED.items() if name != "bell.ts"}
    claim = Asked(files).ask("where is tone.pitch configured?").claim
    assert claim == "tone.pitch is set at bell.json:6 and bell.yaml:4."


def test_a_setting_that_is_unpacked_is_read() -> None:
    files = {
        "bell.ts": "export interface Bell {\n  isLoud: boolean;\n}\n",
        "ring.js": "export function ring(bell) {\n  let { tone, isLoud } = fill(bell);\n}\n",
    }
    assert Asked(files).ask("what reads isLoud?").claim == (
        "isLoud is read at ring.js:2. It is declared at bell.ts:2."
    )


def test_words_that_joined_are_a_declared_name_mean_it() -> None:
    report = Asked(SERVICE | {"Pool.cs": "public class Pool {\n    public int PoolSize;\n}\n"}).ask(
        "where is the pool size used and configured?"
    )
    assert report.claim == "PoolSize is declared at Pool.cs:2."
