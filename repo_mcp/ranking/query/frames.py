"""Finds the frames of stack traces, of any language, the innermost first. Pure.

Most frames name a file and a line. Those of .NET and C++ without symbols name only a type and a method, with
what the method takes, which tells its overloads apart; those of kernels only a function. In C++, what reports
a crash comes last. Every pattern is bounded, so that time is linear in the prompt.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import chain

from repo_mcp.late_patterns import compile_late
from repo_mcp.ranking.query.prefiltered import PrefilteredPattern
from repo_mcp.record_classes import dataclass

PATH = r"(?:[A-Za-z]:)?[\\/]{0,2}(?:[\w.@+~-]{1,100}[\\/]){0,30}[\w.@+~-]{1,120}"
_PYTHON_FRAME = 'File "'  # no other frame begins with this
_CAUSE = "Caused by: "
_PACKAGED = frozenset(("groovy", "java", "kt", "scala"))  # languages whose frames have the file's name alone
_FRAMES = (
    PrefilteredPattern(
        [_PYTHON_FRAME],
        r'File "(?P<path>[^"\n]{1,400})", line (?P<line>\d{1,7})(?:, in (?P<name>[^\s]{1,120}))?',
    ),
    PrefilteredPattern(  # of Java, perhaps behind a class loader or a module: `at app//a.B.run(B.java:3)`
        [":"],
        r"\bat (?:[\w.@-]{0,100}/){0,2}(?P<name>[\w.$<>]{1,300}) ?"
        r"\((?P<path>[\w$-]{1,100}\.\w{1,8}):(?P<line>\d{1,7})\)",
    ),
    PrefilteredPattern(
        [":"],
        r"\bat (?:(?:async |new )?(?P<name>[\w.$<>]{1,200})(?: \[as \w{1,100}\])? \()?(?:file://)?"
        rf"(?P<path>{PATH}):(?P<line>\d{{1,7}}):\d{{1,7}}\)?",
    ),
    # of valgrind: `by 0x12FB02: read_cb (http.c:1268)`; of debuggers: `#1 0x4f1a in read_cb at http.c:1268`
    PrefilteredPattern(
        ["0x"],
        rf"\b(?:at|by) 0x[0-9A-Fa-f]{{1,16}}: (?P<name>[\w:~<>]{{1,200}}) "
        rf"\((?P<path>{PATH}\.\w{{1,4}}):(?P<line>\d{{1,7}})\)",
    ),
    PrefilteredPattern(
        ["#"],
        r"^[ \t]{0,8}#\d{1,3} +(?:0x[0-9A-Fa-f]{1,16} +in +)?(?P<name>[\w:~<>]{1,200})(?: ?\([^\n]{0,400}\))?"
        rf"(?: at)? (?P<path>{PATH}\.\w{{1,4}}):(?P<line>\d{{1,7}})(?::\d{{1,7}})?$",
        re.M,
    ),
    PrefilteredPattern(  # of .NET, which names a file only if it has symbols: `at A.B.Read(String path)`
        ["at "],
        r"^[ \t]{0,8}at (?P<name>[\w.<>`+|$]{3,400})(?:\[[\w.,` ]{1,200}\])?"
        r"\((?P<arguments>[^()\n:]{0,800})\)"
        rf"(?: in (?P<path>{PATH}):line (?P<line>\d{{1,7}}))?[ \t]{{0,8}}$",
        re.M,
    ),
    # of C++, often without a file: `@ 0x4f1a ns::Book::read(int)`, `#1 0x4f1a in ns::Book::read(int) ()`
    PrefilteredPattern(
        ["::"],
        r"^[ \t]{0,12}(?:@|#\d{1,3}|\d{1,3}[#:])[ \t]{1,8}(?:(?:0x)?[0-9A-Fa-f]{1,16}[ \t]{1,8}(?:in )?)?"
        r"(?:[\w:<>*&]{1,200} )?"
        r"(?P<name>(?:\w{1,120}(?:<[^()\n]{0,300}>)?::|\(anonymous namespace\)::|`[\w ]{1,40}'::){1,12}"
        r"~?\w{1,120})(?:<[^()\n]{0,300}>)? ?\((?P<arguments>[^\n]{0,800}?)\)(?: const)?"
        rf"(?:(?: at)? (?P<path>{PATH}\.\w{{1,4}}):(?P<line>\d{{1,7}}))?[^\n]{{0,200}}$",
        re.M,
    ),
    # Of kernels, without a file: `RIP: 0010:read_page+0x1e/0x60`, ` do_read.isra.0+0x3f/0x4b0 [fs]`. A `? `
    # says that the address was only left on the stack.
    PrefilteredPattern(
        ["+0x"],
        r"(?<!\? )(?<![\w.+-])(?P<name>[A-Za-z_]\w{1,120})(?:\.[a-z]\w{0,20}(?:\.\d{1,6})?){0,3}"
        r"(?P<path>)\+0x[0-9a-f]{1,8}/0x[0-9a-f]{1,8}",
    ),
    PrefilteredPattern(  # of Ruby, often within a line: "from lib/book.rb:12:in 'Book#read'"
        [".rb:"],
        rf"(?:(?:\d{{1,3}}: )?from )?(?<![\w.@+~\\/-])(?P<path>{PATH}\.rb):(?P<line>\d{{1,7}})"
        r":in [`'](?P<name>[^'\n]{1,200})'",
    ),
    PrefilteredPattern(  # of PHP, which names the function that is called there and not the one around it
        [".php("], rf"^[ \t]{{0,8}}#\d{{1,3}} (?P<path>{PATH}\.php)\((?P<line>\d{{1,7}})\): ", re.M
    ),
    PrefilteredPattern([":line "], rf"\bin (?P<path>{PATH}\.\w{{1,8}}):line (?P<line>\d{{1,7}})"),
    PrefilteredPattern(  # of Go, with the function in the line before: `example.com/a/b.(*Book).Read(...)`
        [".go:"],
        r"(?:^(?:created by )?(?P<name>(?:[\w./%@~-]|\[\.{3}\]|\(\*\w{1,100}(?:\[\.{3}\])?\)){3,300})"
        r"(?:\([^\n]{0,800}+(?<=\))| in goroutine \d{1,12})?\n)?"
        rf"^[ \t]{{1,8}}(?P<path>{PATH}\.go):(?P<line>\d{{1,7}})(?: \+0x[0-9a-f]{{1,16}})?$",
        re.M,
    ),
)
# In the names of C++ functions that report a crash, above the frames of what crashed.
_REPORTS = compile_late(
    r"(?i)signal_?handler|failure_?handler|terminate_?handler|stack_?trace|back_?trace|^terminate$|^abort$"
)
_TEMPLATE_ARGUMENTS = compile_late(r"<[^<>]{0,300}>")
# What the compilers of .NET make of a method: of an asynchronous one, of a lambda in it, of a generic type.
_ASYNCHRONOUS = compile_late(r"\.?<(\w{1,200})>d__\d{1,9}(?:`\d{1,3})?\.MoveNext$")
_LAMBDA = compile_late(r"(?:[.+]<>c(?:__DisplayClass\w{1,40})?)?\.<(\w{1,200})>[bg]__.{0,200}$")
_ARITY = compile_late(r"`\d{1,3}")
# What Go writes around the names of types and methods, and makes of a function literal within a function.
_OF_GO = compile_late(r"^.*/|\(\*|\)|\[\.{3}\]|(?:\.(?:func|gowrap|deferwrap)?\d{1,6}|-fm)+$")
_MAX_NESTED = 4  # arguments of templates in one another


@dataclass(frozen=True, slots=True)
class Frame:
    """One call of a trace."""

    start: int  # where the text names it
    end: int
    path: str  # "" if it names only a type, or only a function
    line: int | None
    name: str | None  # of the function
    type_name: str = ""  # qualified by dots if it names no file; else the last name before the function's
    arguments: str = ""  # what the function takes, as the trace has it, if it names no file
    is_python: bool = False
    is_scoped: bool = False  # of C++: its names are joined by `::`


def find_frames(prompt: str) -> list[Frame]:
    """Return the frames of a text, the innermost first."""
    frames = [_build_frame(match) for match in _match_frames(prompt)]
    return _order_frames(prompt, [frame for frame in frames if frame is not None])


def cut_frames(prompt: str, frames: Iterable[Frame]) -> str:
    """Return the text without the frames."""
    kept, end = [], 0
    for frame in sorted(frames, key=lambda one: one.start):
        kept.append(prompt[end : frame.start])
        end = frame.end
    return "\n".join([*kept, prompt[end:]])


def plain_path(path: str) -> str:
    """Return a path with slashes, and without a dot before it."""
    return path.replace("\\", "/").removeprefix("./")


def _match_frames(prompt: str) -> list[re.Match[str]]:
    """Return the frames, of any language, in the order of the text. They do not overlap."""
    found = [match for frame in _FRAMES for match in frame.find(prompt)]
    kept: list[re.Match[str]] = []
    for match in sorted(found, key=lambda match: match.start()):
        if not kept or match.start() >= kept[-1].end():
            kept.append(match)
    return kept


def _order_frames(prompt: str, frames: Sequence[Frame]) -> list[Frame]:
    """Return the innermost frame first: Python prints it last, all other languages first.

    Java prints the exception that caused another one below it. In C++ a handler of the signal is innermost,
    which is not what crashed.
    """
    causes: list[list[Frame]] = [[]]
    end = 0
    for frame in (one for one in frames if not one.is_python):
        if _CAUSE in prompt[end : frame.start]:
            causes.append([])
        causes[-1].append(frame)
        end = frame.end
    found = [*(one for one in reversed(frames) if one.is_python), *chain.from_iterable(reversed(causes))]
    return sorted(found, key=lambda one: one.is_scoped and _REPORTS.search(one.name or "") is not None)


def _build_frame(match: re.Match[str]) -> Frame | None:
    """Return the frame of a match; None if it has neither a file nor a type."""
    found = match.groupdict()
    name, arguments = found.get("name"), found.get("arguments")
    owner, is_scoped = "", "::" in (name or "")
    if arguments is not None:
        owner, name = _split_scoped(name or "") if is_scoped else _split_call(name or "")
    if match["path"] == "":
        return Frame(match.start(), match.end(), "", None, name)
    if match["path"] is None:
        if not owner or not name:
            return None
        ends = match.start(), match.end()
        return Frame(*ends, "", None, name, owner, arguments or "", is_scoped=is_scoped)
    path = _add_package(plain_path(match["path"]), name or "")
    if path.endswith(".go") and name:
        name = _OF_GO.sub("", name)
    if not owner:
        owner, name = _split_last(name or "")
    is_python = match[0].startswith(_PYTHON_FRAME)
    ends, line = (match.start(), match.end()), int(match["line"])
    return Frame(*ends, path, line, name or None, owner, is_python=is_python, is_scoped=is_scoped)


def _split_call(call: str) -> tuple[str, str]:
    """Return the type and the method of a call of .NET, as the source has them.

    A constructor has the name of its type.
    """
    for pattern in (_ASYNCHRONOUS, _LAMBDA):
        call = pattern.sub(r".\1", call)
    call = _ARITY.sub("", call).replace("+", ".")
    owner, _, name = call.rpartition(".")
    if name in ("ctor", "cctor"):
        owner = owner.rstrip(".")
        name = owner.rpartition(".")[2]
    names = [part for part in owner.split(".") if part]
    is_plain = all(map(str.isidentifier, (*names, name)))
    return (".".join(names), name) if is_plain and names else ("", "")


def _split_scoped(call: str) -> tuple[str, str]:
    """Return the scope, with dots, and the name of a function of C++, without arguments of templates."""
    for _ in range(_MAX_NESTED):
        call = _TEMPLATE_ARGUMENTS.sub("", call)
    *scope, name = [part for part in call.split("::") if part.lstrip("~").isidentifier()]
    return ".".join(scope), name


def _add_package(path: str, name: str) -> str:
    """Return the path of a file that has the class of its name: `org/a/B.java` for B.java and org.a.B.run."""
    stem, dot, extension = path.partition(".")
    package, of_class, _ = f"{name.replace('$', '.')}.".partition(f".{stem}.")
    return f"{package.replace('.', '/')}/{path}" if dot and of_class and extension in _PACKAGED else path


def _split_last(name: str) -> tuple[str, str | None]:
    """Return `Class` and `method` for `com.example.Class.method` and `block in Class#method`.

    The first is empty for a plain name, the second None for `<module>`.
    """
    *owners, last = re.split(r"[.$#\s]|::|->", name)
    return (owners[-1] if owners else ""), (last if last.isidentifier() else None)
