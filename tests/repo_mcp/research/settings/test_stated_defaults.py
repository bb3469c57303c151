"""A default that a call gives with the name of a setting is said, and comes before documents."""

from __future__ import annotations

import pytest

from tests.repo_mcp.research.asking import Asked, list_found

DOCS = "".join(
    f"Chapter {at}\n=======\n\n.. code-block:: ini\n\n    file_names = *.py\n\n" for at in range(3)
)


@pytest.mark.parametrize(
    ("path", "text", "said"),
    [
        (
            "app/names.py",
            'def declare(parser):\n    parser.addini(\n        "file_names",\n        type="args",\n'
            '        default=["test_*.py", "*_test.py"],\n    )\n',
            'Its default is ["test_*.py", "*_test.py"] (app/names.py:3).',
        ),
        (
            "app/names.py",
            'def load(config):\n    return config.get("file_names", "*.py")\n',
            'Its default is "*.py" (app/names.py:2).',
        ),
        (
            "app/names.ts",
            "export function declare(cli: Cli) {\n"
            "  cli.define('file_names', { type: 'string', default: '*.ts' });\n}\n",
            "Its default is '*.ts' (app/names.ts:2).",
        ),
        (
            "app/names.go",
            'package app\n\nfunc declare(flags *Set) {\n\tflags.String("file_names", "*.go", "Names.")\n}\n',
            'The option file_names is declared at app/names.go:4 (default "*.go").',
        ),
        (
            "app/Names.java",
            "class Names {\n    String load(Config config) {\n"
            '        return config.getString("file_names", "*.java");\n    }\n}\n',
            'Its default is "*.java" (app/Names.java:3).',
        ),
    ],
)
def test_a_call_with_the_name_of_a_setting_and_a_default_says_it(path: str, text: str, said: str) -> None:
    report = Asked({path: text, "docs/names.rst": DOCS}).ask(
        "Where is file_names configured and what is its default?"
    )
    assert said in report.claim


def test_what_declares_a_setting_with_its_default_comes_before_documents() -> None:
    text = 'def declare(parser):\n    parser.addini("file_names", default=["*.py"])\n'
    reads = 'def collect(config):\n    return config.getini("file_names")\n'
    texts = {"app/names.py": text, "app/collect.py": reads, "docs/names.rst": DOCS}
    report = Asked(texts).ask("Where is file_names configured and what is its default? (addini, collect)")
    assert report.claim.startswith("file_names is declared as an option at app/names.py:2.")
    found = list_found(report)
    assert found[0] == "names.declare"
    assert found.index("collect.collect") < found.index("docs/names.rst")


def test_no_default_is_said_where_a_call_gives_none() -> None:
    text = 'def collect(config):\n    return config.get("file_names", None)\n'
    claim = Asked({"app/names.py": text}).ask("Where is file_names configured and what is its default?").claim
    assert "default" not in claim


def test_a_parameter_tells_the_default_up_to_the_end_of_its_list() -> None:
    files = {
        "limit.py": "class Limit:\n    def __init__(self, *, most: int = 600, pause: int = 10) -> None:\n"
        "        self.most = most\n        self.pause = pause\n\n"
        "    def check(self, message, actor):\n"
        '        return message.get("most") or actor.get("most", self.most)\n'
    }
    claim = Asked(files).ask("What is the default of `most`?").claim
    assert "As a parameter it is by default 600 (limit.py:2)." in claim
    claim = Asked(files).ask("What is the default of `pause`?").claim
    assert "As a parameter it is by default 10 (limit.py:2)." in claim


def test_a_part_of_what_a_setting_is_given_is_not_its_default() -> None:
    files = {
        "removable.ts": "export class Removable {\n  keepTime!: number\n"
        "  updateKeepTime(next: number | undefined): void {\n    this.keepTime = Math.max(\n"
        "      this.keepTime || 0,\n      next ?? 5 * 60 * 1000,\n    )\n  }\n}\n"
    }
    claim = Asked(files).ask("What is the default of `keepTime`?").claim
    assert "gives keepTime Math.max(this.keepTime || 0, next ?? 5 * 60 * 1000) (line 4)" in claim
    assert "The default of keepTime is 0" not in claim


def test_the_only_value_that_a_setting_is_given_is_told_with_its_places() -> None:
    files = {
        "server.js": "function serve(options) {\n  options = {\n    maxPayload: 100 * 1024,\n"
        "    ...options\n  };\n  return new Server(options.maxPayload);\n}\n",
        "client.js": "function call(options) {\n  const own = {\n    maxPayload: 100 * 1024,\n"
        "    ...options\n  };\n  return new Client(own.maxPayload);\n}\n",
    }
    claim = Asked(files).ask("What is the default of `maxPayload`?").claim
    assert "maxPayload is set to 100 * 1024 at client.js:3 and server.js:3." in claim
