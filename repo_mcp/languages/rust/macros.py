"""The token trees that a call of a `macro_rules!` macro expands to.

As in the compiler, the arms of a macro are tried in order. A fragment such as `$t:ty` ends before a token
that cannot belong to it; fragments are not parsed. Calls among the items that an arm gives are expanded, too.
Anything that is not simple raises UndecidedMacro.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from repo_mcp.languages.rust.tokens import INVISIBLE, Group, Steps, Token, Tree, UndecidedMacro
from repo_mcp.record_classes import dataclass

MAX_DEPTH = 40  # nested expansions
MAX_ARMS = 100  # of one macro
_OPERATORS = frozenset({b"*", b"+", b"?"})
_OPAQUE = frozenset(
    ["expr", "ty", "path", "pat", "pat_param", "stmt", "item", "block", "meta", "vis", "literal"]
)
_NOT_TYPES = frozenset(b"as where if else match let return pub use fn struct enum trait type static".split())
# Keywords with which no expression begins, so that an arm that begins with an expression does not match.
_NOT_EXPRESSIONS = frozenset(
    b"as else enum extern fn impl in mod mut pub ref struct trait type use where".split()
)
_NOT_BEGINNING = {"ty": _NOT_TYPES, "path": _NOT_TYPES, "expr": _NOT_EXPRESSIONS}
# Kind of fragment -> the marks and words before which it has ended.
_ENDS_TYPE = frozenset((b",", b"=>", b":", b"=", b";", b"|", b"as", b"where", b">"))
_ENDS = {
    "ty": _ENDS_TYPE,
    "path": _ENDS_TYPE,
    "expr": frozenset((b"=>", b",", b";")),
    "stmt": frozenset((b"=>", b",", b";")),
    "pat": frozenset((b"=>", b",", b"=", b"if", b"in")),
    "pat_param": frozenset((b"=>", b",", b"=", b"if", b"in", b"|")),
    "meta": frozenset((b",", b";")),
}
_BEGINS_EXPRESSION = frozenset((b"-", b"!", b"*", b"&", b"&&", b"|", b"||", b"..", b"..=", b"<", b"::", b"#"))
_BEGINS_TYPE = frozenset((b"!", b"*", b"&", b"&&", b"?", b"<", b"<<", b"::"))
_WITH_END = frozenset((b"const", b"static", b"use", b"type", b"let"))  # items that end in a semicolon


@dataclass(frozen=True, slots=True)
class Repeated:
    """The meanings of a variable inside a repetition, one for each turn."""

    values: Sequence[Bound]


Bound = tuple[Tree, ...] | Repeated


@dataclass(frozen=True, slots=True)
class Variable:
    """`$name:fragment` in a matcher, or `$name` in the expansion of an arm."""

    name: bytes
    fragment: str  # empty in an expansion


@dataclass(frozen=True, slots=True)
class Repetition:
    """`$(...)`, its separator, and the mark that says how often it repeats."""

    parts: Sequence[Part]
    separator: Token | None
    operator: bytes
    names: frozenset[bytes]  # of the variables inside


@dataclass(frozen=True, slots=True)
class Brackets:
    """A group that contains variables or repetitions."""

    bracket: bytes
    parts: Sequence[Part]
    is_spaced: bool


Part = Token | Variable | Repetition | Brackets


@dataclass(frozen=True, slots=True)
class Arm:
    """One arm of a macro."""

    matcher: Sequence[Part]
    replacement: Sequence[Part]


# Definitions


def read_arms(body: Sequence[Tree]) -> list[Arm]:
    """Return the arms of a macro, given the token trees between its brackets."""
    arms: list[Arm] = []
    at = 0
    while at < len(body):
        matcher, arrow, replacement = (*body[at : at + 3], None, None, None)[:3]
        if not isinstance(matcher, Group) or not isinstance(replacement, Group) or not _is_mark(arrow, b"=>"):
            raise UndecidedMacro
        arms.append(Arm(_read_parts(matcher.trees, is_matcher=True), _read_parts(replacement.trees)))
        at += 4 if at + 3 < len(body) and _is_mark(body[at + 3], b";") else 3
    if not arms or len(arms) > MAX_ARMS:
        raise UndecidedMacro
    return arms


def _is_mark(tree: Tree | None, text: bytes) -> bool:
    return isinstance(tree, Token) and tree.text == text and tree.kind != "literal"


def _read_parts(trees: Sequence[Tree], *, is_matcher: bool = False) -> list[Part]:
    parts: list[Part] = []
    at = 0
    while at < len(trees):
        one = trees[at]
        at += 1
        if isinstance(one, Group):
            parts.append(Brackets(one.bracket, _read_parts(one.trees, is_matcher=is_matcher), one.is_spaced))
        elif not _is_mark(one, b"$") or at == len(trees):
            parts.append(one)
        else:
            part, at = _read_variable(trees, at, is_matcher=is_matcher)
            parts.append(part)
    return parts


def _read_variable(trees: Sequence[Tree], at: int, *, is_matcher: bool) -> tuple[Part, int]:
    """Return the part that follows a `$`, and where it ends."""
    one = trees[at]
    if isinstance(one, Group):
        return _read_repetition(trees, at, is_matcher=is_matcher) if one.bracket == b"(" else _refuse()
    if one.kind != "word":
        return _refuse()
    if one.text == b"crate":
        return Token(b"crate", "word", 0, is_spaced=False), at + 1
    if not is_matcher:
        return Variable(one.text, ""), at + 1
    kind = trees[at + 2] if at + 2 < len(trees) and _is_mark(trees[at + 1], b":") else None
    if not isinstance(kind, Token):
        return _refuse()
    return Variable(one.text, kind.text.decode("latin-1")), at + 3


def _read_repetition(trees: Sequence[Tree], at: int, *, is_matcher: bool) -> tuple[Part, int]:
    inside, marks = trees[at], trees[at + 1 : at + 3]
    assert isinstance(inside, Group)
    for position, mark in enumerate(marks):
        if isinstance(mark, Token) and mark.text in _OPERATORS:
            parts = _read_parts(inside.trees, is_matcher=is_matcher)
            before = marks[0] if position else None
            separator = before if isinstance(before, Token) else None
            return Repetition(parts, separator, mark.text, _list_names(parts)), at + 2 + position
    return _refuse()


def _refuse() -> tuple[Part, int]:
    raise UndecidedMacro


def _list_names(parts: Sequence[Part]) -> frozenset[bytes]:
    names: set[bytes] = set()
    for one in parts:
        if isinstance(one, Variable):
            names.add(one.name)
        elif isinstance(one, Repetition):
            names |= one.names
        elif isinstance(one, Brackets):
            names |= _list_names(one.parts)
    return frozenset(names)


# Matching


class Matching:
    """The matching of one call with the arms of a macro."""

    def __init__(self, steps: Steps) -> None:
        self._steps = steps

    def find_arm(self, arms: Sequence[Arm], arguments: Sequence[Tree]) -> tuple[Arm, dict[bytes, Bound]]:
        """Return the first arm that a call matches, and the meanings of its variables.

        Raises UndecidedMacro if no arm matches.
        """
        for arm in arms:
            found: dict[bytes, Bound] = {}
            if self._match(arm.matcher, arguments, 0, found) == len(arguments):
                return arm, found
        raise UndecidedMacro

    def _match(self, parts: Sequence[Part], trees: Sequence[Tree], at: int, found: dict[bytes, Bound]) -> int:
        """Return where the trees end that match the parts; -1 if they do not match."""
        for part in parts:
            self._steps.take()
            if isinstance(part, Variable):
                end = self._find_end(part.fragment, trees, at)
                if end >= 0:
                    found[part.name] = _wrap(part.fragment, trees[at:end])
            elif isinstance(part, Repetition):
                end = self._match_repetition(part, trees, at, found)
            elif at == len(trees):
                end = -1
            else:
                end = at + 1 if self._is_same(part, trees[at], found) else -1
            if end < 0:
                return -1
            at = end
        return at

    def _is_same(self, part: Token | Brackets, tree: Tree, found: dict[bytes, Bound]) -> bool:
        if isinstance(part, Token):
            return isinstance(tree, Token) and tree.text == part.text
        if not isinstance(tree, Group) or tree.bracket != part.bracket:
            return False
        return self._match(part.parts, tree.trees, 0, found) == len(tree.trees)

    def _match_repetition(
        self, part: Repetition, trees: Sequence[Tree], at: int, found: dict[bytes, Bound]
    ) -> int:
        rows: list[dict[bytes, Bound]] = []
        while at < len(trees) and (part.operator != b"?" or not rows):
            start = at
            if rows and part.separator is not None:
                if not _is_equal(trees[at], part.separator):
                    break
                start += 1
            inner: dict[bytes, Bound] = {}
            end = self._match(part.parts, trees, start, inner)
            if end <= start:
                break
            rows.append(inner)
            at = end
        if part.operator == b"+" and not rows:
            return -1
        self._steps.take(len(rows) * len(part.names))
        for name in part.names:
            found[name] = Repeated([row[name] for row in rows if name in row])
        return at

    def _find_end(self, fragment: str, trees: Sequence[Tree], at: int) -> int:
        """Return where a fragment that begins at a tree ends; -1 if none begins there."""
        one = trees[at] if at < len(trees) else None
        if fragment == "vis":
            return _find_visibility_end(trees, at)
        if one is None:
            return -1
        if fragment == "tt" or (isinstance(one, Group) and one.bracket == INVISIBLE):
            return at + 1 if fragment in {"tt", "expr", getattr(one, "fragment", "")} else -1
        if isinstance(one, Token) and fragment in {"ident", "lifetime", "literal"}:
            return _find_token_end(fragment, trees, at)
        if fragment == "block":
            return at + 1 if isinstance(one, Group) and one.bracket == b"{" else -1
        if fragment == "item":
            return self._find_item_end(trees, at)
        if fragment not in _ENDS or not _may_begin(fragment, one):
            return -1
        return self._find_long_end(fragment, trees, at)

    def _find_long_end(self, fragment: str, trees: Sequence[Tree], start: int) -> int:
        """Return where a type, an expression or a pattern ends: before a mark that cannot belong to it."""
        ends, is_type, depth, at = _ENDS[fragment], _ENDS[fragment] is _ENDS_TYPE, 0, start
        if fragment == "expr" and (_is_mark(trees[at], b"|") or _is_mark(trees[at], b"move")):
            at = _skip_parameters(trees, at)
        while at < len(trees):
            self._steps.take()
            one = trees[at]
            if isinstance(one, Group):
                is_next = is_type and depth <= 0 and at > start and one.bracket in {b"{", b"["}
                if is_next and _is_ended(trees[at - 1]):
                    break
            elif one.text in ends and depth <= 0 and one.kind != "literal":
                break
            elif is_type or depth or (at > start and _is_mark(trees[at - 1], b"::")):
                depth += _count_angles(one)
            at += 1
        return at if at > start else -1

    def _find_item_end(self, trees: Sequence[Tree], at: int) -> int:
        is_long = False
        for position in range(at, len(trees)):
            self._steps.take()
            one = trees[position]
            if isinstance(one, Token):
                is_long = is_long or one.text in _WITH_END
                if one.text == b"fn":
                    is_long = False
                if one.text == b";":
                    return position + 1
            elif one.bracket == b"{" and not is_long:
                return position + 1
        return -1


def _wrap(fragment: str, trees: Sequence[Tree]) -> tuple[Tree, ...]:
    """Return what a variable stands for: an opaque fragment is a single tree for the next macro."""
    if fragment not in _OPAQUE or (len(trees) == 1 and isinstance(trees[0], Group) and not trees[0].bracket):
        return tuple(trees)
    return (Group(INVISIBLE, trees, 0, is_spaced=False, fragment=fragment),)


def _is_equal(tree: Tree, token: Token) -> bool:
    return isinstance(tree, Token) and tree.text == token.text


def _find_visibility_end(trees: Sequence[Tree], at: int) -> int:
    if at == len(trees):
        return at
    one = trees[at]
    if isinstance(one, Group):
        return at + 1 if one.fragment == "vis" else at
    if one.text != b"pub":
        return at
    behind = trees[at + 1] if at + 1 < len(trees) else None
    is_limited = isinstance(behind, Group) and behind.bracket == b"(" and _begins_limit(behind)
    return at + 2 if is_limited else at + 1


def _begins_limit(group: Group) -> bool:
    first = group.trees[0] if group.trees else None
    return isinstance(first, Token) and first.text in {b"crate", b"self", b"super", b"in"}


def _find_token_end(fragment: str, trees: Sequence[Tree], at: int) -> int:
    one = trees[at]
    assert isinstance(one, Token)
    if fragment == "ident":
        return at + 1 if one.kind == "word" and one.text != b"_" else -1
    if fragment == "lifetime":
        return at + 1 if one.kind == "lifetime" else -1
    if one.text == b"-":
        at += 1
        behind = trees[at] if at < len(trees) else None
        return at + 1 if isinstance(behind, Token) and behind.kind == "literal" else -1
    return at + 1 if one.kind == "literal" or one.text in {b"true", b"false"} else -1


def _may_begin(fragment: str, one: Tree) -> bool:
    """Return whether a fragment may begin with a tree."""
    if isinstance(one, Group):
        return fragment != "path" and (one.bracket != b"{" or fragment in {"expr", "stmt"})
    if one.kind == "word":
        return one.text not in _NOT_BEGINNING.get(fragment, ())
    if fragment in {"ty", "path"}:
        return one.text in _BEGINS_TYPE or (one.kind == "lifetime" and fragment == "ty")
    return one.kind in {"literal", "lifetime", "doc"} or one.text in _BEGINS_EXPRESSION


def _is_ended(before: Tree) -> bool:
    """Return whether a type may end with a tree, so that brackets after it do not belong to it."""
    return isinstance(before, Group) or before.kind == "word" or before.text in {b">", b">>"}


def _skip_parameters(trees: Sequence[Tree], at: int) -> int:
    """Return where the parameters of a closure end."""
    at += _is_mark(trees[at], b"move")
    if at < len(trees) and _is_mark(trees[at], b"|"):
        at += 1
        while at < len(trees) and not _is_mark(trees[at], b"|"):
            at += 1
        at += 1
    return min(at, len(trees))


def _count_angles(one: Token) -> int:
    if one.kind != "mark":
        return 0
    return {b"<": 1, b"<<": 2, b">": -1, b">>": -2}.get(one.text, 0)


# What an arm gives


class Expansion:
    """The replacement of one call by items."""

    def __init__(self, macros: Mapping[bytes, Sequence[Arm]], steps: Steps) -> None:
        self._macros, self.steps = macros, steps

    def expand(self, name: bytes, arguments: Sequence[Tree], depth: int = 0) -> list[Tree]:
        """Return the token trees that a call expands to. Raises UndecidedMacro."""
        if depth > MAX_DEPTH:
            raise UndecidedMacro
        arm, bound = Matching(self.steps).find_arm(self._macros[name], arguments)
        found: list[Tree] = []
        self._give(arm.replacement, bound, found)
        return self._expand_items(found, depth)

    def _give(self, parts: Sequence[Part], bound: Mapping[bytes, Bound], found: list[Tree]) -> None:
        """Add what the parts of an arm expand to."""
        for part in parts:
            self.steps.take()
            if isinstance(part, Token):
                found.append(part)
            elif isinstance(part, Variable):
                value = bound.get(part.name)
                if value is None or isinstance(value, Repeated):
                    raise UndecidedMacro
                found += value
            elif isinstance(part, Brackets):
                inside: list[Tree] = []
                self._give(part.parts, bound, inside)
                found.append(Group(part.bracket, inside, 0, part.is_spaced))
            else:
                self._repeat(part, bound, found)

    def _repeat(self, part: Repetition, bound: Mapping[bytes, Bound], found: list[Tree]) -> None:
        repeated = {name: one for name in part.names if isinstance(one := bound.get(name), Repeated)}
        counts = {len(one.values) for one in repeated.values()}
        if len(counts) != 1:
            raise UndecidedMacro
        for number in range(counts.pop()):
            self.steps.take(len(bound))
            inner = {**bound, **{name: one.values[number] for name, one in repeated.items()}}
            if number and part.separator is not None:
                found.append(part.separator)
            self._give(part.parts, inner, found)

    def _expand_items(self, trees: list[Tree], depth: int) -> list[Tree]:
        """Return items in which the calls of known macros are replaced."""
        found: list[Tree] = []
        at = 0
        while at < len(trees):
            self.steps.take()
            called = self._find_called(trees, at) if _is_between_items(trees, at) else None
            if called is None:
                found.append(trees[at])
                at += 1
                continue
            name, group = called
            found += self.expand(name, group.trees, depth + 1)
            at += 3
        return found

    def _find_called(self, trees: Sequence[Tree], at: int) -> tuple[bytes, Group] | None:
        """Return the name and the arguments of a call of a known macro."""
        name, mark, group = (*trees[at : at + 3], None, None, None)[:3]
        if not isinstance(name, Token) or name.text not in self._macros or not _is_mark(mark, b"!"):
            return None
        return (name.text, group) if isinstance(group, Group) else None


def _is_between_items(trees: Sequence[Tree], at: int) -> bool:
    before = trees[at - 1] if at else None
    if before is None or _is_mark(before, b";"):
        return True
    if not isinstance(before, Group):
        return False
    is_attribute = before.bracket == b"[" and at > 1 and _is_mark(trees[at - 2], b"#")
    return before.bracket == b"{" or before.fragment == "item" or is_attribute
