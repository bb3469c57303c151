"""Ignore rules against `git check-ignore`: lines and names from a grammar of all that Git reads in them."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from repo_mcp.workspace.ignore.ignore import IgnoreRules
from tests.deep.sizes import examples

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")

# An "é" and its two bytes apart, a byte that no character begins with, and what patterns give a meaning to.
CHARACTERS = [b"a", b"b", b"c", b"Z", b"0", b".", b"-", b" ", b"\t", b"\n", b"\r", b"\x0b", b"\x7f"]
CHARACTERS += [b"\xc3\xa9", b"\xc3", b"\xa9", b"\xaa", b"\xe2\x80\xa8", b"\xff"]
CHARACTERS += [b"!", b"#", b"*", b"?", b"[", b"]", b"^", b"\\", b"|", b"&", b"~", b"$"]
CLASSES = "alnum alpha blank cntrl digit graph lower print punct space upper xdigit word".split()  # noqa: SIM905
NAME_BYTES = [one for one in CHARACTERS if one not in (b".", b"!", b"#")]
PATHS = 40  # asked of Git for each file of rules


class Grammar:
    """Draws the lines of an ignore file, and paths that they are likely to match."""

    def __init__(self, draw: Random) -> None:
        self._draw = draw
        self._choose = draw.choice

    def make_file(self) -> bytes:
        """Return one to three lines, with any of the ends a line may have."""
        bom = self._choose([b""] * 9 + [b"\xef\xbb\xbf"])
        ends = [
            b"\n",
            b"\n",
            b"\n",
            b" \n",
            b"\t\n",
            b"\r\n",
            b"  \n",
            b" \t\n",
            b"\\ \n",
            b"\\  \n",
            b"\0x\n",
            b"\r\r\n",
        ]
        return bom + b"".join(self._make_line() + self._choose(ends) for _ in range(self._draw.randint(1, 3)))

    def _make_line(self) -> bytes:
        parts = [self._make_name() for _ in range(self._choose([1, 1, 2, 2, 3, 4]))]
        slash = self._choose([b"/"] * 9 + [b"\\/"])
        return b"".join(
            [
                self._choose([b""] * 4 + [b"!", b"\\!", b"#", b"\\#", b" "]),
                self._choose([b"", b"", b"/", b"**/"]),
                slash.join(parts),
                self._choose([b"", b"", b"", b"/", b"/**", b"//", b"/*"]),
            ]
        )

    def _make_name(self) -> bytes:
        return self._choose(
            [
                b"**",
                b"*",
                self._choose([b"a", b"ab", b"\xc3\xa9"]) + self._choose([b"**", b"***", b"*"]),
                b"".join(self._make_item() for _ in range(self._draw.randint(1, 4))),
                b"".join(self._make_item() for _ in range(self._draw.randint(1, 4))),
                b"".join(self._choose(CHARACTERS[:5]) for _ in range(self._draw.randint(1, 2))),
            ]
        )

    def _make_item(self) -> bytes:
        character = self._choose(CHARACTERS)
        return self._choose(
            [
                b"*",
                b"?",
                b"\\" + character,
                character,
                character,
                self._make_set(),
                self._choose([b"a", b"b"]),
            ]
        )

    def _make_set(self) -> bytes:
        items = [self._make_set_item() for _ in range(self._draw.randint(0, 4))]
        return (
            b"["
            + self._choose([b"", b"", b"!", b"^"])
            + self._choose([b"", b"", b"", b"]", b"-"])
            + b"".join(items)
            + self._choose([b"", b"", b"", b"-"])
            + self._choose([b"]"] * 9 + [b""])
        )

    def _make_set_item(self) -> bytes:
        first, last = self._choose(CHARACTERS), self._choose(CHARACTERS)
        name = self._choose(CLASSES).encode()
        return self._choose(
            [
                *(first, first, b"\\" + first, first + b"-" + last, b"a-c", first + b"-\\" + last, b"/"),
                *(b"[:" + name + b":]", b"[:" + name + b"]", b"[:" + name, b"[:" + name + b":]-" + last),
            ]
        )

    def make_paths(self, text: bytes) -> list[bytes]:
        """Return distinct paths, most of them after a line of the file."""
        lines = text.removeprefix(b"\xef\xbb\xbf").split(b"\n")
        paths = {self._make_path(self._choose(lines)) for _ in range(PATHS)}
        return sorted(path for path in paths if self._may_be(path))

    def _make_path(self, line: bytes) -> bytes:
        """Return a path such as the pattern means, with one byte changed now and then."""
        path = b""
        at = 0
        while at < len(line):
            one = line[at : at + 1]
            if one == b"*":
                one = self._choose([b"", b"a", b"ab", b"x/y", b"\xa9"])
            elif one == b"?":
                one = self._choose(NAME_BYTES)
            elif one == b"[":
                end = line.find(b"]", at + 2)
                inner = line[at + 1 : end] if end > 0 else b"a"
                one = self._choose(
                    [self._choose(NAME_BYTES), self._choose([inner[i : i + 1] for i in range(len(inner))])]
                )
                at = max(at, end)
            elif one == b"\\":
                at += 1
                one = self._choose([line[at : at + 1], line[at : at + 1], b"\\"])
            path += one
            at += 1
        if self._draw.random() < 0.3:
            cut = self._draw.randint(0, len(path))
            path = (
                path[:cut] + self._choose([*NAME_BYTES, b"/", b""]) + path[cut + self._draw.randint(0, 1) :]
            )
        path = self._choose([path, path, path.removeprefix(b"!"), path + b"/a", b"x/" + path, path.rstrip()])
        return b"/".join(part for part in path.split(b"/") if part)

    def _may_be(self, path: bytes) -> bool:
        """Return True for a path that Git takes as it is: none that it reads as its own or as magic."""
        parts = path.split(b"/")
        return (
            bool(path)
            and b"\0" not in path
            and not path.startswith(b":")
            and not any(
                part in (b".", b"..") or part.startswith(b".git") or len(part) > 100 for part in parts
            )
        )


def init_repository(root: Path) -> None:
    """Write the least that Git takes for a repository: `git init` takes as long as a question."""
    for name in ("objects", "refs"):
        (root / ".git" / name).mkdir(parents=True)
    (root / ".git" / "HEAD").write_text("ref: refs/heads/main\n")


def ask_git(root: Path, paths: list[bytes]) -> list[bytes]:
    """Return those of the paths that Git ignores."""
    environment = {"PATH": "/usr/bin:/bin:/usr/local/bin", "HOME": str(root), "GIT_CONFIG_NOSYSTEM": "1"}
    done = subprocess.run(
        ["git", "-c", "core.quotePath=false", "check-ignore", "--no-index", "--stdin", "-z"],
        cwd=root,
        input=b"".join(path + b"\0" for path in paths),
        capture_output=True,
        check=False,
        env=environment,
    )
    assert done.returncode in (0, 1), done.stderr
    return done.stdout.split(b"\0")[:-1]


def find_differences(root: Path, text: bytes, paths: list[bytes]) -> list[tuple[bytes, bool]]:
    """Return the paths about which we and Git differ, each with what Git says of it."""
    (root / ".gitignore").write_bytes(text)
    above = {path[:at] for path in paths for at in range(len(path)) if path[at : at + 1] == b"/"}
    directories = above | {path for path in paths if len(path) % 2}
    for path in directories:
        os.makedirs(os.path.join(os.fsencode(root), path), exist_ok=True)
    rules = IgnoreRules()
    rules.add_file("", text)
    said = set(ask_git(root, paths))
    return [
        (path, path in said)
        for path in paths
        if rules.ignored(path.decode("utf-8", "surrogateescape"), path in directories) != (path in said)
    ]


@pytest.mark.sized
@settings(max_examples=examples(4_000))  # 110,000 pairs of rules and paths
@given(st.randoms(use_true_random=False))
def test_git_says_the_same_of_every_path(draw: Random) -> None:
    grammar = Grammar(draw)
    text = grammar.make_file()
    paths = grammar.make_paths(text)
    with TemporaryDirectory() as place:
        init_repository(Path(place))
        assert find_differences(Path(place), text, paths) == [], text
