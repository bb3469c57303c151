"""Written types, reduced to the name of the type whose members a variable, or each of its items, has.

`*pkg.Foo`, `const ns::Foo &`, `Box<dyn Foo>`, `Foo?` and `struct foo *` all name Foo. `[]Foo`, `List<Foo>`,
`[Foo]`, `Vec<Foo>` name Foo as the type of their items. Texts are at most MAX_TEXT_CHARS long, and each
step makes them shorter.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from repo_mcp.record_classes import dataclass

MAX_STEPS = 8  # wrappers that are removed from one type at most

_MODIFIERS = re.compile(
    r"(?:[\s&*]|'\w+\b|\b(?:const|volatile|struct|union|enum|class|typename|mut|dyn|impl|static|final|extern"
    r"|register|inline|constexpr|mutable|inout|some|any|borrowing|consuming|in|out|ref|unsigned|signed|chan"
    r"|weak|@\w+)(?=[\s*&<'\[(]|$))+"
)
_NAME = re.compile(r"[A-Za-z_$\x80-\U0010ffff][\w$]*(?:\s*(?:\.|::)\s*[A-Za-z_$\x80-\U0010ffff][\w$]*)*")
_SIZE = re.compile(r"\[[^\[\]]*\]|\.\.\.")
_MAP = re.compile(r"map\[[^\[\]]*\]")
_SEPARATOR = re.compile(r"\s*(?:\.|::)\s*")

# Wrappers: the members of their type argument are reached as if it were not wrapped.
_WRAPPERS_TEXT = """
Box Rc Arc Ref RefMut Pin Cow MutexGuard RwLockReadGuard RwLockWriteGuard ManuallyDrop NonNull
Lazy LazyCell LazyLock SendWrapper
shared_ptr unique_ptr weak_ptr reference_wrapper scoped_refptr intrusive_ptr optional
QPointer QSharedPointer QScopedPointer QWeakPointer NiceMock NaggyMock StrictMock
"""
_WRAPPERS = frozenset(_WRAPPERS_TEXT.split())
_CONTAINERS_TEXT = """
Vec VecDeque HashSet BTreeSet LinkedList BinaryHeap SmallVec vector list deque set unordered_set
array span List ArrayList LinkedList Set HashSet LinkedHashSet TreeSet Collection Iterable Iterator
Queue Deque Stream Array Sequence ContiguousArray ArraySlice
IntoIterator DoubleEndedIterator ExactSizeIterator
CopyOnWriteArrayList ArrayDeque PriorityQueue BlockingQueue LinkedBlockingQueue ConcurrentLinkedQueue
SortedSet NavigableSet EnumSet ListIterator
QList QVector QSet QStack QQueue forward_list multiset
Optional CompletableFuture CompletionStage AtomicReference WeakReference SoftReference
"""
_CONTAINERS = frozenset(_CONTAINERS_TEXT.split())
_ITEM = re.compile(r"\s*Item\s*=\s*")  # in Rust, `Iterator<Item = Foo>`
_KEYED_TEXT = """
HashMap BTreeMap IndexMap map unordered_map Map LinkedHashMap TreeMap Dictionary
ConcurrentHashMap ConcurrentMap SortedMap NavigableMap EnumMap Map.Entry QMap QHash QMultiMap QMultiHash
multimap
"""
_KEYED = frozenset(_KEYED_TEXT.split())
_ENTRY = "Map.Entry"  # `Entry` alone is the name of many other types


@dataclass(frozen=True, slots=True)
class TypeName:
    """The name of a type and its dotted qualifier; both are empty if a text names no type."""

    name: str = ""
    qualifier: str = ""
    is_items: bool = False  # the text is a list or the like, and the name is that of the type of its items
    inner: int = 0  # levels of lists inside the outermost one, if any of them has a name
    outer: str = ""  # name of the outermost list that has one

    @property
    def names(self) -> tuple[str, ...]:
        """Return the parts of the dotted name, outermost first; one empty part for NO_TYPE."""
        return (*self.qualifier.split("."), self.name) if self.qualifier else (self.name,)


NO_TYPE = TypeName()


def read_type(text: str) -> TypeName:
    """Return the name of the type in a text; NO_TYPE if it names none."""
    lists, outer = 0, ""
    for _ in range(MAX_STEPS):
        start = _MODIFIERS.match(text)
        text = text[start.end() :] if start is not None else text
        if text.startswith("["):
            lists, text = lists + 1, _strip_brackets(text)
            continue
        keyed = _MAP.match(text)
        if keyed is not None:
            lists, text = lists + 1, text[keyed.end() :]
            continue
        if text.startswith("..."):
            lists, text = lists + 1, text[3:]
            continue
        found = _NAME.match(text)
        if found is None:
            return NO_TYPE
        names = _SEPARATOR.split(found.group())
        rest = text[found.end() :].lstrip()
        inside = _find_argument(_ENTRY if names[-2:] == _ENTRY.split(".") else names[-1], rest)
        if inside is None:
            lists += rest.startswith(("[]", "..."))
            return TypeName(names[-1], ".".join(names[:-1]), lists > 0, lists - 1 if outer else 0, outer)
        if names[-1] not in _WRAPPERS:
            lists, outer = lists + 1, outer or names[-1]
        text = inside
    return NO_TYPE


def read_wrapper(text: str) -> TypeName:
    """Return the name of the wrapper, list or map with which a text begins; NO_TYPE for any other type."""
    return next(iter_wrappers(text), NO_TYPE)


def iter_wrappers(text: str) -> Iterator[TypeName]:
    """Yield the names of the wrappers with which a text begins, and that of a list or map inside them.

    A repository may declare a type of such a name itself: `unique_ptr<Queue<Task>>`.
    """
    for _ in range(MAX_STEPS):
        start = _MODIFIERS.match(text)
        found = _NAME.match(text, start.end() if start is not None else 0)
        names = _SEPARATOR.split(found.group()) if found is not None else [""]
        if found is None or names[-1] not in _WRAPPERS | _CONTAINERS | _KEYED:
            return
        yield TypeName(names[-1], ".".join(names[:-1]))
        if names[-1] not in _WRAPPERS:
            return
        text = text[found.end() :].lstrip().removeprefix("<")


def split_bounds(text: str) -> list[str]:
    """Return the bounds of one type parameter: the parts of `A + B<C + D>`."""
    parts, depth, start = [], 0, 0
    for position, character in enumerate(text):
        if character in "<([":
            depth += 1
        elif character in ")]" or (character == ">" and text[position - 1 : position] != "-"):
            depth -= 1
        elif character == "+" and depth == 0:
            parts.append(text[start:position])
            start = position + 1
    return [*parts, text[start:]]


def _strip_brackets(text: str) -> str:
    """Return what is inside `[Foo]`, `[K: Foo]` or `[Foo; 3]`, or what follows `[]` or `[3]`."""
    size = _SIZE.match(text)
    if size is not None and text[size.end() : size.end() + 1] not in {"", "?", "!", ",", ")", ">", " "}:
        return text[size.end() :]
    inside = text[1:].partition("]")[0].partition(";")[0]
    return inside.rpartition(":")[2] if "::" not in inside else inside


def _find_argument(name: str, rest: str) -> str | None:
    """Return the type argument that counts: the first of a wrapper or container, the second of a map."""
    if not rest.startswith("<") or not (name in _WRAPPERS or name in _CONTAINERS or name in _KEYED):
        return None
    inside = rest[1:]
    if name not in _KEYED:
        return inside if (found := _ITEM.match(inside)) is None else inside[found.end() :]
    depth = 0
    for position, character in enumerate(inside):
        if character in "<([":
            depth += 1
        elif character in ">)]":
            depth -= 1
        elif character == "," and depth == 0:
            return inside[position + 1 :]
    return inside
