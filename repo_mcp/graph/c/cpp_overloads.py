"""Chooses among overloads of C++ by the literals among the arguments of a call.

`run("a")` means `run(const char*)` rather than `run(std::string)`, and never `run(int)`. The parser records a
mark for each literal after the alias of a call (`repo_mcp/languages/c/cpp_literals.py`). A class accepts
a literal if one of its constructors does; a class of the standard library, if its name says that it is text.
The overload that is left is probable, never certain: neither the types of other arguments nor the constraints
of templates are known.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import starmap

from repo_mcp.graph.c.cpp_parameters import list_types, read_parameter
from repo_mcp.graph.c.lookup import CLookup
from repo_mcp.graph.program import Confidence, Declaration, Resolution, Target, accepts_call
from repo_mcp.graph.typed.file_scope import FileScope
from repo_mcp.graph.typed.lookup import NamedLookup
from repo_mcp.languages.treesitter.type_names import read_type
from repo_mcp.languages.treesitter.written_lists import split_signature
from repo_mcp.record_classes import replace
from repo_mcp.symbols.symbol_record import (
    CALLABLE_KINDS,
    TYPE_KINDS,
    DeclaredSymbol,
    Reference,
    ReferenceRole,
    SymbolFlag,
    SymbolKind,
)

MAX_CANDIDATES = 16
MAX_ALIASES = 4  # followed from the name of a type to the type
# How well a literal fits the type of a parameter. NOT: not at all. PERHAPS: a class with a templated
# constructor, whose constraints may exclude the literal. MADE: a class or another basic type, by a
# conversion. ANY: a type parameter. EQUAL: the type of the literal itself. UNKNOWN: nothing is known about
# the type.
NOT, PERHAPS, MADE, ANY, EQUAL, UNKNOWN = range(6)

_BETTER = frozenset({(EQUAL, ANY), (EQUAL, MADE), (EQUAL, PERHAPS), (MADE, PERHAPS), (ANY, PERHAPS)})
_WIDE = re.compile(r"\b(?:wchar_t|char16_t|char32_t|char8_t)\b")
_ARITHMETIC = re.compile(
    r"\b(?:int|long|short|unsigned|signed|float|double|u?int\d+_t|s?size_t|u?intptr_t|ptrdiff_t|u?intmax_t)\b"
)
_EQUAL = {
    "s": re.compile(r"(?:const )?char ?(?:const ?)?\*"),
    "w": re.compile(r"(?:const )?(?:wchar_t|char16_t|char32_t|char8_t) ?(?:const ?)?\*"),
    "i": re.compile(r"(?:const )?int ?&?"),
    "f": re.compile(r"(?:const )?double ?&?"),
    "c": re.compile(r"(?:const )?char ?&?"),
    "b": re.compile(r"(?:const )?bool ?&?"),
    "n": re.compile(r"(?:const )?(?:std::)?nullptr_t ?&?"),
}
_ARRAY = re.compile(r"char\w*\b.*\[")
_AROUND = re.compile(r"\b(?:const|volatile|typename)\b|[&\s]|\.\.\.")
_TEXTS = re.compile(r"(?i)str|text|path")
_OUTSIDE = re.compile(r"\bstd::")
_TYPE_PARAMETER = re.compile(r"[A-Z][A-Z0-9]?|T[a-z]\w*|Args|Ts|Types")


def choose_by_literals(lookup: NamedLookup, found: Resolution, marks: str) -> Resolution:
    """Return a resolution in which the overload that fits the literals best, if there is one, is probable."""
    possible = [one for one in found.targets if one.confidence is Confidence.POSSIBLE]
    if not marks or not 1 < len(possible) <= MAX_CANDIDATES or len(possible) < len(found.targets):
        return found
    declarations = [one.declaration for one in possible]
    if not set(map(lookup.get_kind, declarations)) <= CALLABLE_KINDS - {SymbolKind.MACRO}:
        return found
    ranks = [_rank(lookup, one, marks) for one in declarations]
    best = [
        at
        for at, one in enumerate(ranks)
        if all(_is_better(one, other) for there, other in enumerate(ranks) if there != at)
    ]
    if len(best) != 1:
        return found
    chosen = Target(declarations[best[0]], Confidence.PROBABLE)
    return replace(found, targets=(chosen, *(one for at, one in enumerate(possible) if at != best[0])))


def _is_better(one: Sequence[int], other: Sequence[int]) -> bool:
    """Return whether an overload fits no literal worse than another one, and one of them better."""
    if NOT in one:
        return False
    if NOT in other:
        return True
    steps = list(starmap(_compare, zip(one, other, strict=True)))
    return min(steps) >= 0 and max(steps) > 0


def _compare(one: int, other: int) -> int:
    """Return 1 for a better rank, 0 for an equal one, -1 for a worse or an unknown one."""
    if one == other and one != UNKNOWN:
        return 0
    return 1 if (one, other) in _BETTER else -1


def _rank(lookup: NamedLookup, one: Declaration, marks: str) -> list[int]:
    """Return how well each literal fits its parameter of a function."""
    texts = split_signature(lookup.get_parameters(one)).parameters
    ranks = []
    for at, mark in enumerate(marks):
        if mark == "?":
            continue
        text = texts[at] if at < len(texts) else texts[-1] if texts else ""
        if at >= len(texts) and "..." not in text:
            ranks.append(NOT)
        else:
            ranks.append(_rank_one(lookup, one, read_parameter(text), mark))
    return ranks


def _rank_one(lookup: NamedLookup, declared: Declaration, text: str, mark: str, hops: int = 0) -> int:
    """Return how well a literal fits a written type."""
    rank = _rank_plain(text, mark)
    return _rank_class(lookup, declared, text, mark, hops) if rank is None else rank


def _rank_plain(text: str, mark: str) -> int | None:
    """Return how well a literal fits a basic type; None for a class or a type parameter."""
    is_text = mark in "sw"
    if not text or text.strip("& ") in {"...", "auto", "const auto"}:
        return UNKNOWN
    if (mark in _EQUAL and _EQUAL[mark].fullmatch(text)) or (is_text and _ARRAY.search(text)):
        return EQUAL if not is_text or (_WIDE.search(text) is not None) == (mark == "w") else NOT
    if is_text and (mark == "s" if _WIDE.search(text) else mark == "w" and "char" in text):
        return NOT
    if text.endswith("*"):
        return MADE if mark == "n" else UNKNOWN if "void" in text and is_text else NOT
    bare = _spell_bare(text)
    if bare == "bool":
        return UNKNOWN if is_text or mark == "n" else MADE
    if bare in {"char", "wchar_t"} or (_ARITHMETIC.search(text) and "<" not in text):
        return NOT if is_text or mark == "n" else MADE
    if text.endswith("&") and "const" not in text and not text.endswith("&&"):
        is_any = is_text and _TYPE_PARAMETER.fullmatch(bare) is not None
        return None if is_any else NOT  # only text literals can be bound to a reference that is not const
    return None


def _spell_bare(text: str) -> str:
    return _AROUND.sub("", text)


def _rank_class(lookup: NamedLookup, declared: Declaration, text: str, mark: str, hops: int) -> int:
    """Return how well a literal fits a class, an enum or a type parameter."""
    bare = _spell_bare(text)
    if _TYPE_PARAMETER.fullmatch(bare):
        return ANY
    scope = lookup.find_scope(declared.path)
    assert scope is not None
    named = read_type(re.sub(r"\btypename\b", "", text))
    found = lookup.find_type(scope, declared.ordinal, named.names).declarations if named.name else ()
    if not found:
        if _OUTSIDE.search(text):
            return MADE if mark in "sw" and _TEXTS.search(named.name or bare) else NOT
        return UNKNOWN
    each = {_rank_declared(lookup, one, mark, hops) for one in found}
    return each.pop() if len(each) == 1 else UNKNOWN


def _rank_declared(lookup: NamedLookup, one: Declaration, mark: str, hops: int) -> int:
    kind = lookup.get_kind(one)
    if kind not in TYPE_KINDS:
        return UNKNOWN
    if kind is SymbolKind.ENUM:
        return NOT
    if kind is SymbolKind.TYPE:
        written = lookup.get_return_type(one)
        return _rank_one(lookup, one, written, mark, hops + 1) if written and hops < MAX_ALIASES else UNKNOWN
    ranks = {_rank_constructor(lookup, constructor, mark) for constructor in lookup.find_constructors(one)}
    return max(ranks, default=NOT)


def _rank_constructor(lookup: NamedLookup, constructor: Declaration, mark: str) -> int:
    """Return how well a literal fits one constructor of a class, without a conversion to another class."""
    scope = lookup.find_scope(constructor.path)
    assert scope is not None
    texts = split_signature(scope.get_symbol(constructor.ordinal).parameters).parameters
    if not texts or any("=" not in one and "..." not in one for one in texts[1:]):
        return NOT
    text = read_parameter(texts[0])
    rank = _rank_plain(text, mark)
    if rank is not None:
        return MADE if rank in {EQUAL, MADE} else NOT
    named = read_type(text)
    if scope.get_name(constructor.ordinal) == named.name:  # a copy or move constructor
        return NOT
    is_known = bool(lookup.find_type(scope, constructor.ordinal, named.names).declarations)
    is_class = is_known or _OUTSIDE.search(text) is not None
    return NOT if is_class and not _TYPE_PARAMETER.fullmatch(named.name) else PERHAPS


def accepts_by_default(lookup: NamedLookup, declared: Declaration, call: Reference) -> bool:
    """Return whether a C++ function that is defined outside its class or header accepts a call.

    The default arguments are written only in its prototype.
    """
    scope = lookup.find_scope(declared.path)
    if scope is None or scope.language != "cpp" or scope.is_forward(declared.ordinal):
        return False
    symbol = scope.get_symbol(declared.ordinal)
    if call.arguments > symbol.parameter_count:  # the number of arguments, plus one
        return False
    same = [
        one
        for other, ordinal in _list_first(lookup, scope, symbol)
        if (one := other.get_symbol(ordinal)).parameter_count == symbol.parameter_count
    ]
    types = list_types(symbol)
    same = [one for one in same if list_types(one) == types] or same
    return any(accepts_call(one, call) for one in same)


def _list_first(
    lookup: NamedLookup, scope: FileScope, defined: DeclaredSymbol
) -> list[tuple[FileScope, int]]:
    """Return the prototypes of a definition: in the class of a member, else in its namespace."""
    parent = scope.get_parent(defined.ordinal)
    if scope.get_kind(parent) is SymbolKind.EXTENSION:
        owners = lookup.find_extended(Declaration(scope.path, parent))
        classes = [(other, one.ordinal) for one in owners if (other := lookup.find_scope(one.path))]
        named = [(one, each) for one, owner in classes for each in one.find_children(owner, defined.name)]
    else:
        rules = lookup.rules
        path = rules.get_full_path(scope, defined.ordinal)
        found = lookup.iter_named(scope, defined.name, path)
        named = [(other, each) for other, each in found if rules.get_full_path(other, each) == path]
    return [(other, each) for other, each in named if other.is_forward(each)]


def has_argument_dependent_candidates(
    lookup: CLookup, scope: FileScope, call: Reference, found: tuple[Declaration, ...]
) -> bool:
    """Return whether argument-dependent lookup may find another function than those of an unqualified call.

    The compiler also searches the namespaces of the argument types, and the file sees a function of that name
    in another namespace.
    """
    if scope.language != "cpp" or call.role is not ReferenceRole.CALL or call.arguments < 2 or not found:
        return False
    rules, own, searched = lookup.rules, frozenset(found), set()
    for one in found:
        other = lookup.find_scope(one.path)
        if other is None or other.get_kind(one.ordinal) is not SymbolKind.FUNCTION:
            return False
        searched.add(rules.get_full_path(other, one.ordinal))
    for other in lookup.iter_declaring(scope, call.name):
        if other is not scope and not rules.includes.is_included(scope.path, other.path):
            continue
        for ordinal in other.find_named(call.name):
            if Declaration(other.path, ordinal) in own:
                continue
            path = rules.get_full_path(other, ordinal)
            is_other = len(path) > 1 and path not in searched
            is_function = other.get_kind(ordinal) is SymbolKind.FUNCTION
            if is_function and is_other and rules.accepts(other.get_symbol(ordinal), call):
                return True
    return False


def is_pasted(lookup: NamedLookup, scope: FileScope, call: Reference) -> bool:
    """Return whether a call is an argument of a macro that writes something before it."""
    return any(
        other.get_kind(one) is SymbolKind.MACRO and int(other.record.flags[one]) & SymbolFlag.PASTING
        for other, one in lookup.iter_named(scope, call.alias)
    )
