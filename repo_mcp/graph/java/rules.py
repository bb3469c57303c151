"""Name rules of Java: a file's package, its imports one by one and by `*`, and nested types."""

from __future__ import annotations

from functools import cached_property

from repo_mcp.graph.typed.file_scope import FileScope
from repo_mcp.graph.typed.rules import OUTSIDE, Candidate, Path, Rules
from repo_mcp.symbols.symbol_record import ACCESS_SHIFT, Access, Reference, SymbolKind

LANG = ("java", "lang")  # the package that every file imports
# Types visible in every file, unless the repository declares one of that name (java.lang in Java 21).
_LANG_TEXT = """
Appendable AutoCloseable CharSequence Cloneable Comparable Iterable ProcessHandle Readable Runnable
Boolean Byte Character Class ClassLoader ClassValue Double Enum Float InheritableThreadLocal Integer Long
Math Module ModuleLayer Number Object Package Process ProcessBuilder Record Runtime RuntimePermission
Short StackTraceElement StackWalker StrictMath String StringBuffer StringBuilder System Thread ThreadGroup
ThreadLocal Throwable Void
ArithmeticException ArrayIndexOutOfBoundsException ArrayStoreException ClassCastException
ClassNotFoundException CloneNotSupportedException Exception IllegalArgumentException
IllegalCallerException IllegalMonitorStateException IllegalStateException IllegalThreadStateException
IndexOutOfBoundsException InstantiationException InterruptedException NegativeArraySizeException
NoSuchFieldException NoSuchMethodException NullPointerException NumberFormatException
ReflectiveOperationException RuntimeException SecurityException StringIndexOutOfBoundsException
TypeNotPresentException UnsupportedOperationException AssertionError Error LinkageError
NoClassDefFoundError OutOfMemoryError StackOverflowError VirtualMachineError
Deprecated FunctionalInterface Override SafeVarargs SuppressWarnings
"""
_LANG = frozenset(_LANG_TEXT.split())
# Methods of its texts, streams, optional values, paths, files, classes, errors and promises, besides those
# that are never guessed. In chains and lambdas nothing tells them from a namesake in the repository.
_LIBRARY_TEXT = """
charAt chars codePointAt compareTo compareToIgnoreCase concat contentEquals endsWith equalsIgnoreCase
indexOf isBlank lastIndexOf regionMatches replaceAll replaceFirst startsWith strip substring subSequence
toCharArray toLowerCase toUpperCase getBytes intern formatted lines allMatch anyMatch boxed distinct findAny
findFirst flatMap forEachOrdered mapToInt mapToObj noneMatch parallel sorted stream toList getAsInt
ifPresent ifPresentOrElse orElse orElseGet orElseThrow isPresent computeIfAbsent computeIfPresent getKey
getOrDefault getValue putIfAbsent removeIf retainAll containsAll subList getFirst getLast addFirst addLast
descendingIterator getAbsolutePath getCanonicalPath getFileName getParent getParentFile getPath isAbsolute
isDirectory isFile lastModified listFiles mkdir mkdirs relativize renameTo resolve resolveSibling
toAbsolutePath toFile toPath toURI toURL toUri getAnnotation getClassLoader getDeclaredField
getDeclaredMethod getDeclaringClass getMethods getModifiers getPackage getParameterCount getParameterTypes
getResource getResourceAsStream getReturnType getSimpleName getSuperclass getTypeName isAnnotationPresent
isAssignableFrom isInstance isInterface newInstance setAccessible addSuppressed getCause getLocalizedMessage
getMessage getStackTrace initCause printStackTrace completeExceptionally exceptionally isDone thenAccept
thenApply thenCompose whenComplete awaitTermination interrupt shutdownNow compareAndSet decrementAndGet
getAndIncrement getAndSet incrementAndGet intValue longValue doubleValue getYear getMonth isAfter isBefore
plusDays toEpochMilli toInstant toMillis groupCount matcher
"""
_LIBRARY = frozenset(_LIBRARY_TEXT.split())
# Members of lists, maps, streams and other holders: those that return an item, and those that return a list
# of the same.
_GIVING_TEXT = """
get getFirst getLast getOrDefault remove removeFirst removeLast poll pollFirst pollLast peekFirst peekLast
element pop next first last ceiling floor higher lower take orElse orElseThrow orElseGet getValue join getNow
"""
_GIVING_ITEM = frozenset(_GIVING_TEXT.split())
_KEEPING_TEXT = """
stream parallelStream iterator listIterator descendingIterator subList filter sorted distinct limit skip
values findFirst findAny min max reversed reduce
"""
_KEEPING_ITEMS = frozenset(_KEEPING_TEXT.split())
_OF_OBJECT = {"toString": 1, "hashCode": 1, "equals": 2}


class JavaRules(Rules):
    """The rules of Java. Full paths begin with the parts of the package name."""

    languages = frozenset({"java"})
    folders_limit_paths = True
    has_implicit_members = True
    declares_before_use = True
    has_overloads = True
    inherits_overloads = True
    methods_of_every_class = _OF_OBJECT
    library_members = _LIBRARY
    item_getters = _GIVING_ITEM
    list_filters = _KEEPING_ITEMS
    self_words = frozenset({"this"})
    super_words = frozenset({"super"})

    def find_home(self, scope: FileScope) -> Path:
        """Return the package of a file."""
        is_packaged = scope.record.symbol_count > 1 and scope.get_kind(1) is SymbolKind.MODULE
        return tuple(scope.get_name(1).split(".")) if is_packaged else ()

    def get_full_path(self, scope: FileScope, ordinal: int) -> Path:
        """Return the package and the names."""
        names = scope.get_qualified_names(ordinal)
        return (*names[0].split("."), *names[1:]) if names else ()

    def list_visible(self, scope: FileScope, ordinal: int) -> list[Path]:
        """Return the package, the targets of `*` imports, which may be types with static members, and
        java.lang where the repository declares it itself."""
        wide = [tuple(row.qualifier.split(".")) for row in scope.wildcard_imports]
        return [self.find_home(scope), *wide, *([LANG] if self._declares_lang else [])]

    @cached_property
    def _declares_lang(self) -> bool:
        return bool(self.program.list_declaring(".".join(LANG)))

    def is_reachable(self, scope: FileScope, other: FileScope, ordinal: int) -> bool:
        """Return False for what is private in another file."""
        return int(other.record.flags[ordinal]) >> ACCESS_SHIFT != Access.PRIVATE

    def find_import(self, scope: FileScope, ordinal: int, name: str) -> Path | None:
        """Return the path that a single import binds."""
        for row in scope.find_imports(name):
            path = (*row.qualifier.split("."), row.name)
            return path if self._is_declared(path) else OUTSIDE + path
        return None

    def _is_declared(self, path: Path) -> bool:
        """Return whether some file in the package's folder declares the type in a path."""
        types = [at for at, name in enumerate(path) if name[:1].isupper()]
        at = types[0] if types else len(path) - 1
        return any(self.may_declare(one, path[: at + 1]) for one in self.program.list_declaring(path[at]))

    def list_paths(self, scope: FileScope, ordinal: int, names: Path) -> list[Path]:
        """Return paths through an import or visible package, in java.lang, or fully qualified."""
        found = super().list_paths(scope, ordinal, names)
        if names[0] in _LANG:
            return [*found, (*OUTSIDE, *LANG, *names)]
        return [*found, names] if names[0][:1].islower() and len(names) > 2 else found

    def list_imported(self, scope: FileScope, row: Reference) -> tuple[list[str], list[Path], str]:
        """Return the type or static member; for `*`, the package's files or the type."""
        qualifier, name = row.qualifier, row.name
        path = tuple(qualifier.split("."))
        if name == "*":
            files = self.program.list_declaring(qualifier)  # the files of the package
            if files or self._is_declared(path):
                return [*files], ([] if files else [path]), ""
            return [], [], f"{qualifier}.*"
        path = (*path, name) if name else path
        return ([], [path], "") if self._is_declared(path) else ([], [], ".".join(path))

    def choose(self, scope: FileScope, found: list[Candidate]) -> tuple[list[Candidate], bool]:
        """Return the declarations in the file's own source folder, or else in its own module.

        Several modules may declare a type of one full name. Which one another module sees is not known.
        """
        chosen, is_certain = super().choose(scope, found)
        if len({other.path for other, _ in chosen}) < 2:
            return chosen, is_certain
        root = self._find_root(scope)
        own = [one for one in chosen if self._find_root(one[0]) == root]
        module = root.partition("/src/")[0]
        own = own or [one for one in chosen if self._find_root(one[0]).partition("/src/")[0] == module]
        return own or chosen, is_certain and len({other.path for other, _ in own}) == 1

    def _find_root(self, scope: FileScope) -> str:
        """Return the folder that holds the folders of a file's package, with a slash before and after it."""
        package = "/".join(self.find_home(scope))
        return f"/{scope.folder.removesuffix(package)}".removesuffix("/") + "/"

    def may_declare(self, file_path: str, path: Path) -> bool:
        """Return whether a file lies in the folder of the package named before the first type."""
        words = [*path[:-1]]
        while words and words[-1][:1].isupper():
            words.pop()
        folder = file_path.rpartition("/")[0]
        package = "/".join(words)
        return not package or folder == package or folder.endswith("/" + package) or path[-1][:1].islower()
