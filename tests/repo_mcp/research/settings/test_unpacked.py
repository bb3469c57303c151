"""Names that are taken out of an object: they are read there, whatever default they get."""

from __future__ import annotations

import pytest

from repo_mcp.research.settings.unpacked import is_unpacked
from tests.repo_mcp.research.asking import Asked


@pytest.mark.parametrize(
    ("text", "at"),
    [
        ("const { retries = 3, wait } = options", 1),
        ("const { retries: most } = options", 1),
        ("const {\n  wait,\n  retries,\n} = options", 3),
        ("const { server: { retries } } = options", 1),
        ("function send ({ retries }: Options) {\n}", 1),
        ("const send = async ({\n  retries = 3,\n}: Options): Promise<void> => {\n}", 2),
        ("for (const { retries } of jobs) {\n}", 1),
    ],
)
def test_a_name_is_taken_out(text: str, at: int) -> None:
    assert is_unpacked(text.split("\n"), at, "retries")


@pytest.mark.parametrize(
    "text",
    [
        "send({ retries: 3 })",
        "const options = { retries: 3 }",
        "return { retries }",
        "send({ retries }, () => {\n})",
        "if (late) { retries = 3 }",
        "export default { name: 'x', retries: 3 }",
        "const { wait } = { retries }",
    ],
)
def test_a_name_is_given_or_set(text: str) -> None:
    assert not is_unpacked(text.split("\n"), 1, "retries")


def test_an_option_that_is_taken_out_is_read_there() -> None:
    texts = {
        "options.js": "const defaults = {\n  depthLimit: 5,\n}\n",
        "print.js": "function print (options) {\n  const {\n    depthLimit,\n  } = options\n"
        "  return configure({ most: depthLimit })\n}\n",
        "test/print.test.js": "print({\n  depthLimit: 1,\n})\n",
    }
    report = Asked(texts).ask("what reads the option depthLimit?")
    assert report.claim == "depthLimit is read at print.js:3. It is declared at options.js:2."
    assert not any(one.path.startswith("test/") for one in report.findings)


def test_a_name_that_is_handed_on_under_its_name_is_not_set() -> None:
    texts = {
        "retries.py": "class Retries:\n    def __init__(self, *, max_retries: int = 20):\n"
        "        self.max_retries = max_retries\n\n    def run(self, job):\n"
        "        max_retries = self.max_retries\n        job.send(\n            {\n"
        '                "max_retries": max_retries,\n            }\n        )\n',
    }
    claim = Asked(texts).ask("what reads the option max_retries?").claim
    assert claim == "max_retries is read at retries.py:6. It is declared at retries.py:3."


def test_a_property_that_hands_on_another_of_its_name_reads_it_and_a_text_sets_nothing() -> None:
    texts = {
        "Options.cs": "class ShopOptions {\n  public string AppPath { get; set; }\n}\n",
        "Page.cs": "class Page {\n  public ShopOptions Options { get; }\n"
        "  public string AppPath => Options.AppPath;\n}\n",
        "Old.cs": 'class Old {\n  [Obsolete("Use `Map(new ShopOptions { AppPath = path })` instead.")]\n'
        "  void Use(string path);\n}\n",
    }
    claim = Asked(texts).ask("what reads `ShopOptions.AppPath`?").claim
    assert claim == "ShopOptions.AppPath is read at Page.cs:3. It is declared at Options.cs:2."
