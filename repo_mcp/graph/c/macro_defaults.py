"""The conditions of C that hold by default: those on macros that only an option of the compiler changes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from repo_mcp.graph.c.conditions import Setting, Settings, read_condition
from repo_mcp.graph.program import Program
from repo_mcp.graph.typed.rules import Candidate

RESERVED = re.compile(r"_[A-Z_]")  # names that C reserves
_DENIED = re.compile(r"!(?:(\w+)|defined\((\w+)\))")
_ASKED = re.compile(r"(\w+)|defined\((\w+)\)")
_DEFINED_ZERO = re.compile(r"\b0[ \t]*(?:$|/[/*])")
# In the names of macros that the configuration of a build defines.
_CONFIGURED = re.compile(r"(?:^|_)(?:HAVE|HAS|USE|WITH|ENABLE)(?:_|$)")


class MacroDefaults:
    """Judges conditions in one program."""

    def __init__(
        self, program: Program, settings: Settings, iter_declared: Callable[[str], Iterable[Candidate]]
    ) -> None:
        """Take `iter_declared`, which yields the definitions of a macro."""
        self._program = program
        self._settings = settings
        self._iter_declared = iter_declared
        self._defaults: dict[str, bool] = {}

    def hold(self, use: Setting, declared: Setting) -> bool:
        """Return whether the conditions that a use lacks hold unless an option of the compiler breaks them.

        Such conditions exclude a macro that nothing is known to define, `#if !ANY_DONT_DEFINE_TEST`, or
        require one that a file defines by default: `#ifndef ANY_SHORT`, `#define ANY_SHORT 1`.
        """
        lacking = [one for one in declared.conditions if one not in use.conditions]
        return all(
            self._denies_unknown_macro(one) or self._is_defined_by_default(one)
            for one in lacking
            if use.platforms & ~read_condition(one)[0]
        )

    def _denies_unknown_macro(self, condition: str) -> bool:
        denied = _DENIED.fullmatch(condition)
        return denied is not None and not self._may_be_defined(denied[1] or denied[2])

    def _is_defined_by_default(self, condition: str) -> bool:
        if condition not in self._defaults:
            asked = _ASKED.fullmatch(condition)
            self._defaults[condition] = asked is not None and self._has_default(asked[1] or asked[2])
        return self._defaults[condition]

    def _has_default(self, name: str) -> bool:
        for other, one in self._iter_declared(name):
            if f"!defined({name})" in self._settings.find_declared(other, one).conditions:
                line = int(other.record.starts[one])
                lines = (self._program.read_text(other.path) or "").split("\n")[line - 1 : line]
                return bool(lines) and _DEFINED_ZERO.search(lines[0]) is None
        return False

    def _may_be_defined(self, name: str) -> bool:
        """Return whether a macro may be defined by the compiler, by a configured build, or by a file.

        A file that defines it only if it is not yet defined does not count.
        """
        if RESERVED.match(name) or _CONFIGURED.search(name):
            return True
        defaults = {f"!defined({name})", f"!{name}"}
        declared = self._iter_declared(name)
        return any(not self._settings.find_declared(*one).conditions & defaults for one in declared)
