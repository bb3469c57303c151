"""The type of a TypeScript or JavaScript value, as far as it is written, and the members of that type.

An owner is a declaration that has members: a class, an interface, an enum, an object or a module. A value's
owners come from its written type, from `new`, and from the declared or actual result of a called function.
Lookups continue in the bases of classes and interfaces.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from repo_mcp.graph.program import Declaration
from repo_mcp.graph.typescript.contextual_types import ContextualTypes
from repo_mcp.graph.typescript.declared_owners import DeclaredOwners
from repo_mcp.graph.typescript.inference import Inference
from repo_mcp.graph.typescript.inheritance import INHERITED, Inheritance
from repo_mcp.graph.typescript.literals import is_class_name
from repo_mcp.graph.typescript.members import (
    find_binds,
    find_holder,
    is_declared_later,
    is_in_static,
    take_items,
)
from repo_mcp.graph.typescript.names import SCRIPTS, UNKNOWN, Meaning, ScriptNames
from repo_mcp.graph.typescript.owners import (
    MAX_PARTS,
    MAX_STEPS,
    NO_OWNERS,
    Bound,
    Owners,
    Parameter,
    Written,
    count_calls,
    get_keyed_member,
    has_member,
    join_bound,
    limit_members,
    mark_items,
    mark_uncertain,
    may_be_items,
    unite_owners,
    unite_results,
    write_type,
)
from repo_mcp.graph.typescript.script_file import ScriptFile, find_type_parameter
from repo_mcp.graph.typescript.signatures import (
    THIS,
    bind_receiver,
    bind_type_arguments,
    choose_signatures,
    list_signatures,
)
from repo_mcp.graph.typescript.variables import Variables
from repo_mcp.languages.typescript.types import (
    TypeName,
    is_object_type,
    is_tuple_type,
    read_function,
    read_member,
    read_types,
)
from repo_mcp.languages.typescript.walk import CAST, EXPECTED
from repo_mcp.record_classes import replace
from repo_mcp.symbols.model import TYPE_KINDS
from repo_mcp.symbols.symbol_record import CALLABLE_KINDS, SymbolKind

_IMPORTED = re.compile(r"import\(\s*[\"']([^\"']+)[\"']\s*\)")
_TYPE_PARAMETER = re.compile(r"[A-Z]\d?|T[A-Z]\w*")  # by convention, real types are not named like this
# Types that the language derives from the type of a function.
_COMPONENTS = frozenset({"FC", "FunctionComponent", "VFC"})
_CALLED = CALLABLE_KINDS | {SymbolKind.CLASS}  # a class is called to make an object
# Types of the language and of well-known packages that have the members of their first argument.
_WRAPPERS = frozenset(
    {
        "DeepReadonly",
        "Except",
        "InstanceType",
        "Optional",
        "PartialDeep",
        "ReadonlyDeep",
        "SetOptional",
        "SetRequired",
        "Simplify",
    }
)
MAX_SEGMENTS = 12
MAX_DECLARING = 40  # files that may declare a global value or type and are looked into
# Values that every program has, or that its environment gives it.
_GLOBALS = frozenset(
    re.findall(
        r"\w+",
        """
        Array ArrayBuffer Atomics BigInt Boolean Buffer CSS DataView Date Error Function Intl JSON Map Math
        Number Object Promise Proxy RangeError Reflect RegExp Set String Symbol SyntaxError TypeError URL
        URLSearchParams WeakMap WeakRef WeakSet WebAssembly console document localStorage location navigator
        performance process sessionStorage
        """,
    )
)
_WINDOWS = frozenset({"window", "globalThis", "self", "global"})


def give_external(meaning: Meaning, is_call: bool) -> Owners:
    """Return the owners of something external, or of the result of calling it.

    A static method gives an object of the class on which it is called, or a list of such objects, or another
    thing. A name that begins with a capital is called to construct one.
    """
    if is_call and meaning.made:
        return Owners(meaning.made, is_mixed=True, is_guess=meaning.is_guess, is_class=True, is_open=True)
    is_made = meaning.external.rpartition(".")[2][:1].isupper()
    return Owners(external=meaning.external, is_open=meaning.is_open or (is_call and not is_made))


class ScriptTypes:
    """Evaluates chains of members."""

    def __init__(self, names: ScriptNames) -> None:
        self._names = names
        self._inference = Inference(names, self)
        self._inheritance = Inheritance(names, self)
        context = ContextualTypes(names, self, self._inference)
        self.follow_binds = Variables(names, self, self._inference, context).follow
        self._declared = DeclaredOwners(names, self, self.follow_binds)
        self._globals: dict[str, Owners] = {}
        self._line: tuple[tuple[str, int, int], dict[str, Owners]] = ("", 0, 0), {}
        self._owners: dict[tuple[Declaration, bool, int, Bound], Owners] = {}

    # Chains

    def evaluate(
        self, file: ScriptFile, ordinal: int, chain: str, line: int, steps: int = 0, bound: Bound = ()
    ) -> Owners:
        """Return the owners of a chain "a.b().c" inside a symbol, on a line, or NO_OWNERS."""
        imported = _IMPORTED.match(chain) if chain.startswith("import(") else None
        if imported is not None:
            return self._evaluate_imported(file, imported[1], chain[imported.end() :], steps)
        segments = chain.replace("[]", ".[]").split(".")
        if len(segments) > MAX_SEGMENTS or steps > MAX_STEPS:
            return NO_OWNERS
        key = file.path, ordinal, line
        if steps or bound:
            known: dict[str, Owners] = {}
        else:  # the names of a chain are resolved one after the other
            known = self._line[1] if self._line[0] == key else {}
            self._line = key, known
        owners, prefix = NO_OWNERS, ""
        for at, segment in enumerate(segments):
            prefix += f".{segment}"
            found = known.get(prefix)
            if found is None:
                found = (
                    self._step(owners, segment, steps)
                    if at
                    else self._evaluate_head(file, ordinal, segment, line, steps, bound)
                )
                known[prefix] = found
            owners = found
            if owners == NO_OWNERS:
                break
        return owners

    def _evaluate_imported(self, file: ScriptFile, module: str, members: str, steps: int) -> Owners:
        """Return the owners of a member ".a.b", or of all, of a module that a type imports."""
        path = self._names.modules.find(file.path, module)
        owners = Owners(external=module) if path is None else Owners((Declaration(path, 0),))
        for name in members.split(".")[1:]:
            owners = self._step(owners, name, steps)
        return owners

    def _evaluate_head(
        self, file: ScriptFile, ordinal: int, segment: str, line: int, steps: int, bound: Bound
    ) -> Owners:
        name, calls = count_calls(segment)
        if name in {"this", "super"}:
            holder = find_holder(file, ordinal)
            if holder is None:
                return NO_OWNERS
            if name == "super":
                return self._inheritance.list_bases(file, file.get_symbol(holder), steps, INHERITED, bound)
            found = self.find_receiver(file, holder, steps, bound)
            return replace(found, is_class=True) if is_in_static(file, ordinal) else found
        if name.startswith(CAST):
            return self.read_written(file, ordinal, name[len(CAST) :], steps, bound)
        rows = find_binds(file, ordinal, name)
        if rows and not is_declared_later(file, name, rows[-1].line, line):
            owners = self.follow_binds(file, rows, steps, bound)
            return self._call_often(owners, calls, steps)
        meaning = self._names.look_up(file, ordinal, name, line)
        if meaning is UNKNOWN:
            return self._inheritance.window if name in _WINDOWS else self._find_global(name)
        owners = self.get_owners(meaning, is_call=calls > 0, steps=steps + 1)
        return self._call_often(owners, calls - 1, steps)

    def find_receiver(self, file: ScriptFile, holder: int, steps: int, bound: Bound) -> Owners:
        """Return the owners of `this` in a class: the class, or one below it that its member is called on."""
        written = next((one for key, one in bound if key == (file.path, holder, THIS)), None)
        owners = NO_OWNERS if written is None else self.read_each([(written, written.text, ())], steps)
        return Owners((Declaration(file.path, holder),), bound=bound) if owners == NO_OWNERS else owners

    def _find_global(self, name: str) -> Owners:
        """Return a global value as one outside the repository; NO_OWNERS if this may declare it."""
        if name not in _GLOBALS:
            return NO_OWNERS
        if name not in self._globals:
            paths = [one for one in self._names.program.list_declaring(name) if one.endswith(".d.ts")]
            files = (self._names.find_file(one) for one in paths[:MAX_DECLARING])
            is_declared = any(file.find_children(0, name) for file in files if file is not None)
            self._globals[name] = NO_OWNERS if is_declared else Owners(external=name)
        return self._globals[name]

    def _call_often(self, owners: Owners, calls: int, steps: int) -> Owners:
        for _ in range(calls):
            owners = self.call(owners, steps + 1)
        return owners

    def _step(self, owners: Owners, segment: str, steps: int) -> Owners:
        name, calls = count_calls(segment)
        if owners.is_items:
            if segment == "[]":
                return mark_items(owners, False)
            taken = take_items(owners, name, is_call=calls == 1)
            if taken is not None:
                return taken
            return self._call_often(self.find_keyed(owners, name, steps), calls, steps)
        if segment == "[]":
            return owners if may_be_items(owners) else NO_OWNERS
        meaning = self.find_member(owners, name, steps + 1)
        taken = take_items(owners, name, is_call=calls == 1) if meaning.external else None
        if taken is not None and may_be_items(owners):
            return taken
        found = self.get_owners(meaning, is_call=calls > 0, steps=steps + 1)
        return self._call_often(found, calls - 1, steps)

    def find_keyed(self, owners: Owners, name: str, steps: int) -> Owners:
        """Return the owners of any member of an object whose members are its items."""
        chosen = unite_owners(self._inference.choose(one, name, steps + 1) for one in owners.mapped)
        return get_keyed_member(owners) if chosen == NO_OWNERS else chosen

    # Types

    def get_owners(self, meaning: Meaning, *, is_call: bool = False, steps: int = 0) -> Owners:
        """Return the owners of a value's members, or of the result of calling it; NO_OWNERS if unknown."""
        if meaning.external:
            return give_external(meaning, is_call)
        if steps > MAX_STEPS:
            return NO_OWNERS
        declarations = (
            choose_signatures(self._names, meaning.declarations) if is_call else meaning.declarations
        )
        each = [self._get_owners(one, is_call, steps, meaning.bound) for one in declarations]
        if meaning.written:
            owners = self.read_each([(one, one.text, one.bound) for one in meaning.written], steps)
            each.append(self.call(owners, steps + 1) if is_call else owners)
        owners = unite_results(each) if is_call else unite_owners(each)
        if meaning.is_guess and owners != NO_OWNERS:
            owners = replace(owners, is_guess=True)
        if not is_call and self._are_classes(declarations):
            owners = replace(owners, is_class=True)
        return owners if meaning.is_certain else mark_uncertain(owners)

    def _are_classes(self, declarations: Sequence[Declaration]) -> bool:
        symbols = map(self._names.get_symbol, declarations)
        return any(one is not None and one.kind is SymbolKind.CLASS for one in symbols)

    def _get_owners(self, declaration: Declaration, is_call: bool, steps: int, bound: Bound) -> Owners:
        """Return the owners of a declaration; cached by steps, so that types in a cycle cost once each."""
        key = (declaration, is_call, steps, bound)
        found = self._owners.get(key)
        if found is None:
            found = self._owners[key] = self._declared.find(declaration, is_call, steps, bound)
        return found

    def call(self, owners: Owners, steps: int) -> Owners:
        """Return the owners of the results of calling values."""
        if steps > MAX_STEPS or owners.external or owners.is_items:
            return NO_OWNERS
        signatures = list_signatures(self._names, owners, is_result=True)
        results = self.read_each(
            [(at, result, bound) for _, result, at, bound in signatures if result], steps, are_one=True
        )
        inferred = unite_owners(
            self._get_owners(one, True, steps + 1, owners.bound)
            for one in owners.declarations
            if (symbol := self._names.get_symbol(one)) is not None
            and symbol.kind in _CALLED
            and not symbol.return_type
        )
        found = unite_owners((results, inferred))
        return mark_uncertain(found) if owners.is_mixed or owners.is_guess else found

    def read_written(self, file: ScriptFile, ordinal: int, text: str, steps: int, bound: Bound) -> Owners:
        """Return the owners that a written type names."""
        if steps > MAX_STEPS:
            return NO_OWNERS
        text = text.strip()
        if is_class_name(text):
            return mark_uncertain(self.find_type(file, ordinal, text[1:], "", steps + 1))
        if text.startswith(EXPECTED):
            return self._inference.read_literal(file, text, steps)
        if "=>" in text and read_function(text) is not None:
            return Owners(functions=(write_type(file.path, ordinal, text, bound),))
        text = text.removeprefix("readonly ") if text.startswith("readonly [") else text
        types = [] if text.startswith("[") else read_types(text)
        if not types and (is_object_type(text) or is_tuple_type(text)):
            return Owners(functions=(write_type(file.path, ordinal, text, bound),))
        each = [self._read_name(file, ordinal, one, steps, bound) for one in types]
        owners = unite_owners(each)
        if owners.is_keyed and bound and " in keyof " in text:
            owners = replace(owners, mapped=(write_type(file.path, ordinal, text, bound),))
        is_outside = len(each) > 1 and "|" in text and any(one.external for one in each)
        return mark_uncertain(owners) if is_outside or any(one.is_open for one in types) else owners

    def _read_name(self, file: ScriptFile, ordinal: int, named: TypeName, steps: int, bound: Bound) -> Owners:
        owners = self.find_type(
            file,
            ordinal,
            named.name,
            named.qualifier,
            steps,
            bound=bound,
            type_arguments=named.type_arguments,
        )
        if named.is_result:
            owners = self.call(owners, steps + 1)
        if named.is_member:
            owners = self._list_values(owners, steps)
        if owners.external and named.name in _WRAPPERS and named.type_arguments:
            return self.read_written(file, ordinal, named.type_arguments[0], steps + 1, bound)
        if owners.external and named.name in _COMPONENTS and named.type_arguments:
            return Owners(
                functions=(
                    write_type(file.path, ordinal, f"(props: {named.type_arguments[0]}) => void", bound),
                )
            )
        owners = mark_items(limit_members(owners, named.limits), named.is_items or owners.is_items)
        return replace(owners, is_keyed=True) if named.is_keyed and owners.declarations else owners

    def _list_values(self, owners: Owners, steps: int) -> Owners:
        """Return the owners of all properties of the owners."""
        found = []
        for one in owners.declarations:
            file = self._names.find_file(one.path)
            children = (
                file.record.list_children(one.ordinal)[:MAX_PARTS] if file is not None and one.ordinal else ()
            )
            for child in children:
                found.append(
                    self._get_owners(Declaration(one.path, int(child)), False, steps + 1, owners.bound)
                )
        return unite_owners(found)

    def find_type(
        self,
        file: ScriptFile,
        ordinal: int,
        name: str,
        qualifier: str,
        steps: int,
        line: int = 0,
        *,
        bound: Bound = (),
        type_arguments: Sequence[str] = (),
    ) -> Owners:
        """Return the owners of a type, by its name and its type arguments."""
        if qualifier:
            outer = self.evaluate(file, ordinal, qualifier, 0, steps + 1, bound)
            if outer.external:
                return Owners(external=f"{outer.external}.{name}")
            meaning = self.find_member(outer, name, steps + 1)
        else:
            holder = find_type_parameter(file, ordinal, name)
            if holder < 0 and any(key == (file.path, ordinal, name) for key, _ in bound):
                holder = ordinal  # a parameter of a function type, which no symbol declares
            if holder >= 0:
                return self._read_parameter(file, (file.path, holder, name), steps, bound)
            meaning = self._names.look_up(file, ordinal, name, line, as_type=True)
            if meaning is UNKNOWN:
                made = self._find_made(file, ordinal, name, steps, bound)
                if made is not None:
                    return made
                is_open = _TYPE_PARAMETER.fullmatch(name) or self._may_be_global(file, name)
                return NO_OWNERS if is_open else Owners(external=name)
        declarations = self._names.add_augmenting(meaning.declarations)
        own = bind_type_arguments(self._names, declarations, type_arguments, file, ordinal, bound)
        meaning = replace(meaning, declarations=declarations, bound=join_bound(meaning.bound, own))
        owners = self.get_owners(meaning, steps=steps + 1)
        return replace(owners, is_class=False) if owners.is_class else owners

    def _may_be_global(self, file: ScriptFile, name: str) -> bool:
        """Return whether a type that JavaScript names without an import may be one of the repository."""
        if not file.path.endswith(SCRIPTS):
            return False
        paths = self._names.program.list_declaring(name)[:MAX_DECLARING]
        others = (self._names.find_file(path) for path in paths)
        found = (one for other in others if other is not None for one in other.find_children(0, name))
        return any(one.kind in TYPE_KINDS or one.kind is SymbolKind.FUNCTION for one in found)

    def _find_made(
        self, file: ScriptFile, ordinal: int, name: str, steps: int, bound: Bound
    ) -> Owners | None:
        """Return the owners of what a variable makes that holds a class: `Kind` in `new Kind()`.

        Return None if there is no variable of this name.
        """
        rows = find_binds(file, ordinal, name)
        if not rows:
            return None
        if steps > MAX_STEPS:
            return NO_OWNERS
        held = self.follow_binds(file, rows, steps + 1, bound)
        return self.call(held, steps + 1) if held.functions else held

    def _read_parameter(self, file: ScriptFile, key: Parameter, steps: int, bound: Bound) -> Owners:
        """Return the owners of a type parameter: those of its argument, or else of its bound."""
        bound_to = next((one for other, one in bound if other == key), None)
        if bound_to is not None and bound_to.text:
            other = self._names.find_file(bound_to.path)
            if other is None:
                return NO_OWNERS
            owners = self.read_written(other, bound_to.ordinal, bound_to.text, steps + 1, bound_to.bound)
            if owners != NO_OWNERS or not bound_to.text.startswith(EXPECTED):
                return owners
        text = file.type_parameters.get(key[1], {}).get(key[2], "")[1:].partition(" = ")[0]
        owners = self.read_written(file, key[1], text, steps + 1, bound) if text else NO_OWNERS
        return owners if bound_to is None else mark_uncertain(owners)

    def read_each(
        self, each: Iterable[tuple[Written, str, Bound]], steps: int, *, are_one: bool = False
    ) -> Owners:
        """Return the owners of texts, each written at a place: of all, or (`are_one`) of one of several."""
        found = []
        for at, text, bound in each:
            file = self._names.find_file(at.path)
            if file is not None:
                found.append(self.read_written(file, at.ordinal, text, steps + 1, bound))
        return unite_results(found) if are_one else unite_owners(found)

    # Members

    def find_member(self, owners: Owners, name: str, steps: int = 0) -> Meaning:
        """Return the members with a name in owners, or else in their bases; UNKNOWN if there are none."""
        if owners.external:
            return Meaning(external=f"{owners.external}.{name}", is_open=owners.is_open)
        if owners.is_items:
            return UNKNOWN
        found: list[Declaration] = []
        outside, bound, is_guess, is_certain = "", owners.bound, owners.is_guess, not owners.is_mixed
        for owner in owners.declarations:
            if owners.limits and not has_member(owners, owner, name):
                continue
            meaning = self._inheritance.find_inherited(owner, name, steps, owners.bound)
            is_guess |= meaning.is_guess
            is_certain &= meaning.is_certain
            found += [one for one in meaning.declarations if one not in found]
            outside = outside or meaning.external
            bound = join_bound(bound, meaning.bound) if meaning.bound else bound
            if receiver := bind_receiver(self._names, owner, meaning.declarations):
                bound = join_bound(bound, receiver)
        texts = [(one, read_member(one.text, name)) for one in owners.functions if one.text[0] in "{["]
        written = tuple(replace(one, text=text) for one, text in texts if text)
        written += self._inference.list_written(owners, name)
        is_guess |= owners.is_choice and len(found) > 1
        if found or written:
            return Meaning(tuple(found), "", is_certain, is_guess, bound, written)
        if not outside:
            return UNKNOWN
        made = owners.declarations if owners.is_class else ()
        return Meaning(external=outside, is_guess=owners.is_open, is_open=True, made=made)
