"""One member is added to a JSON file, and every other character stays where it was."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from repo_mcp.cli.clients.json_edit import read_json, render_new, set_member

ENTRY: dict[str, object] = {"command": "/bin/x", "args": ["--repo-root", "/r"]}
SHOWN = """"repo": {
      "command": "/bin/x",
      "args": [
        "--repo-root",
        "/r"
      ]
    }"""
COMPACT = '"repo": {"command": "/bin/x", "args": ["--repo-root", "/r"]}'


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('{\n  "servers": {}\n}\n', f'{{\n  "servers": {{\n    {SHOWN}\n  }}\n}}\n'),
        ('{\n  "servers": {\n  }\n}\n', f'{{\n  "servers": {{\n    {SHOWN}\n  }}\n}}\n'),
        (
            '{\n  "servers": {\n    "a": {}\n  }\n}\n',
            f'{{\n  "servers": {{\n    "a": {{}},\n    {SHOWN}\n  }}\n}}\n',
        ),
        (  # comments, and a comma behind the last
            '{\n  // mine\n  "servers": {\n    "a": {}, // one\n    /* and */\n  },\n}\n',
            f'{{\n  // mine\n  "servers": {{\n    "a": {{}}, // one\n    /* and */\n    {SHOWN}\n  }},\n}}\n',
        ),
        (  # a comment behind the last member, without a comma
            '{\n  "servers": {\n    "a": {} // the first\n  }\n}',
            f'{{\n  "servers": {{\n    "a": {{}}, // the first\n    {SHOWN}\n  }}\n}}',
        ),
        ('{"servers": {"a": {}}, "z": 1}', f'{{"servers": {{"a": {{}}, {COMPACT}}}, "z": 1}}'),
        (
            '{\n  "z": [1,\n2]\n}\n',
            f'{{\n  "z": [1,\n2],\n  "servers": {{\n    {SHOWN}\n  }}\n}}\n',
        ),
        ("{}", f'{{\n  "servers": {{\n    {SHOWN}\n  }}\n}}'),
    ],
)
def test_the_rest_of_a_file_stays(before: str, after: str) -> None:
    assert set_member(before, "servers", "repo", ENTRY) == after
    assert read_json(after)["servers"]["repo"] == ENTRY


def test_tabs_and_line_ends_are_those_of_the_file() -> None:
    before = '{\r\n\t"servers": {\r\n\t\t"a": {}\r\n\t}\r\n}\r\n'
    after = set_member(before, "servers", "repo", {"command": "x"})
    assert after == (
        '{\r\n\t"servers": {\r\n\t\t"a": {},\r\n\t\t"repo": {\r\n'
        '\t\t\t"command": "x"\r\n\t\t}\r\n\t}\r\n}\r\n'
    )


def test_an_entry_is_replaced_where_it_stands() -> None:
    before = '{\n    "servers": {\n        "repo": {"command": "old"}, // ours\n        "b": {}\n    }\n}\n'
    after = set_member(before, "servers", "repo", {"command": "new"})
    assert after == before.replace('{"command": "old"}', '{"command": "new"}')
    alone = '{\n  "servers": {\n    "repo": {\n      "command": "old"\n    }\n  }\n}'
    assert set_member(alone, "servers", "repo", {"command": "new"}) == alone.replace("old", "new")


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("[]", "not an object"),
        ('{"a": 1', "line 1"),
        ('{"a": 1,, "b": 2}', "line 1"),
        ("{'a': 1}", "line 1"),
        ('{"a": 1, "a": 2}', "twice"),
        ("[" * 200_000, "deeply"),
        ('{"a": /* never closed', "not closed"),
        ('{"a": "never closed', "not closed"),
        ("\x00", "line 1"),
    ],
)
def test_what_is_broken_is_said(text: str, word: str) -> None:
    with pytest.raises(ValueError, match=word):
        read_json(text)


def test_a_section_that_is_no_object_is_refused() -> None:
    with pytest.raises(ValueError, match="is not an object"):
        set_member('{"servers": [1]}', "servers", "repo", ENTRY)


def test_hostile_texts_take_no_long_time() -> None:
    for text in (
        "/" * 100_000,
        "/*" * 70_000,
        '"\\' * 70_000,
        "{" + '"a":' * 35_000,
        "/* " + "* " * 70_000,
    ):
        with pytest.raises(ValueError, match=r"line|deeply|closed"):
            read_json(text)
    long = '{"servers": {' + ",".join(f'"s{number}": {{"args": [1, 2]}}' for number in range(7_000)) + "}}"
    assert len(read_json(set_member(long, "servers", "repo", ENTRY))["servers"]) == 7_001


PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=12,
)


@given(
    rest=st.dictionaries(st.text(), PLAIN, max_size=4),
    servers=st.none()
    | st.dictionaries(st.sampled_from(["a", "b", "repo", "\u2028", '"']), PLAIN, max_size=4),
    indent=st.sampled_from([None, 0, 1, 2, 4, "\t"]),
    comment=st.sampled_from(["", " // }, {\n", '/* " */', "\n\n"]),
    name=st.sampled_from(["repo", "b", "with space"]),
)
def test_any_object_with_the_entry_reads_as_both(
    rest: dict[str, Any], servers: dict[str, Any] | None, indent: Any, comment: str, name: str
) -> None:
    document = rest if servers is None else rest | {"mcpServers": servers}
    document = {key: value for key, value in document.items() if key != "mcpServers" or servers is not None}
    text = comment + json.dumps(document, indent=indent).replace("},", "}" + comment + ",") + comment
    try:
        if read_json(text) != document:  # the comment fell into a string
            return
    except ValueError:
        return
    merged = read_json(set_member(text, "mcpServers", name, ENTRY))
    assert merged == document | {"mcpServers": (servers or {}) | {name: ENTRY}}
    assert set_member(render_new("s", "n", ENTRY), "s", "n", ENTRY) == render_new("s", "n", ENTRY)
