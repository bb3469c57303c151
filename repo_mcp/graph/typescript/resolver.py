"""The TypeScript and JavaScript resolver: through scopes, modules and written types, or by name alone.

EXACT is what scopes, imports and written types lead to. A member whose owner is unknown is looked up by its
name: the only member of that name in the repository is PROBABLE; if there are several, each is POSSIBLE.
Names that members of the language's own types have are never guessed.
"""

from __future__ import annotations

import re

from repo_mcp.graph.program import NOTHING, UNCOUNTED, Confidence, Declaration, Program, Resolution, Target
from repo_mcp.graph.typescript.members import OBJECTS, find_binds, is_constructed, is_in_static
from repo_mcp.graph.typescript.names import UNKNOWN, Meaning, ScriptNames, is_value, prefer
from repo_mcp.graph.typescript.narrowing import Narrowing
from repo_mcp.graph.typescript.owners import MAX_PARTS, NO_OWNERS, Owners
from repo_mcp.graph.typescript.script_file import ScriptFile, is_assigned
from repo_mcp.graph.typescript.types import ScriptTypes
from repo_mcp.languages.treesitter.scope_walk import SAME
from repo_mcp.languages.typescript.uses import CALLING, THROUGH
from repo_mcp.languages.typescript.walk import EXPECTED, RESULT
from repo_mcp.lru_cache import LruCache
from repo_mcp.record_classes import replace
from repo_mcp.symbols.model import OWN_NAME
from repo_mcp.symbols.symbol_record import (
    CALLABLE_KINDS,
    DeclaredSymbol,
    Reference,
    ReferenceRole,
    SymbolFlag,
    SymbolKind,
    SymbolRecord,
)
from repo_mcp.text.roles import is_test_path

MAX_GUESSES = 8
MAX_GIVEN_ON = 8  # modules that are the whole of another one: `module.exports = require("./store")`
MAX_GUESSED_FILES = 40
CACHED_MEMBERS = 20_000  # members of the names that external values may have
LANGUAGES = frozenset({"typescript", "javascript"})
_TYPE_ROLES = frozenset(
    {ReferenceRole.TYPE, ReferenceRole.ACCEPT, ReferenceRole.IMPLEMENT, ReferenceRole.EXTEND}
)
# Members that every value has, even a string in a union.
_OF_ALL = frozenset({"toString", "valueOf", "toLocaleString"})
_OF_FUNCTIONS = frozenset({"name", "length", "prototype"})  # members that a class itself also has
_NOT_MERGED = frozenset(
    {
        SymbolKind.FUNCTION,
        SymbolKind.CONSTANT,
        SymbolKind.VARIABLE,
        SymbolKind.CLASS,
        SymbolKind.COMPONENT,
        SymbolKind.TYPE,
    }
)
_WITHOUT_CONSTRUCTOR = frozenset({SymbolKind.INTERFACE, SymbolKind.TYPE})
_PLAIN_TYPE = re.compile(r"(?:(?:string|number|boolean|bigint|undefined|null|true|false)[ |]*)+")
_MEMBER_KINDS = frozenset({SymbolKind.METHOD, SymbolKind.PROPERTY})


COMMON_MEMBERS = frozenset(
    re.findall(
        r"\w+",
        """
        at concat copyWithin entries every fill filter find findIndex findLast findLastIndex flat
        flatMap forEach from includes indexOf isArray join keys lastIndexOf length map of pop push
        reduce reduceRight reverse shift slice some sort splice toLocaleString toReversed toSorted
        toString unshift values with charAt charCodeAt codePointAt endsWith localeCompare match
        matchAll normalize padEnd padStart repeat replace replaceAll search split startsWith substr
        substring toLowerCase toUpperCase trim trimEnd trimStart valueOf add clear delete get has
        set size next return throw done value then catch finally all allSettled any race resolve
        reject apply bind call name prototype constructor assign create defineProperty freeze
        fromEntries getOwnPropertyNames getPrototypeOf hasOwnProperty is isFrozen abs ceil floor max
        min pow random round sqrt trunc parse stringify toFixed toISOString toJSON getTime now exec
        test lastIndex source flags message stack cause code log error warn info debug trace table
        addEventListener removeEventListener dispatchEvent appendChild removeChild insertBefore
        querySelector querySelectorAll getAttribute setAttribute classList style children parentNode
        target currentTarget preventDefault stopPropagation focus blur click innerHTML textContent
        nodeName firstChild nextSibling on once off emit pipe write end read close open send destroy
        json text body headers status url method toBe toEqual toThrow toHaveBeenCalled
        toMatchSnapshot id type key data props state current index default start stop run init
        options config context callback result results items content path for append head pathname
        setItem getItem removeItem decode encode select hidden navigator localStorage sessionStorage
        clientX clientY platform postMessage remove buffer location href origin width height signal
        abort aborted clone flush document window
        """,
    )
)


class TypeScriptResolver:
    """Resolves the references of TypeScript and JavaScript files."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._names = ScriptNames(program)
        self._types = ScriptTypes(self._names)
        self._narrowing = Narrowing(self._names, self._types)
        self._declared: LruCache[str, list[DeclaredSymbol]] = LruCache(
            CACHED_MEMBERS, lambda found: 1 + len(found)
        )

    def resolve(self, path: str, record: SymbolRecord, reference: Reference) -> Resolution:
        """Return the meaning of a reference. An import of a whole module means its file."""
        file = self._names.find_file(path)
        if file is None or file.record is not record:
            file = ScriptFile(path, record)
        role = reference.role
        if role is ReferenceRole.IMPORT:
            return self._conclude(self._names.resolve_import(file, reference), reference)
        if role is ReferenceRole.EXPORT:
            return self._resolve_export(file, reference)
        if role is ReferenceRole.BIND:
            return NOTHING
        if reference.alias == OWN_NAME:
            return UNCOUNTED
        resolve = self._resolve_member if reference.qualifier else self._resolve_name
        if role is ReferenceRole.CALL and reference.alias == THROUGH:
            return self._keep_callable(resolve(file, reference))
        return resolve(file, reference)

    def _keep_callable(self, found: Resolution) -> Resolution:
        symbols = [(one, self._names.get_symbol(one.declaration)) for one in found.targets]
        return Resolution(tuple(one for one, symbol in symbols if symbol and symbol.kind in CALLABLE_KINDS))

    def _resolve_export(self, file: ScriptFile, row: Reference) -> Resolution:
        if row.qualifier:
            return self._conclude(self._names.resolve_import(file, row), row)
        return self._conclude(self._names.look_up(file, 0, row.name), row)

    def _resolve_result(self, file: ScriptFile, row: Reference) -> Resolution:
        """Return the meaning of the class that a function gives: `getStore()` in `new (getStore())()`."""
        meaning = self._names.look_up(file, row.symbol, row.name, row.line)
        if meaning is UNKNOWN:
            owners = self._types.evaluate(file, row.symbol, row.name, row.line)
            meaning = Meaning(owners.declarations, is_certain=not owners.is_mixed, is_guess=owners.is_guess)
        return self._conclude(meaning, row) if meaning.declarations else UNCOUNTED

    def _resolve_name(self, file: ScriptFile, row: Reference) -> Resolution:
        if row.name.endswith(RESULT):
            return self._resolve_result(file, row)
        as_type = row.role in _TYPE_ROLES
        meaning = self._names.look_up(file, row.symbol, row.name, row.line, as_type=as_type)
        if meaning is not UNKNOWN and not (as_type and self._is_value(meaning)):
            return self._conclude(self._choose_nearest(file, meaning, row), row)
        return self._find_global(file, row) or Resolution(external=row.name)

    def _is_value(self, meaning: Meaning) -> bool:
        """Return whether nothing that is meant can be a type: a written type is external then."""
        symbols = [self._names.get_symbol(one) for one in meaning.declarations]
        return bool(symbols) and all(one is not None and is_value(one) for one in symbols)

    def _choose_nearest(self, file: ScriptFile, meaning: Meaning, row: Reference) -> Meaning:
        """Return the last declaration above a use, if unnamed callbacks declare several of one name."""
        if len(meaning.declarations) < 2 or meaning.declarations[0].path != file.path:
            return meaning
        symbols = [file.get_symbol(one.ordinal) for one in meaning.declarations]
        if any(one.kind not in _NOT_MERGED or one.flags & SymbolFlag.FORWARD for one in symbols):
            return meaning
        is_hoisted = len({file.blocks.get(one.ordinal) for one in symbols}) == 1
        if is_hoisted and all(one.kind is SymbolKind.FUNCTION for one in symbols):
            return Meaning((Declaration(file.path, symbols[-1].ordinal),))
        above = [one for one in symbols if one.start_line <= row.line] or symbols[:1]
        return Meaning((Declaration(file.path, above[-1].ordinal),))

    def _find_global(self, near: ScriptFile, row: Reference) -> Resolution | None:
        """Return the global meaning of a name, declared in `.d.ts` scripts.

        A declaration of another package is only possible: it may declare what every environment has, such as
        `console`.
        """
        found: list[Target] = []
        for path in self._program.list_declaring(row.name)[:MAX_GUESSED_FILES]:
            file = self._names.find_file(path)
            if file is None or file.is_module or not path.endswith(".d.ts"):
                continue
            is_near = near.path.startswith(self._names.modules.find_package_folder(path))
            sure = Confidence.PROBABLE if is_near else Confidence.POSSIBLE
            symbols = [one for one in file.find_children(0, row.name) if one.kind not in _MEMBER_KINDS]
            for symbol in prefer(symbols, row.role in _TYPE_ROLES):
                found.append(Target(Declaration(path, symbol.ordinal), sure))
        return _limit(found) if found else None

    def _resolve_member(self, file: ScriptFile, row: Reference) -> Resolution:
        if row.name == "constructor" and row.qualifier != "super":
            # `constructor` is the function that made an object
            return Resolution(external="Object.constructor")
        if row.qualifier != "?":
            narrowed = self._narrowing.find_tested_member(file, row)
            if narrowed is not None:
                return self._conclude(self._separate_static(file, narrowed, row), row)
            owners = self._types.evaluate(file, row.symbol, row.qualifier, row.line)
            if owners.external and not row.qualifier.startswith(EXPECTED):
                if owners.is_open and self._may_be_declared(row):
                    return NOTHING  # it is not known what the value is that something external gave
                return Resolution(external=f"{owners.external}.{row.name}")
            if owners != NO_OWNERS and not owners.external:
                if row.name == "constructor" and row.qualifier == "super":
                    return self._conclude(Meaning(self._list_run(owners.declarations)), row)
                meaning = self._find_member(owners, row)
                if meaning is UNKNOWN and row.name in CALLING and self._are_functions(owners):
                    return Resolution(external=f"Function.{row.name}")
                if meaning is not UNKNOWN or not owners.is_choice:
                    meaning = self._add_assigned(file, self._narrowing.narrow(file, meaning, row), row)
                    return self._conclude(self._separate_static(file, meaning, row), row)
        return UNCOUNTED if row.qualifier.startswith(EXPECTED) else self._guess(file.path, row)

    def _may_be_declared(self, row: Reference) -> bool:
        """Return whether a row may name a member that a script of the repository declares."""
        if row.name in COMMON_MEMBERS:
            return False
        declared = self._declared.get(row.name, lambda: self._list_members(row.name))
        if row.role is ReferenceRole.CALL:  # an object may have a property of any name
            declared = [one for one in declared if one.kind is SymbolKind.METHOD or "=>" in one.return_type]
        return any(_may_accept(one, row) for one in declared)

    def _list_members(self, name: str) -> list[DeclaredSymbol]:
        """Return the members with a name in the first scripts that declare it."""
        paths = self._program.list_declaring(name)[:MAX_GUESSED_FILES]
        scripts = [one for one in paths if self._program.find_language(one) in LANGUAGES]
        files = filter(None, map(self._names.find_file, scripts))
        symbols = (file.get_symbol(at) for file in files for at in file.record.find_symbols(name))
        return [one for one in symbols if one.kind in _MEMBER_KINDS]

    def _are_functions(self, owners: Owners) -> bool:
        """Return whether the owners are nothing but functions."""
        symbols = map(self._names.get_symbol, owners.declarations)
        return all(symbol is not None and symbol.kind in CALLABLE_KINDS for symbol in symbols)

    def _find_member(self, owners: Owners, row: Reference) -> Meaning:
        """Return the member that a row names, in its owners; after `super`, in the first base that has it."""
        if row.qualifier == "super":
            each = (replace(owners, declarations=(one,)) for one in owners.declarations)
            found = (self._types.find_member(one, row.name) for one in each)
            return next((one for one in found if one is not UNKNOWN), UNKNOWN)
        return self._types.find_member(owners, row.name)

    def _add_assigned(self, file: ScriptFile, meaning: Meaning, row: Reference) -> Meaning:
        """Return a member with what is assigned to it on a variable: `made.run = () => {}`."""
        if not row.qualifier.isidentifier() or not meaning.declarations:
            return meaning
        held = self._names.look_up(file, row.symbol, row.qualifier, row.line).declarations
        more = [
            Declaration(file.path, one.ordinal)
            for variable in held
            if variable.path == file.path and file.record.kinds[variable.ordinal] in OBJECTS
            for one in file.find_children(variable.ordinal, row.name)
            if is_assigned(file, one)
        ]
        declarations = tuple(dict.fromkeys((*meaning.declarations, *more)))
        if len(declarations) == len(meaning.declarations):
            return meaning
        return replace(meaning, declarations=declarations, is_certain=False)

    def _list_run(self, bases: tuple[Declaration, ...]) -> tuple[Declaration, ...]:
        """Return the bases whose constructors `super()` runs: no interfaces, such as mixins add."""
        symbols = [(one, self._names.get_symbol(one)) for one in bases]
        return tuple(one for one, symbol in symbols if symbol and symbol.kind not in _WITHOUT_CONSTRUCTOR)

    def _separate_static(self, file: ScriptFile, meaning: Meaning, row: Reference) -> Meaning:
        """Return the members of a class itself, or those of its objects, if both have a name."""
        symbols = [(one, self._names.get_symbol(one)) for one in meaning.declarations]
        made = {one for one, symbol in symbols if symbol is not None and self._is_made(one, symbol)}
        # a member of the objects that a function makes, not of the function
        if made and self._is_class(file, row):
            return replace(meaning, declarations=tuple(one for one, _ in symbols if one not in made))
        static = {one for one, symbol in symbols if symbol is not None and symbol.flags & SymbolFlag.STATIC}
        if symbols and not static and row.name in _OF_FUNCTIONS and self._is_class(file, row):
            return Meaning(external=f"Function.{row.name}")
        if not static or len(static) == len(symbols):
            return meaning
        is_class = self._is_class(file, row)
        return replace(meaning, declarations=tuple(one for one, _ in symbols if (one in static) == is_class))

    def _is_made(self, declaration: Declaration, symbol: DeclaredSymbol) -> bool:
        """Return whether a symbol is a member of the objects that a function makes."""
        file = self._names.find_file(declaration.path)
        return file is not None and is_constructed(file, symbol.parent, symbol.name)

    def _is_class(self, file: ScriptFile, row: Reference) -> bool:
        """Return whether the receiver of a member is a class: by its name, or `this` in a static member."""
        prefix, _, name = row.qualifier.rpartition(".")
        if name in {"this", "super"}:
            return is_in_static(file, row.symbol)
        if prefix:
            found = self._types.find_member(self._types.evaluate(file, row.symbol, prefix, row.line), name)
        else:
            rows = find_binds(file, row.symbol, name)
            name = rows[-1].name if rows and rows[-1].arguments == SAME and not rows[-1].qualifier else name
            found = self._names.look_up(file, row.symbol, name, row.line)
        meant = (self._names.get_symbol(one) for one in found.declarations)
        kinds = CALLABLE_KINDS | {SymbolKind.CLASS}
        return any(one is not None and one.kind in kinds for one in meant)

    # Answers

    def _conclude(self, meaning: Meaning, row: Reference) -> Resolution:
        """Return a meaning as targets, in order of preference."""
        if meaning.external:
            return Resolution(external=meaning.external)
        ordinals = list(meaning.declarations)
        names_itself = row.role in {ReferenceRole.IMPORT, ReferenceRole.EXPORT}
        if not names_itself:
            ordinals = [one for ordinal in ordinals for one in self._unwrap(ordinal)]
        symbols = [(ordinal, self._names.get_symbol(ordinal)) for ordinal in dict.fromkeys(ordinals)]
        known = [(ordinal, symbol) for ordinal, symbol in symbols if symbol is not None]
        if not names_itself:
            meant = {id(one) for one in prefer([symbol for _, symbol in known], row.role in _TYPE_ROLES)}
            known = [(ordinal, symbol) for ordinal, symbol in known if id(symbol) in meant]
        kept = _choose(known, row)
        if row.role is ReferenceRole.CALL:
            kept = [one for ordinal in kept for one in (*self._list_constructors(ordinal), ordinal)]
        is_shared = row.name in _OF_ALL and row.qualifier not in {"this", "super"}
        confidence = Confidence.EXACT if meaning.is_certain and not is_shared else Confidence.PROBABLE
        if meaning.is_guess:  # unless it is a getter for a module, which an object of exports has
            is_given_on = not names_itself and ordinals != list(meaning.declarations)
            confidence = Confidence.PROBABLE if is_given_on else Confidence.POSSIBLE
        most = MAX_PARTS if row.qualifier else MAX_GUESSES  # a large union has many members of one name
        return Resolution(tuple(Target(ordinal, confidence) for ordinal in kept[:most]))

    def _list_constructors(self, ordinal: Declaration) -> list[Declaration]:
        """Return the constructor of a class; of overloads, the implementation."""
        file, symbol = self._names.find_file(ordinal.path), self._names.get_symbol(ordinal)
        if file is None or symbol is None or symbol.kind is not SymbolKind.CLASS:
            return []
        found = [
            one
            for one in file.find_children(ordinal.ordinal, "constructor")
            if one.kind is SymbolKind.CONSTRUCTOR
        ]
        whole = [one for one in found if not one.flags & SymbolFlag.FORWARD]
        return [Declaration(ordinal.path, one.ordinal) for one in whole or found]

    def _unwrap(self, ordinal: Declaration) -> tuple[Declaration, ...]:
        """Return the value of a CommonJS module, the `b.c` of `import a = b.c`, or the module that a getter
        requires, instead of the declaration.

        Any other declaration is returned as it is.
        """
        file = self._names.find_file(ordinal.path)
        if ordinal.ordinal and file is not None:
            symbol = file.get_symbol(ordinal.ordinal)
            if symbol.kind is SymbolKind.PROPERTY:
                return self._find_required(file, symbol) or (ordinal,)
            if symbol.kind is not SymbolKind.TYPE or not symbol.flags & SymbolFlag.FORWARD:
                return (ordinal,)
            qualifier, _, name = symbol.return_type.rpartition(".")
            outer = self._types.evaluate(file, symbol.parent, qualifier, symbol.start_line)
            found = self._types.find_member(outer, name) if outer != NO_OWNERS else UNKNOWN
            return found.declarations or (ordinal,)
        for _ in range(MAX_GIVEN_ON):
            whole = self._names.find_whole(file) if file is not None else UNKNOWN
            if len(whole.declarations) != 1 or whole.declarations[0].ordinal:
                return whole.declarations or (ordinal,)
            ordinal = whole.declarations[0]
            file = self._names.find_file(ordinal.path)
        return (ordinal,)

    def _find_required(self, file: ScriptFile, getter: DeclaredSymbol) -> tuple[Declaration, ...]:
        """Return what a getter requires that does nothing else; nothing for any other property."""
        rows = file.binds.get((getter.ordinal, RESULT), ())
        if len(rows) != 1 or rows[0].name != getter.name + RESULT:
            return ()
        found = self._names.look_up(file, getter.ordinal, rows[0].name).declarations
        return tuple(one for given in found for one in self._unwrap(given))

    def _guess(self, near: str, row: Reference) -> Resolution:
        """Return members of that name that accept as many arguments, found by name alone.

        Those of another test are never probable: tests make objects of any shape. Neither are members that
        JavaScript reads without a call, since options have fields that nothing declares: all of 16 were
        wrong.
        """
        name = row.name
        if name in COMMON_MEMBERS or len(name) < 3:
            return NOTHING
        found: list[Target] = []
        paths = self._program.list_declaring(name)
        if len(paths) > MAX_GUESSED_FILES:
            return NOTHING
        is_plain = row.role is ReferenceRole.USE and row.qualifier != "this"
        is_plain = is_plain and self._program.find_language(near) == "javascript"
        for path in paths:
            file = self._names.find_file(path)
            if file is None or self._program.find_language(path) not in LANGUAGES:
                continue
            is_of_other_test = path != near and is_test_path(path)
            is_doubted = is_plain or is_of_other_test
            sure = Confidence.POSSIBLE if is_doubted else Confidence.PROBABLE
            for ordinal in file.record.find_symbols(name):
                symbol, one = file.get_symbol(ordinal), Declaration(path, ordinal)
                is_member = symbol.kind in _MEMBER_KINDS and _may_accept(symbol, row)
                if is_member and not self._has_another_owner(near, one, symbol):
                    found.append(Target(one, sure))
        return _limit(found)

    def _has_another_owner(self, near: str, member: Declaration, symbol: DeclaredSymbol) -> bool:
        """Return whether a type without this member has the name of its type in a file, so imported there."""
        file, owner = self._names.find_file(near), Declaration(member.path, symbol.parent)
        around = self._names.get_symbol(owner) if symbol.parent and near != member.path else None
        if file is None or around is None:
            return False
        meant = self._names.look_up(file, 0, around.name)
        if owner in meant.declarations or any(one.path.endswith(".d.ts") for one in meant.declarations):
            return False  # types are declared there for what is written elsewhere
        if not meant.declarations:
            return bool(meant.external)
        return member not in self._types.find_member(Owners(meant.declarations), symbol.name).declarations


def _limit(found: list[Target]) -> Resolution:
    """Return a single target as it is, several as POSSIBLE, and none if there are too many."""
    if len(found) > MAX_GUESSES:
        return NOTHING
    if len(found) > 1:
        found = [Target(one.declaration, Confidence.POSSIBLE) for one in found]
    return Resolution(tuple(found))


def _may_accept(symbol: DeclaredSymbol, row: Reference) -> bool:
    """Return False for a method that is called with more arguments than it has parameters.

    The same for a call of a property that holds no function, as its written type tells.
    """
    if row.role is ReferenceRole.CALL and symbol.kind is SymbolKind.PROPERTY:
        return _PLAIN_TYPE.fullmatch(symbol.return_type) is None
    if row.role is not ReferenceRole.CALL or symbol.kind is not SymbolKind.METHOD or row.arguments == 0:
        return True
    return bool(symbol.flags & SymbolFlag.VARIADIC) or row.arguments - 1 <= symbol.parameter_count


def _choose(known: list[tuple[Declaration, DeclaredSymbol]], row: Reference) -> list[Declaration]:
    """Return the declarations that a call may mean: implementations, or the signatures that fit."""
    if row.role is not ReferenceRole.CALL or len(known) < 2:
        return [ordinal for ordinal, _ in known]
    run = {(one.path, symbol.parent) for one, symbol in known if not symbol.flags & SymbolFlag.FORWARD}
    if run:  # for each owner: members of two classes are not overloads of each other
        return [
            one
            for one, symbol in known
            if not symbol.flags & SymbolFlag.FORWARD or (one.path, symbol.parent) not in run
        ]
    fitting = [
        ordinal for ordinal, symbol in known if row.arguments and symbol.parameter_count == row.arguments - 1
    ]
    return fitting or [ordinal for ordinal, _ in known]
