"""A synthetic monorepo, the same for the same seed and number of files.

It imitates what costs an index work: words and identifiers drawn by Zipf's law, a vocabulary for each
directory and names that occur in one file alone, comments, declarations in the style of eight languages,
sizes from a few lines to thousands, directories up to six deep.

Left out on purpose: programs that would run, binary files, and anybody's code.
"""

from __future__ import annotations

import math
import os
import random
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path

VERSION = 1  # part of the cache's name: raise it when the text changes
SEED = 1
DEFAULT_FILES = 3_000
MEAN_BYTES = 6_300  # drawn; a file ends with a whole block, which makes 6.7 kB on average
SIZE_SPREAD = 1.1  # standard deviation of the logarithm of the size, as in the kernel
MAX_BYTES = 200_000
FILES_PER_DIRECTORY = 8
MAX_DEPTH = 6
OWN_WORDS = 4_000  # of names and prose, function words apart
SHARED_NAMES = 40_000
DIRECTORY_NAMES = 300
ZIPF_SHIFT, ZIPF_POWER = 2.7, 1.05  # Mandelbrot's form, with values usual for source text

FUNCTION_WORDS = (
    "the of to a is and in for if not be this that with on by or from as are it will when we an can"
)
REAL_WORDS = (
    "get set value name data type file read write open close buffer size index count list map key"
    " node tree queue work lock state error check init start stop run call return result user event"
    " request response handle server client connect socket packet device driver page block memory"
    " alloc free copy parse token line path string number time date update create delete remove add"
    " find search sort filter load store cache flush commit merge split batch worker thread task"
    " schedule timer signal wait wake poll send receive message channel stream encode decode format"
    " config option flag mode level default current previous next last first parent child root leaf"
    " field record table row column schema query term score rank segment snapshot version manifest"
    " mount unmount inode extent journal bitmap congestion control window retry timeout backoff"
    " limit budget policy rule allow deny verify validate render build compile link module package"
    " import export public private static const struct class interface method function argument"
    " register context session account order invoice payment price stock report chart view button"
)
SYLLABLES = "ba ce di fo gu ka le mi no pu ra se ti vo xe zy con der fil gor hap ject mod ner plex tron"


@dataclass(frozen=True, slots=True)
class Style:
    """The look of files of one language. Templates take names {0} to {3} and the number {4}."""

    suffix: str
    snake_case: bool
    comment: str  # one line; {0} is prose
    openings: tuple[str, ...]  # each declares {0}
    statements: tuple[str, ...]
    closing: str


C_STATEMENTS = (
    "\tif ({0} < {1}->{2})",
    "\t\treturn {0}({1}, {2});",
    "\t{0} = {1}({2}, {3}, {4});",
    "\t{0}->{1} = {2};",
    "\tfor (i = 0; i < {0}; i++)",
    "\t\t{0}[i] |= {1} << {4};",
    '\tpr_debug("{0}: {1} failed\\n", {2});',
)
CAMEL_STATEMENTS = (
    "    if ({0}.{1}({2}) === {4}) {{",
    "    const {0} = await {1}.{2}({3});",
    "    this.{0} = {1}.{2};",
    "    {0}.{1}({2}, {3});",
    "    return {0}.map(({1}) => {1}.{2});",
    "    }}",
)
STYLES = (
    Style(
        ".c",
        True,
        " * {0}",
        ("static int {0}(struct {1} *{2}, unsigned int {3})\n{{", "struct {0} {{\n\tint {1};"),
        C_STATEMENTS,
        "}\n",
    ),
    Style(
        ".h",
        True,
        "/* {0} */",
        ("struct {0} {{", "#define {0}({1}) ({2} + {4})\nenum {3} {{"),
        ("\tint {0};", "\tstruct {0} *{1};", "\tunsigned long {0}; /* {1} {2} */"),
        "};\n",
    ),
    Style(
        ".py",
        True,
        "# {0}",
        ("def {0}({1}, {2}=None):", "class {0}:\n    def {1}(self, {2}):", "async def {0}({1}):"),
        (
            "    {0} = {1}.{2}({3})",
            "    if {0} in {1}:",
            "        raise ValueError({0})",
            '    log.info("%s {0}", {1})',
            "    for {0} in {1}({2}, {4}):",
            "        yield {0}.{1}",
            "    return {0}[{1}]",
        ),
        "\n",
    ),
    Style(
        ".ts",
        False,
        "// {0}",
        ("export function {0}({1}: string): number {{", "export class {0} {{\n  {1}() {{"),
        CAMEL_STATEMENTS,
        "}\n",
    ),
    Style(
        ".java",
        False,
        " * {0}",
        ("public class {0} {{\n    public void {1}(int {2}) {{", "interface {0} {{"),
        CAMEL_STATEMENTS,
        "}\n",
    ),
    Style(
        ".go",
        False,
        "// {0}",
        ("func {0}({1} int) error {{", "type {0} struct {{"),
        ("\t{0}, err := {1}.{2}({3})", "\tif err != nil {{", "\t\treturn {0}", "\t}}", "\t{0}.{1} = {4}"),
        "}\n",
    ),
    Style(
        ".rs",
        True,
        "/// {0}",
        ("pub fn {0}({1}: &{2}) -> usize {{", "impl {0} {{\n    fn {1}(&self) {{"),
        ("    let {0} = {1}.{2}({3});", "    self.{0}.{1}({2})?;", "    {0}.iter().map(|{1}| {1}.{2})"),
        "}\n",
    ),
    Style(
        ".md",
        True,
        "The {0}.",
        ("## {0} and {1}\n",),
        ("Call `{0}` before `{1}`,", "which sets {2} to {4}.", "- `{0}`: see {1}", "    {0} --{1} {4}"),
        "\n",
    ),
)
STYLE_WEIGHTS = (30, 12, 16, 14, 8, 8, 6, 6)


class Draw:
    """Words and names drawn by Zipf's law, from one random generator."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        syllables = SYLLABLES.split()
        made = ("".join(self.chance.choices(syllables, k=self.chance.randint(2, 4))) for _ in range(10**6))
        words = dict.fromkeys(REAL_WORDS.split())
        while len(words) < OWN_WORDS:
            words[next(made)] = None
        self.words = list(words)
        self.prose = FUNCTION_WORDS.split() + self.words
        self._weights = _weigh(SHARED_NAMES)
        self.names = list(dict.fromkeys(self.make_name() for _ in range(SHARED_NAMES)))

    def pick(self, items: Sequence[str], count: int) -> list[str]:
        """Return `count` of the items; the first ones are drawn most often."""
        return self.chance.choices(items, cum_weights=self._weights[: len(items)], k=count)

    def make_name(self) -> str:
        """Return one to four words joined by underscores."""
        parts = self.pick(self.words, self.chance.choices((1, 2, 3, 4), (25, 45, 22, 8))[0])
        number = str(self.chance.randint(0, 64)) if self.chance.random() < 0.05 else ""
        return "_".join(parts) + number

    def make_vocabulary(self, local: Sequence[str], size: int) -> list[str]:
        """Return the names of one file, commonest first: shared ones, its directory's, its own."""
        names = self.pick(self.names, size // 2) + self.pick(local, size // 4)
        names += [self.make_name() for _ in range(size - len(names))]
        self.chance.shuffle(names)
        return names


def _weigh(count: int) -> list[float]:
    return list(accumulate(1 / (rank + ZIPF_SHIFT) ** ZIPF_POWER for rank in range(count)))


@dataclass(frozen=True, slots=True)
class Directory:
    """One directory of the tree: the language and the names that belong there."""

    parts: tuple[str, ...]
    style: Style
    names: list[str]


def ensure_corpus(cache: Path, files: int) -> Path:
    """Return the directory of a corpus of that many files below `cache`; make it if it is not there yet."""
    place = cache / f"repo-mcp-bench-v{VERSION}-{SEED}-{files}"
    if not place.is_dir():
        partial = place.with_name(f"{place.name}.{os.getpid()}")
        shutil.rmtree(partial, ignore_errors=True)
        write_corpus(partial, files)
        partial.rename(place)
    return place


def write_corpus(root: Path, files: int) -> None:
    """Write the tree; `root` must not exist."""
    draw = Draw(SEED)
    directories = _plan_directories(draw, max(1, files // FILES_PER_DIRECTORY))
    for directory in directories:
        root.joinpath(*directory.parts).mkdir(parents=True, exist_ok=True)
    (root / ".gitignore").write_text("*.o\n*.pyc\nbuild/\nnode_modules/\n/out/\n!/docs/out/\n")
    taken: set[Path] = set()
    for number in range(files):
        directory = draw.chance.choice(directories)
        path = root.joinpath(*directory.parts, _name_file(draw, directory, number, taken))
        path.write_bytes(make_text(draw, directory).encode())


def _plan_directories(draw: Draw, count: int) -> list[Directory]:
    tops = ("services", "libs", "drivers", "tools", "web", "docs")
    found = [_make_directory(draw, (top,)) for top in tops]
    taken = {directory.parts for directory in found}
    while len(found) < len(tops) + count:
        parent = draw.chance.choice(found)
        parts = (*parent.parts, draw.pick(draw.words, 1)[0])
        if len(parts) <= MAX_DEPTH and parts not in taken:
            taken.add(parts)
            found.append(_make_directory(draw, parts, parent.style))
    return found


def _make_directory(draw: Draw, parts: tuple[str, ...], parent: Style | None = None) -> Directory:
    style = parent if parent is not None and draw.chance.random() < 0.8 else None
    chosen = style or draw.chance.choices(STYLES, STYLE_WEIGHTS)[0]
    return Directory(parts, chosen, [draw.make_name() for _ in range(DIRECTORY_NAMES)])


def _name_file(draw: Draw, directory: Directory, number: int, taken: set[Path]) -> str:
    name = draw.pick(directory.names, 1)[0] + directory.style.suffix
    if Path(*directory.parts, name) in taken:
        name = f"{draw.make_name()}_{number}{directory.style.suffix}"
    taken.add(Path(*directory.parts, name))
    return name


def make_text(draw: Draw, directory: Directory) -> str:
    """Return the text of one file, of a size drawn by a log-normal law."""
    mean = math.log(MEAN_BYTES) - SIZE_SPREAD**2 / 2
    wanted = min(MAX_BYTES, draw.chance.lognormvariate(mean, SIZE_SPREAD))
    style = directory.style
    names = draw.make_vocabulary(directory.names, 12 + int(wanted) // 90)
    names = names if style.snake_case else [_to_camel_case(name) for name in names]
    parts = [_make_comment(draw, style, 4)]
    size = len(parts[0])
    while size < wanted:
        parts.append(_make_block(draw, style, names))
        size += len(parts[-1])
    return "".join(parts)


def _make_comment(draw: Draw, style: Style, lines: int) -> str:
    """Return lines of prose as a comment, or nothing; a block comment gets its first and last line."""
    if not lines:
        return ""
    prose = [" ".join(draw.pick(draw.prose, draw.chance.randint(4, 12))) for _ in range(lines)]
    text = "".join(style.comment.format(line) + "\n" for line in prose)
    return f"/*\n{text} */\n" if style.comment.startswith(" *") else text


def _make_block(draw: Draw, style: Style, names: list[str]) -> str:
    """Return a declaration with a comment before it."""
    count = draw.chance.randint(3, 30)
    comment = _make_comment(draw, style, draw.chance.choice((0, 1, 1, 2, 5)))
    statements = draw.chance.choices(style.statements, k=count)
    templates = [draw.chance.choice(style.openings), *statements]
    used = draw.pick(names, 4 * len(templates))
    lines = [
        template.format(*used[4 * place : 4 * place + 4], draw.chance.randint(0, 255))
        for place, template in enumerate(templates)
    ]
    return comment + "\n".join(lines) + "\n" + style.closing + "\n"


def _to_camel_case(name: str) -> str:
    first, *others = name.split("_")
    return first + "".join(map(str.capitalize, others))
