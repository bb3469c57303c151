"""Generated source trees, the same for the same seed, and edits to them."""

from __future__ import annotations

import random
import shutil
from pathlib import Path

WORDS = [
    "schedule",
    "work",
    "queue",
    "ext4",
    "mount",
    "option",
    "parse",
    "HTTPResponse",
    "read_file",
    "writeTo",
    "buffer2",
    "naïve",
    "Übersicht",
    "kmalloc",
    "tcp_congestion",
    "control",
    "index",
    "segment",
    "commit",
    "manifest",
    "token",
    "user_name",
    "getUserName",
    "x",
    "y1",
]
SUFFIXES = (".py", ".c", ".md", ".ts", ".txt", ".json")


def make_text(draw: random.Random, suffix: str) -> str:
    """Source text of 1 to 600 lines with declarations, comments and prose."""
    lines = []
    for _ in range(draw.choice([1, 5, 40, 230, 600])):
        words = " ".join(draw.choices(WORDS, k=draw.randint(0, 8)))
        name = draw.choice(WORDS)
        shape = draw.randrange(5)
        if suffix == ".py":
            lines.append((f"def {name}():", f"    # {words}", f"    {words}", f"class {name}:", "")[shape])
        else:
            lines.append((f"int {name}(void)", f"/* {words} */", words, f"# {words}", "")[shape])
    return "\n".join(lines) + draw.choice(["", "\n"])


def add_file(root: Path, draw: random.Random) -> None:
    """Write one more file, or a new version of one."""
    depth = draw.randrange(3)
    parts = [f"d{draw.randrange(4)}" for _ in range(depth)]
    suffix = draw.choice(SUFFIXES)
    path = root.joinpath(*parts, f"f{draw.randrange(60)}{suffix}")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(make_text(draw, suffix), encoding="utf-8")


def make_tree(root: Path, seed: int, files: int = 60) -> Path:
    """Make a tree of some files in some directories."""
    draw = random.Random(seed)
    root.mkdir(parents=True, exist_ok=True)
    for _ in range(files):
        add_file(root, draw)
    return root


def edit_tree(root: Path, draw: random.Random) -> None:
    """Add, change, remove or rename a few files, now and then a whole directory."""
    for _ in range(draw.randint(1, 5)):
        paths = sorted(path for path in root.rglob("*") if path.is_file() and ".repo_mcp" not in path.parts)
        choice = draw.randrange(8)
        if choice < 5 or len(paths) < 20:
            add_file(root, draw)
        elif choice == 5:
            draw.choice(paths).unlink()
        elif choice == 6:
            path = draw.choice(paths)
            path.rename(path.with_name("renamed_" + path.name))
        else:
            shutil.rmtree(root / draw.choice(["d0", "d1/d1", "d3"]), ignore_errors=True)
