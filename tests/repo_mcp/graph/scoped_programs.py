"""Generated programs of nested scopes in nine languages, and what each use in them means.

A statement is a tuple: ("declare", form, name, type), ("use", name), ("bare", name) or ("inside", form, name,
type, source, statements). A type is "Ant", "Bee" or "" for one that the text does not show. `Spelling` writes
a program; while it writes, it knows which scope it is in, so it also says what every use means.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

NAMES = ("x", "y")  # declared outside of the function as an Ant and a Bee, too
MEMBERS = 60
GAP = "~"  # in a template: a space or a line feed
_MARK = re.compile(r"@bare\d+@")
Statement = tuple[Any, ...]


@dataclass(frozen=True)
class Form:
    """A way to declare a name, or to open a scope that binds it."""

    text: str  # with {name}, {type}, {source} and {body}
    binds: str = "both"  # "typed", "untyped" or "both"; "" for a scope that binds nothing
    untyped: str = ""  # the text for a type that is not shown
    sees: bool = False  # whether the source means the scope outside; otherwise it names nothing
    closed: bool = False  # whether the locals outside are not seen in the body
    same: bool = False  # whether the body may not declare the name again


@dataclass(frozen=True)
class Language:
    """A language, and how it writes the statements."""

    path: str
    head: str
    tail: str
    declare: tuple[Form, ...]
    inside: tuple[Form, ...]
    use: str = "take({name}.{member});"
    bare: str = "take({name});"
    end: str = ""  # between statements
    hides: bool = True  # an inner variable may have the name of one of the function around it
    again: bool = False  # a scope may declare a name twice
    hoists: bool = False  # a name means the variable of its scope before its declaration, too
    indents: bool = False
    other: dict[str, str] = field(default_factory=dict)  # further files


@dataclass
class Written:
    """A program, and what its uses mean."""

    text: str
    members: dict[str, str]  # member -> the type that has it, "" for one that is not shown
    bare: dict[int, tuple[str, bool]]  # line -> name, and whether it is the one outside of the function


class Spelling:
    """Writes one program in a language."""

    def __init__(self, language: Language, seed: int) -> None:
        self.language = language
        self.random = random.Random(seed)
        self.is_wide = seed % 3 > 0
        self.parts: list[str] = []
        self.members: dict[str, str] = {}
        self.bare: list[tuple[str, bool]] = []
        self.depth = 1
        self.said: list[set[str]] = [set()]  # names that the open scopes have used

    def write(self, statements: Iterable[Statement]) -> Written:
        """Return the program of some statements."""
        outside = {"x": "Ant", "y": "Bee"}
        body = self._write_all(statements, outside, {}, {})
        text = self.language.head + "\n" + body + "\n" + self.language.tail + "\n"
        lines = {}
        found: list[str] = []
        for number, line in enumerate(text.split("\n"), 1):
            if "@bare" in line:
                at = int(line.partition("@bare")[2].partition("@")[0])
                lines[number] = self.bare[at]
            found.append(_MARK.sub("", line))
        return Written("\n".join(found), self.members, lines)

    def _gap(self) -> str:
        return "\n" if self.is_wide or self.random.random() < 0.5 else " "

    def _fill(self, text: str) -> str:
        while GAP in text:
            text = text.replace(GAP, self._gap(), 1)
        return text

    def _write_all(
        self,
        statements: Iterable[Statement],
        outside: dict[str, str],
        around: dict[str, str],
        own: dict[str, str],
    ) -> str:
        """Write the statements of one scope; `around` are the locals outside of it, `own` its own."""
        own = dict(own)
        said = []
        self.said.append(set())
        if self.language.indents:
            statements = sorted(statements, key=lambda one: one[0] != "declare")
        for one in statements:
            text = getattr(self, "_write_" + one[0])(outside, around, own, *one[1:])
            if text:
                said.append(text)
        inner = self.said.pop()
        self.said[-1] |= inner
        if self.language.indents:
            return "\n".join("    " * self.depth + one.strip() for one in said or ["pass"])
        # A line feed ends a statement, too, and tree-sitter-go reads no statement that is a semicolon alone.
        ends = ("" if one.endswith("\n") else self.language.end for one in said)
        return "".join(one + end + self._gap() for one, end in zip(said, ends, strict=True))

    def _find(self, name: str, outside: dict[str, str], *scopes: dict[str, str]) -> str:
        return next((one[name] for one in scopes if name in one), outside[name])

    def _use(self, name: str, type_: str) -> str:
        if len(self.members) >= MEMBERS:
            return ""
        self.said[-1].add(name)
        member = f"m{len(self.members)}"
        self.members[member] = type_
        return member

    def _write_use(
        self, outside: dict[str, str], around: dict[str, str], own: dict[str, str], name: str
    ) -> str:
        member = self._use(name, self._find(name, outside, own, around))
        return self.language.use.format(name=name, member=member) if member else ""

    def _write_bare(
        self, outside: dict[str, str], around: dict[str, str], own: dict[str, str], name: str
    ) -> str:
        self.bare.append((name, name not in own and name not in around))
        self.said[-1].add(name)
        mark = f"@bare{len(self.bare) - 1}@"
        return "\n" * (not self.language.indents) + mark + self.language.bare.format(name=name) + "\n"

    def _source(
        self, form: Form, name: str, outside: dict[str, str], around: dict[str, str], own: dict[str, str]
    ) -> str:
        if form.sees and name and self.random.random() < 0.5:
            member = self._use(name, self._find(name, outside, own, around))
            return f"{name}.{member}" if member else "ext()"
        return "ext()"

    def _choose(self, forms: tuple[Form, ...], number: int, type_: str) -> tuple[Form, str, str]:
        form = forms[number % len(forms)]
        if form.binds == "typed":
            type_ = type_ or "Ant"
        if form.binds == "untyped":
            type_ = ""
        return form, type_, form.text if type_ or not form.untyped else form.untyped

    def _write_declare(
        self,
        outside: dict[str, str],
        around: dict[str, str],
        own: dict[str, str],
        number: int,
        name: str,
        type_: str,
    ) -> str:
        form, type_, text = self._choose(self.language.declare, number, type_)
        if name in own and not self.language.again:
            return ""
        if name in around and not self.language.hides:
            return ""
        if name in self.said[-1] and self.language.hoists:
            return ""
        source = self._source(form, name, outside, around, own)
        own[name] = type_
        return self._fill(text).format(name=name, type=type_, source=source)

    def _write_inside(
        self,
        outside: dict[str, str],
        around: dict[str, str],
        own: dict[str, str],
        number: int,
        name: str,
        type_: str,
        source: str,
        statements: list[Statement],
    ) -> str:
        form, type_, text = self._choose(self.language.inside, number, type_)
        there = {} if form.closed else {**around, **own}
        if form.binds and name in there and not self.language.hides:
            form, text = Form("", ""), self.language.inside[0].text
            there = {**around, **own}
        if "{member}" in form.text:  # an expression with one use in place of a body
            member = self._use(name, "")
            return form.text.format(name=name, member=member) if member else ""
        said = self._source(form, source, outside, around, own)
        self.depth += 1
        bound = {name: type_} if form.binds else {}
        if self.language.hides and not form.same:
            body = self._write_all(statements, outside, {**there, **bound}, {})
        else:
            body = self._write_all(statements, outside, there, bound)
        self.depth -= 1
        if self.language.indents:
            body = "\n" + body
        return self._fill(text).format(name=name, type=type_, source=said, body=body)
