"""What decides about a setting that many places declare: its sources in their order, and its default."""

from __future__ import annotations

import pytest

from repo_mcp.research.findings.reasons import Role
from tests.growth import assert_linear
from tests.repo_mcp.research.asking import Asked, list_found

LAYERS = {
    "Keys.cs": 'public static class Keys\n{\n    public const string MaxWorkers = "app:maxWorkers";\n}\n',
    "PoolAttribute.cs": "public class PoolAttribute : Attribute\n{\n"
    "    public int MaxWorkers { get; set; }\n}\n",
    "Options.cs": "public class Options\n{\n    public int? MaxWorkers { get; set; }\n}\n",
    "Parser.cs": "public class Parser\n{\n    public void Parse(Options options, Config config)\n    {\n"
    "        if (config[Keys.MaxWorkers] is string text)\n"
    "            options.MaxWorkers = int.Parse(text);\n    }\n}\n",
    "Runner.cs": "public class Runner\n{\n    public int MaxWorkers { get; set; }\n\n"
    "    public void Start(PoolAttribute attribute, Options options)\n    {\n"
    "        MaxWorkers = attribute.MaxWorkers;\n"
    "        MaxWorkers = options.MaxWorkers ?? MaxWorkers;\n\n"
    "        if (MaxWorkers == 0)\n            MaxWorkers = Environment.ProcessorCount;\n    }\n\n"
    "    public void Open()\n    {\n        gate = new Semaphore(MaxWorkers);\n    }\n}\n",
}
ASKS = (
    "where is the maximum number of workers configured and what is its default? (MaxWorkers, PoolAttribute)"
)


def test_what_takes_a_setting_from_several_sources_says_order_and_default() -> None:
    report = Asked(LAYERS).ask(ASKS)
    assert report.claim.startswith(
        "The default of MaxWorkers is Environment.ProcessorCount (Runner.cs:11);"
        " Runner.Start (Runner.cs:5-12) gives it attribute.MaxWorkers (line 7),"
        " then options.MaxWorkers ?? MaxWorkers (line 8)."
    )
    assert list_found(report)[:2] == ["Runner.Start", "Runner.Open"]
    assert "if (MaxWorkers == 0)" in report.findings[0].excerpt


def test_a_mere_key_comes_last_and_is_no_default() -> None:
    report = Asked(LAYERS).ask(ASKS)
    assert list_found(report)[-1] == "Keys.MaxWorkers"
    assert "app:maxWorkers" not in report.claim


@pytest.mark.parametrize(
    ("path", "text", "default"),
    [
        ("conf.py", "class Conf:\n    max_size: int | None = None\n\n\ndef read(conf):\n"
         "    size = conf.max_size or 3\n    return size\n", "3 (conf.py:6)"),
        ("conf.py", "class Conf:\n    max_size: int | None = None\n\n\ndef read(conf):\n"
         "    if conf.max_size is None:\n        conf.max_size = 3\n", "3 (conf.py:7)"),
        ("conf.py", "class Conf:\n    max_size: int | None = None\n\n\ndef read(conf):\n"
         '    return getattr(conf, "max_size", 3)\n', "3 (conf.py:6)"),
        ("conf.ts", "export interface Conf {\n  max_size?: number\n}\n\n"
         "export function read(conf: Conf) {\n  return conf.max_size ?? 3\n}\n", "3 (conf.ts:6)"),
        ("conf.rs", "pub struct Conf {\n    pub max_size: Option<u32>,\n}\n\n"
         "pub fn read(conf: &Conf) -> u32 {\n    conf.max_size.unwrap_or(3)\n}\n", "3 (conf.rs:6)"),
        ("conf.go", "package conf\n\ntype Conf struct {\n\tmax_size int\n}\n\n"
         "func read(conf *Conf) {\n\tif conf.max_size == 0 {\n\t\tconf.max_size = 3\n\t}\n}\n",
         "3 (conf.go:9)"),
    ],
)  # fmt: skip
def test_what_stands_in_for_an_empty_setting_is_its_default(path: str, text: str, default: str) -> None:
    report = Asked({path: text}).ask("where is max_size configured and what is its default?")
    assert report.claim.startswith(f"The default of max_size is {default}.")
    assert report.findings[0].role is Role.DECIDES_SETTING


def test_the_same_setting_of_something_else_is_no_default() -> None:
    text = (
        "class Conf:\n    max_size: int | None = None\n\n\ndef read(conf, other):\n"
        "    return conf.max_size or other.max_size\n"
    )
    claim = Asked({"conf.py": text}).ask("where is max_size configured and what is its default?").claim
    assert "The default of" not in claim


@pytest.mark.parametrize(
    ("path", "text", "default"),
    [
        ("conf.py", "class Conf:\n    max_size: int | None = None\n\n\ndef read(conf):\n"
         "    return conf.max_size or CORES // 2  # half of them\n", "CORES // 2 (conf.py:6)"),
        ("conf.ts", "export interface Conf {\n  host?: string\n}\n\nexport function read(conf: Conf) {\n"
         "  return conf.host ?? 'http://desk' // ours\n}\n", "'http://desk' (conf.ts:6)"),
        ("conf.ts", "export interface Conf {\n  host?: string\n}\n\nexport function read(conf: Conf) {\n"
         "  return conf.host ?? join('desk', 'local')\n}\n", "join('desk'… (conf.ts:6)"),
        ("conf.py", "class Conf:\n    host: str | None = None\n\n\ndef read(conf):\n"
         "    if conf.host is None:\n        conf.host = join(\n            'desk',\n        )\n",
         "join(… (conf.py:7)"),
    ],
)  # fmt: skip
def test_a_default_is_quoted_as_far_as_it_was_read(path: str, text: str, default: str) -> None:
    name = "max_size" if "max_size" in text else "host"
    claim = Asked({path: text}).ask(f"where is {name} configured and what is its default?").claim
    assert claim.startswith(f"The default of {name} is {default}.")


def test_a_function_that_decides_without_a_default_keeps_its_name() -> None:
    text = (
        "class Conf:\n    max_size: int | None = None\n\n\ndef read(conf, env, own):\n"
        "    max_size = env.max_size\n    max_size = max_size or own.max_size\n    return max_size\n"
    )
    claim = Asked({"conf.py": text}).ask("where is max_size configured and what is its default?").claim
    assert claim.startswith("conf.read (conf.py:5-8) gives max_size env.max_size (line 6), then ")


def test_a_line_of_any_length_is_read_in_linear_time() -> None:
    def build(size: int) -> Asked:
        blanks = " " * size
        return Asked(
            {
                "conf.ts": "export interface Conf {\n  max_size?: number\n}\n\n"
                "export function read(conf: Conf) {\n"
                f"  return conf.max_size === 0 ?{blanks}? 4 : conf.max_size ?? 3{blanks}+ 4\n}}\n"
            }
        )

    def ask(asked: Asked) -> None:
        assert asked.ask("where is max_size configured and what is its default?").claim

    assert_linear(build, ask, 1_000)


def test_a_table_of_defaults_is_shown_once_with_the_other_keys_that_are_guessed() -> None:
    texts = {
        "settings.py": "DEFAULTS = {\n"
        + "".join(f"    'OTHER_{at}': {at},\n" for at in range(60))
        + "    'PAGER_CLASS': None,\n    'PAGE_ROWS': None,\n}\n",
        "pages.py": "from settings import conf\n\n\nclass Pages:\n    rows = conf.PAGE_ROWS\n",
    }
    report = Asked(texts).ask(
        "where is the page size configured and what is its default? (PAGE_ROWS, PAGER_CLASS)"
    )
    assert "Its default is None (settings.py:63)." in report.claim
    excerpt = report.findings[0].excerpt
    assert "DEFAULTS = {" in excerpt
    assert "'PAGER_CLASS': None" in excerpt
    assert "OTHER_3" not in excerpt
    assert sum("'PAGE_ROWS': None" in one.excerpt for one in report.findings) == 1


def test_the_value_of_a_named_default_is_quoted_and_no_other_name_beside_it() -> None:
    texts = {
        "conf.py": "SMALL_MAX_SIZE = 30\nLARGE_MAX_SIZE = 50\n\n\nclass Conf:\n"
        "    max_size: int | None = None\n\n\ndef read(conf):\n"
        "    if conf.max_size is None:\n        conf.max_size = SMALL_MAX_SIZE\n"
        "    conf.max_size = min(conf.max_size, LARGE_MAX_SIZE)\n",
    }
    report = Asked(texts).ask("where is max_size configured and what is its default?")
    values = "\n".join(report.findings[0].values)
    assert "SMALL_MAX_SIZE (conf.py:11), which is 30 (conf.py:1)" in report.claim
    assert "LARGE_MAX_SIZE = 50" not in values
