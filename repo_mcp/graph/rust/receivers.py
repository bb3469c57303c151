"""The types of receivers in Rust: locks, pointers, iterators, associated types and patterns."""

from __future__ import annotations

import re
from collections.abc import Sequence

from repo_mcp.graph.program import Declaration
from repo_mcp.graph.rust.external_types import declares_type, is_extension
from repo_mcp.graph.rust.rules import PRELUDE
from repo_mcp.graph.typed.file_scope import FileScope
from repo_mcp.graph.typed.receiver import Receiver, take_item
from repo_mcp.graph.typed.receivers import MAX_DEPTH, ReceiverTypes
from repo_mcp.graph.typed.rules import NOT_FOUND, FoundDeclarations, Rules
from repo_mcp.languages.treesitter.type_names import TypeName, read_type, read_wrapper, split_bounds
from repo_mcp.languages.treesitter.written_lists import read_only_argument, split_signature
from repo_mcp.record_classes import replace
from repo_mcp.symbols.model import BEHIND_POINTER, WRAPPED
from repo_mcp.symbols.symbol_record import Reference, ReferenceRole, SymbolKind

TYPE_PARAMETER = re.compile(r"[A-Z][A-Za-z0-9]?")  # by convention
MAX_BOUNDS = 8  # of one associated type that are read
_ITEM = re.compile(r"Iterator\s*<.*?\bItem\s*=\s*+(.*)>")
_LOCKS = frozenset({"Mutex", "RwLock", "RefCell"})
_LOCK = re.compile(r"\b(Mutex|RwLock|RefCell|AsMut|AsRef|Borrow|BorrowMut|Into|TryInto)\s*<")
_LOCKING_TEXT = """
lock() try_lock() read() write() borrow() borrow_mut() get_mut() as_mut() as_ref() into() try_into()
"""
_LOCKING = frozenset(_LOCKING_TEXT.split())


class RustReceivers(ReceiverTypes):
    """Finds the types of receivers in files of Rust."""

    bounds_around = True

    def _follow(self, scope: FileScope, ordinal: int, line: int, segments: list[str]) -> Receiver | None:
        """Return the type at the end of a chain; a wrapper may be a type of this repository."""
        wrapped = next((at for at, one in enumerate(segments) if one.startswith(WRAPPED)), 0)
        own = self._lookup.find_type(scope, ordinal, (segments[wrapped][1:],)) if wrapped else NOT_FOUND
        if not own.declarations:
            return super()._follow(scope, ordinal, line, segments)
        inner = super()._follow(scope, ordinal, line, segments[:wrapped])
        made = self._make_receiver(scope, own, is_items=False)
        given = (("", inner),) if inner is not None and inner.types else ()
        return self._take_steps(replace(made, type_arguments=given), segments[wrapped + 1 :])

    def _take_steps(self, receiver: Receiver | None, segments: Sequence[str]) -> Receiver | None:
        for segment in segments:
            if receiver is None:
                break
            if segment.startswith(WRAPPED):
                receiver = self._wrap(receiver, segment.removeprefix(WRAPPED))
                continue
            if receiver.guarded is not None and segment in _LOCKING:
                receiver = receiver.guarded
                continue
            if receiver.external and not segment.endswith("()"):
                receiver = self.find_pointee(receiver) or receiver
            if receiver.external:
                is_called = segment.endswith("()") and segment[:-2] not in self._lookup.rules.transparent
                return replace(receiver, is_result=True) if is_called else receiver
            receiver = self._take_step(receiver, segment)
        return receiver

    def _wrap(self, receiver: Receiver, wrapper: str) -> Receiver:
        """Return the type of a value in a wrapper of the standard library."""
        if wrapper in _LOCKS:
            return Receiver(external=wrapper, guarded=receiver)
        return replace(receiver, wrapper_members=self._lookup.rules.pointer_members)

    def _find_value(
        self, scope: FileScope, ordinal: int, names: tuple[str, ...], role: ReferenceRole
    ) -> Receiver | None:
        """Return the type of a value; what a function of an external type returns is mostly that type."""
        found = super()._find_value(scope, ordinal, names, role)
        if found is None or not found.external or role is not ReferenceRole.CALL:
            return found
        owner = found.external.rpartition(".")[0]
        name = owner.rpartition(".")[2]
        if not name[:1].isupper() or read_wrapper(name).name or name in _LOCKS:
            return replace(found, external=f"{found.external}()", is_result=True)
        return replace(found, external=owner)

    def find_type_receiver(self, scope: FileScope, ordinal: int, chain: str) -> Receiver | None:
        """Return the type that a path names, or None."""
        return self._find_path_type(scope, ordinal, tuple(chain.split(".")))

    def find_pointee(self, receiver: Receiver) -> Receiver | None:
        """Return what a type with `impl<T> Deref` and `type Target = T` points to; None for any other.

        Its only type argument must be known. An external type is taken to have such an `impl`, but for its
        fields alone: it has methods that are not known.
        """
        for name, argument in () if receiver.is_items else receiver.type_arguments:
            if not name and (receiver.external or any(map(self._points_to_parameter, receiver.types))):
                return replace(argument, is_certain=False)
        return None

    def _points_to_parameter(self, owner: Declaration) -> bool:
        """Return whether the `Target` of a type is a type parameter."""
        targets = self._lookup.find_members(owner, "Target", ReferenceRole.TYPE)
        target = self._lookup.get_return_type(targets[0]) if targets else ""
        return TYPE_PARAMETER.fullmatch(target) is not None

    def _find_self_type(self, scope: FileScope, ordinal: int) -> Receiver | None:
        own, around = super()._find_self_type(scope, ordinal), scope.find_type_around(ordinal)
        if own is None or around is None:
            return None
        row = scope.find_extended(around)
        is_pointer = row is not None and row.arguments == BEHIND_POINTER
        members = self._lookup.rules.pointer_members if is_pointer else frozenset()
        return self._weaken_extension(replace(own, wrapper_members=members))

    def _find_type(
        self, scope: FileScope, ordinal: int, names: tuple[str, ...], *, is_items: bool = False
    ) -> Receiver | None:
        """Return the type of a written name; None if nothing leads to it although a type here is named so."""
        found = super()._find_type(scope, ordinal, names, is_items=is_items)
        is_lost = found is not None and found.external == names[-1] and names[-1] not in PRELUDE
        return None if is_lost and declares_type(self._lookup, scope, names[-1]) else found

    def _make_receiver(self, scope: FileScope, found: FoundDeclarations, *, is_items: bool) -> Receiver:
        made = super()._make_receiver(scope, found, is_items=is_items)
        if found.alternatives:
            made = replace(made, types=found.declarations)
        return self._weaken_extension(made)

    def _weaken_extension(self, receiver: Receiver) -> Receiver:
        """Return a receiver, uncertain if its type is external or whatever fits a bound.

        `u64`, for which there may be an `impl` here, has members of its own.
        """
        is_outside = is_extension(self._lookup, list(receiver.types))
        return replace(receiver, is_certain=False) if is_outside else receiver

    # Variables

    def _find_type_of_value(
        self, scope: FileScope, ordinal: int, binding: Reference, names: tuple[str, ...]
    ) -> Receiver | None:
        if not names[-1].startswith(WRAPPED):
            return super()._find_type_of_value(scope, ordinal, binding, names)
        line = binding.line - (names[0].removesuffix("()") == binding.alias)
        return self.find_receiver(scope, ordinal, line, ".".join(names))

    def _find_annotated(
        self, scope: FileScope, binding: Reference, names: tuple[str, ...]
    ) -> Receiver | None:
        found = super()._find_annotated(scope, binding, names)
        if found is None:
            return None
        # The row does not say whether the type was written inside an `Rc`.
        return replace(found, wrapper_members=self._lookup.rules.pointer_members)

    def _find_all_bounds(
        self, scope: FileScope, rows: list[Reference], *, is_certain: bool = True
    ) -> Receiver | None:
        for one in rows:
            if "<" in one.name:  # such as `Into<Shape>`, besides which other bounds hardly have members
                return self._find_annotated(scope, one, ())
        return super()._find_all_bounds(scope, rows, is_certain=is_certain)

    def _take_item(self, receiver: Receiver) -> Receiver:
        """Return the `Item` of an iterator; not inside an `Option`."""
        for one in () if receiver.is_items or receiver.wrapper_members else receiver.types:
            for item in self._lookup.find_members(one, "Item", ReferenceRole.TYPE):
                text = self._lookup.get_return_type(item)
                return self._read_text(item, text, receiver) or take_item(receiver)
        return take_item(receiver)

    def _find_unpacked(
        self, scope: FileScope, ordinal: int, names: tuple[str, ...], position: int
    ) -> Receiver | None:
        """Return the type of a field that a pattern takes from a variant or a struct, by position."""
        made = self._find_path_type(scope, ordinal, names)
        if made is None or not made.types:
            return None
        one = made.types[0]
        other = self._lookup.find_scope(one.path)
        assert other is not None
        found = None
        if other.get_kind(one.ordinal) is not SymbolKind.ENUM_MEMBER:
            found = self._find_member(Receiver((one,)), str(position))
        else:
            texts = split_signature(other.get_symbol(one.ordinal).parameters).parameters
            if position < len(texts):
                found = self._read_text(one, texts[position], None)
        return replace(found, is_certain=False) if found is not None else None

    # Members

    def _find_index(self, receiver: Receiver) -> Receiver | None:
        """Return the `Output` of `impl Index`."""
        for one in receiver.types:
            for method in self._lookup.find_members(one, "index", ReferenceRole.CALL):
                scope = self._lookup.find_scope(method.path)
                if scope is not None:
                    for output in scope.find_children(scope.get_parent(method.ordinal), "Output"):
                        there = Declaration(scope.path, output)
                        return self._read_text(there, self._lookup.get_return_type(there), receiver)
        return None

    # Types as they are written

    def _read_text(self, at: Declaration, text: str, receiver: Receiver | None) -> Receiver | None:
        scope = self._lookup.find_scope(at.path)
        if scope is None:
            return None
        if text.startswith(":"):
            return self._read_bounds(scope, at, text[1:], receiver)
        plain = self._lookup.rules.read_result(text)
        locked = _LOCK.search(plain)
        if locked is not None:
            guarded = self._read_text(at, plain[locked.end() :], receiver)
            return Receiver(external=locked.group(1), guarded=guarded)
        return super()._read_text(at, text, receiver)

    def _find_named(
        self, scope: FileScope, at: Declaration, text: str, named: TypeName, receiver: Receiver | None
    ) -> Receiver | None:
        if named.qualifier == "Self":
            return self._find_associated(scope, at, named, receiver)
        return super()._find_named(scope, at, text, named, receiver)

    def _complete(
        self, at: Declaration, text: str, named: TypeName, found: Receiver, receiver: Receiver | None
    ) -> Receiver:
        scope = self._lookup.find_scope(at.path)
        assert scope is not None
        rules = self._lookup.rules
        arguments = self._read_argument(at, rules.read_result(text), named.name)
        return replace(
            found,
            inner=named.inner,
            wrapper_members=_list_wrapper_members(rules, text),
            type_arguments=arguments,
        )

    def _read_argument(self, at: Declaration, text: str, name: str) -> tuple[tuple[str, Receiver], ...]:
        """Return the only type argument in the text of a type, with the name ""; () if it is not known."""
        argument = read_only_argument(text, name)
        if not argument or self._lookup.depth >= MAX_DEPTH:
            return ()
        with self._lookup.deepen():
            found = self._read_text(at, argument, None)
        return (("", found),) if found is not None and found.types else ()

    def _read_bounds(
        self, scope: FileScope, at: Declaration, text: str, receiver: Receiver | None
    ) -> Receiver | None:
        """Return the traits that bound an associated type; for an iterator, a list of its items."""
        bounds = split_bounds(text)[:MAX_BOUNDS]
        item = next(filter(None, map(_ITEM.search, bounds)), None)
        # the items may be those of another iterator, in a cycle
        if item is not None and self._lookup.depth < MAX_DEPTH:
            with self._lookup.deepen():
                one = self._read_text(at, item[1], receiver)
            return replace(one, is_items=True, is_certain=False) if one is not None else None
        traits = (one.strip() for one in bounds if "Self" not in one.partition("<")[0])
        found = [self._find_type(scope, at.ordinal, read_type(one).names) for one in traits]
        types = tuple(dict.fromkeys(each for one in found if one is not None for each in one.types))
        return Receiver(types, is_certain=False) if types else None

    def _find_associated(
        self, scope: FileScope, at: Declaration, named: TypeName, receiver: Receiver | None
    ) -> Receiver | None:
        """Return the type of `Self::Entry`, in the `impl` around the text or in that of the receiver."""
        blocks = [Declaration(scope.path, scope.get_parent(at.ordinal))]
        for owner in [*blocks, *(receiver.types if receiver is not None else ())]:
            for one in self._lookup.find_members(owner, named.name, ReferenceRole.TYPE):
                text = self._lookup.get_return_type(one)
                if text and not text.startswith("Self"):
                    found = self._read_text(one, text, receiver)
                    is_list = found is not None and (found.is_items or named.is_items)
                    return replace(found, is_items=True) if found is not None and is_list else found
        return None


def _list_wrapper_members(rules: Rules, text: str) -> frozenset[str]:
    """Return the members that a wrapper in a written type may have itself."""
    if rules.pointer_members and rules.read_result(text) != text.strip():
        return rules.transparent | rules.item_getters | rules.result_members
    return rules.pointer_members if read_wrapper(text).name else frozenset()
