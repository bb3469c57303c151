"""A fault of a command line is said in words for people, whatever argparse calls it."""

from __future__ import annotations

import pytest

from repo_mcp.config.command_parser import CommandParser


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--top-k", "x", "q"], "--top-k: 'x' is not a whole number"),
        (["--wait", "x", "q"], "--wait: 'x' is not a number"),
        (["--mode", "fuzzy", "q"], "--mode: 'fuzzy' is none of"),
        (["q", "--mode"], "--mode: a value is missing"),
        ([], "query is missing"),
        (["q", "more"], "more: unexpected argument"),
        (["q", "--none"], "there is no option --none"),
    ],
)
def test_what_is_wrong_with_an_argument(
    arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    parser = CommandParser("program", "[options]", "", [])
    parser.add_argument("query")
    parser.add_argument("--top-k", type=int)
    parser.add_argument("--wait", type=float)
    parser.add_argument("--mode", choices=["regex", "literal"])
    with pytest.raises(SystemExit) as ended:
        parser.parse_args(arguments)
    assert ended.value.code == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(f"program: {said}"), line
    assert line.endswith("See program --help."), line
