"""Parsed ignore rules: which of them remain in a directory, and their verdict on a name.

The last component of a pattern must match the entry's own name, and all components before it the
directory. So for one directory the rules of a file shrink to a layer of rules for names: those for any
directory, shared by all, and those whose directory this is. In a layer a name is looked up among the whole
names and among the extensions; the remaining rules are tried one by one, and only when the name
has a prefix, suffix or number of dots that one of them needs. Nearly every name takes 0.4 microseconds;
trying 150 expressions in turn, the usual way to match a rule list, costs a hundred times that.

Pure. Left out on purpose: syntax (`repo_mcp.workspace.ignore.lines`).
"""

from __future__ import annotations

from collections.abc import Sequence

from repo_mcp.record_classes import dataclass
from repo_mcp.workspace.git.index_entries import TrackedPaths
from repo_mcp.workspace.globs import NameMatcher, match_components


@dataclass(frozen=True, slots=True)
class NameGlob:
    """One component of a pattern. Exactly one of `literal`, `prefix`, `matcher` is given."""

    literal: str | None = None  # the only name it matches
    prefix: str | None = None  # what a name has before the only star
    suffix: str = ""  # what a name has after the only star
    matcher: NameMatcher | None = None  # decides anything else
    fragment: str = ""  # substring of every name that `matcher` matches

    def match(self, name: str, /) -> bool:
        """Return True when the glob matches the whole name."""
        if self.literal is not None:
            return name == self.literal
        if self.prefix is not None:
            long_enough = len(name) >= len(self.prefix) + len(self.suffix)
            return long_enough and name.startswith(self.prefix) and name.endswith(self.suffix)
        return self.matcher is not None and self.fragment in name and bool(self.matcher.match(name))

    @property
    def extension(self) -> str | None:
        """Return the last extension of every matching name; only for `*.o`, `*.mod.c` and the like."""
        dot = self.suffix.rfind(".")
        return self.suffix[dot:] if self.prefix == "" and dot >= 0 else None

    @property
    def matches_all(self) -> bool:
        """Return True for `*`."""
        return self.prefix == "" and self.suffix == ""


@dataclass(frozen=True, slots=True)
class Rule:
    """One pattern, or one of the two that a line is worth."""

    order: int  # among the rules of its file, from 0
    name: NameGlob
    # Components of the directory, None for `**`; None for any directory.
    above: tuple[NameGlob | None, ...] | None
    negated: bool
    only_directories: bool


MAX_LAYERS = 32  # layers of a file that are kept; most directories have none of their own
_Positioned = dict[str, list[tuple[int, Rule]]]  # rules with their order, by lookup key


class Layer:
    """The rules of one file that remain for the names in one directory, lowest precedence first.

    A layer may stand on another one, `below`, of the same file; the order of the rules decides between them.
    """

    __slots__ = (
        "_below",
        "_by_name",
        "_by_suffix",
        "_fragment_dots",
        "_fragments",
        "_others",
        "_prefixes",
        "_suffix_lengths",
        "_suffixes",
    )

    def __init__(self, rules: Sequence[Rule], below: Layer | None = None) -> None:
        self._below = below
        self._by_name: _Positioned = {}
        self._by_suffix: _Positioned = {}
        lengths: dict[str, set[int]] = {}
        self._others: list[tuple[int, Rule]] = []
        for rule in rules:
            extension = rule.name.extension
            if rule.name.literal is not None:
                _put_last(self._by_name.setdefault(rule.name.literal, []), rule)
            elif extension is not None:
                _put_last(self._by_suffix.setdefault(rule.name.suffix, []), rule)
                lengths.setdefault(extension, set()).add(len(rule.name.suffix))
            else:
                self._others.append((rule.order, rule))
        # `*.mod.c` is looked up among the suffixes of its length if a name ends with `.c`.
        self._suffix_lengths = {extension: tuple(sorted(found)) for extension, found in lengths.items()}
        others = [rule.name for _, rule in self._others]
        self._prefixes = tuple({name.prefix for name in others if name.prefix})
        self._suffixes = tuple({name.suffix for name in others if name.prefix == ""})
        self._fragments = tuple({name.fragment for name in others if name.prefix is None})
        self._fragment_dots = min((fragment.count(".") for fragment in self._fragments), default=256)

    def find_verdict(self, name: str, is_directory: bool) -> bool | None:
        """Return the last matching rule's verdict: True to ignore, False to keep; None if none matches."""
        return self._find_last(name, is_directory)[1]

    def _find_last(self, name: str, is_directory: bool) -> tuple[int, bool | None]:
        """Return the order of the last matching rule, -1 for none, and its verdict."""
        best, verdict = (-1, None) if self._below is None else self._below._find_last(name, is_directory)
        found = self._by_name.get(name)
        if found is not None:
            best, verdict = _decide(found, name, is_directory, best, verdict)
        for length in self._suffix_lengths.get(name[name.rfind(".") :], ()):
            found = self._by_suffix.get(name[-length:])
            if found is not None:
                best, verdict = _decide(found, name, is_directory, best, verdict)
        if (
            name.startswith(self._prefixes)
            or name.endswith(self._suffixes)
            or (name.count(".") >= self._fragment_dots and any(one in name for one in self._fragments))
        ):
            best, verdict = _decide(self._others, name, is_directory, best, verdict)
        return best, verdict


def _put_last(found: list[tuple[int, Rule]], rule: Rule) -> None:
    """Add a rule to those for the same names, without the ones that it overrules: two stay at most."""
    if not rule.only_directories:
        found.clear()
    elif found and found[-1][1].only_directories:
        found.pop()
    found.append((rule.order, rule))


def _decide(
    rules: Sequence[tuple[int, Rule]], name: str, is_directory: bool, best: int, verdict: bool | None
) -> tuple[int, bool | None]:
    """Return position and verdict of the last matching rule, or the given ones if they come later."""
    for position, rule in reversed(rules):
        if position < best:
            break
        if (is_directory or not rule.only_directories) and rule.name.match(name):
            return position, not rule.negated
    return best, verdict


class RuleFile:
    """The rules of one ignore file."""

    __slots__ = ("_anchored", "_depth", "_everywhere", "_layers", "_spanning", "rules")

    def __init__(self, depth: int, rules: Sequence[Rule]) -> None:
        """`depth` is the number of components of the file's directory."""
        self.rules = rules
        self._depth = depth
        self._everywhere = Layer([rule for rule in rules if rule.above is None])
        self._spanning = [rule for rule in rules if rule.above is not None and None in rule.above]
        # By the number of components above the name, and the last of them; "" if that has a wildcard.
        self._anchored: dict[tuple[int, str], list[Rule]] = {}
        for rule in rules:
            if rule.above is not None and None not in rule.above:
                self._anchored.setdefault((len(rule.above), _find_last_literal(rule.above)), []).append(rule)
        # Layers by the rules in them that are not for every directory.
        self._layers: dict[tuple[int, ...], Layer] = {}

    def layer_in(self, parts: Sequence[str]) -> Layer:
        """Return the rules that can match an entry of the directory, which is at or below the file's own."""
        below = parts[self._depth :]
        candidates = [*self._anchored.get((len(below), ""), ()), *self._spanning]
        if below:
            candidates += self._anchored.get((len(below), below[-1]), ())
        joining = [rule for rule in candidates if match_components(rule.above or (), below)]
        if not joining:
            return self._everywhere
        joining.sort(key=lambda rule: rule.order)
        key = tuple([rule.order for rule in joining])
        layer = self._layers.get(key)
        if layer is None:
            if len(self._layers) >= MAX_LAYERS:
                self._layers.clear()
            layer = self._layers[key] = Layer(joining, self._everywhere)
        return layer


def is_looked_up(rule: Rule) -> bool:
    """Return True if a rule is found by names, and not tried for each directory or name."""
    is_anchored = not rule.above or (None not in rule.above and bool(_find_last_literal(rule.above)))
    return is_anchored and (rule.name.literal is not None or rule.name.extension is not None)


def _find_last_literal(above: Sequence[NameGlob | None]) -> str:
    """Return the last component above a name; "" if there is none or it has a wildcard."""
    last = above[-1] if above else None
    return "" if last is None or last.literal is None else last.literal


class NameRules:
    """The rules for the names in one directory."""

    __slots__ = ("_exclusions", "_is_below_ignored", "_layers", "_prefix", "_tracked")

    def __init__(
        self,
        layers: tuple[Layer, ...],
        exclusions: Layer | None,
        tracked: TrackedPaths | None,
        prefix: str,
        *,
        is_below_ignored: bool,
    ) -> None:
        """`layers` come with the highest precedence first; `exclusions` precede them all.

        `tracked` knows the paths that no ignore file can ignore; `prefix` makes paths of the names.
        `is_below_ignored` when the directory is walked only for the sake of what is tracked there.
        """
        self._layers = layers
        self._exclusions = exclusions
        self._tracked = tracked
        self._prefix = prefix
        self._is_below_ignored = is_below_ignored

    def ignored(self, name: str, is_directory: bool) -> bool:
        """Return True when the rules name it and it is not tracked."""
        return self.named(name, is_directory) and not self.is_tracked(name, is_directory)

    def named(self, name: str, is_directory: bool) -> bool:
        """Return True when the strongest rule that matches the name is not a negation, tracked or not."""
        if self._is_below_ignored:
            return True
        if self._exclusions is not None:
            verdict = self._exclusions.find_verdict(name, is_directory)
            if verdict is not None:
                return verdict
        for layer in self._layers:
            verdict = layer.find_verdict(name, is_directory)
            if verdict is not None:
                return verdict
        return False

    def is_tracked(self, name: str, is_directory: bool) -> bool:
        """Return True for a tracked path, or one with a tracked path below it, unless it is excluded."""
        if self._tracked is None:
            return False
        if self._exclusions is not None and self._exclusions.find_verdict(name, is_directory):
            return False
        path = self._prefix + name
        return self._tracked.has_below(path) if is_directory else self._tracked.has_file(path)
