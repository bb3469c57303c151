"""The vocabulary of symbol records: kinds, flags and roles, and the rows for one symbol and one reference.

Left out on purpose: the encoding of a record, which is in `repo_mcp/symbols/symbol_record.py` and
needs numpy.
"""

from __future__ import annotations

from enum import IntEnum, IntFlag
from typing import TYPE_CHECKING

from repo_mcp.record_classes import dataclass


class SymbolKind(IntEnum):
    """The kind of a symbol. The numbers are on disk."""

    FILE = 0
    MODULE = 1  # a namespace, package or module inside a file
    CLASS = 2
    INTERFACE = 3
    STRUCT = 4
    ENUM = 5
    TRAIT = 6  # a Rust trait, a Swift protocol
    RECORD = 7
    UNION = 8
    EXTENSION = 9  # a Rust impl block, a Swift extension: declares members of the type it names
    TYPE = 10  # a type alias, a typedef, a delegate
    FUNCTION = 11
    METHOD = 12
    CONSTRUCTOR = 13
    PROPERTY = 14  # a property, field or attribute of a type
    ENUM_MEMBER = 15
    CONSTANT = 16
    VARIABLE = 17
    MACRO = 18
    COMPONENT = 19  # a function or class that returns or renders JSX
    EVENT = 20


TYPE_KINDS = frozenset(
    {
        SymbolKind.CLASS,
        SymbolKind.INTERFACE,
        SymbolKind.STRUCT,
        SymbolKind.ENUM,
        SymbolKind.TRAIT,
        SymbolKind.RECORD,
        SymbolKind.UNION,
        SymbolKind.EXTENSION,
        SymbolKind.TYPE,
    }
)
CALLABLE_KINDS = frozenset(
    {
        SymbolKind.FUNCTION,
        SymbolKind.METHOD,
        SymbolKind.CONSTRUCTOR,
        SymbolKind.MACRO,
        SymbolKind.COMPONENT,
    }
)


class SymbolFlag(IntFlag):
    """Properties of a symbol. The numbers are on disk."""

    STATIC = 1
    ABSTRACT = 2
    ASYNC = 4
    OVERRIDE = 8  # marked so explicitly, in languages with a keyword for it
    DEPRECATED = 16
    DOCUMENTED = 32  # has a doc comment
    PUBLIC_API = 64  # reachable from outside its file or package, by the rules of its language
    PARTIAL = 128  # one of several declarations of one type
    DEFAULT_EXPORT = 256
    VARIADIC = 512  # its last parameter takes any number of arguments
    FORWARD = 1024  # declared here, defined elsewhere: a prototype, an overload, a stub, an alias of Go
    EXTENSION_METHOD = 2048
    PASTING = 4096  # a macro that writes "::", "." or "->" before a parameter, or joins it by "##"
    MACRO_USE = 8192  # a module of Rust whose macros are visible after it
    ATTACHED = 8192  # the same bit of a macro of Swift, which is never a module: it is used as `@Name`
    OPTIONAL = 16384  # a member of TypeScript that an object of its type need not have: `name?: T`
    UNNAMED_BASE = 32768  # a class of Python with a base that no reference names: a builtin, an expression

    if not TYPE_CHECKING:  # "|" and "&" give plain integers, which takes a twentieth of the time
        __or__ = __ror__ = int.__or__
        __and__ = __rand__ = int.__and__


class Access(IntEnum):
    """The access level of a symbol, as declared. The numbers are on disk, in the flags from bit 16 on."""

    NONE = 0  # the language or the declaration does not say
    PUBLIC = 1
    PROTECTED = 2
    INTERNAL = 3
    PRIVATE = 4
    PROTECTED_INTERNAL = 5
    PRIVATE_PROTECTED = 6


ACCESS_SHIFT = 16


class ReferenceRole(IntEnum):
    """The role in which a name is used. The numbers are on disk."""

    CALL = 1  # called, or instantiated
    INHERIT = 2  # a base class
    IMPLEMENT = 3  # an interface or trait that a type implements
    EXTEND = 4  # a base interface; the type that an extension extends; `extends` of TypeScript
    IMPORT = 5
    EXPORT = 6  # re-exported: `export {a as b} from "./c"`, `module.exports = a`
    ACCEPT = 7  # the type of a parameter
    TYPE = 8  # any other use of a type: annotation, return type, cast, generic argument
    USE = 9  # read or written as a value, and not bound within the function
    BIND = 10  # gives the type of a variable; not a use of a name


class Binding(IntEnum):
    """Ways in which a BIND row gives the type of its variable. The numbers are on disk, as its arguments."""

    TYPE = 0  # `qualifier.name` is the type itself: an annotation
    CALLED = 1  # the variable is what a call of `qualifier.name` returns
    ITEMS = 2  # `qualifier.name` is the type of the variable's items
    SAME = 3  # the variable is the same as `qualifier.name`: `x = y.z`
    ITEM = 4  # the variable is an item of the value `qualifier.name`: `for x in y.z`
    VALUES = 5  # the variable is a mapping whose values have the type `qualifier.name`
    ENTERED = 6  # the variable is what `with` binds for the value `qualifier.name`
    GIVES = 7  # a call of the variable returns the type `qualifier.name`
    BOUND = 8  # the variable is a type parameter, and `qualifier.name` a type that it is bound by
    NARROWED = 9  # from this line on the variable is known to be an instance of `qualifier.name` ...
    # ... and from this line on no longer. A number as the name ends the variable of a comprehension: it was
    # bound that many lines before this one, and is no longer bound after it.
    WIDENED = 10
    # The variable is the first item of the tuple that a call of `qualifier.name` returns; UNPACKED + 1: the
    # second item, and so on.
    UNPACKED = 11
    # The next four rows describe blocks of Python. The variable gets a value in a block of statements that
    # need not run. The block ends on this line, and begins as many lines earlier as the name says. The
    # qualifier is the number of lines after it that belong to other branches: the block's values do not count
    # there.
    BRANCH = 32
    ONLY_BRANCH = 33  # the first of branches that all bind the variable or leave, and of which one runs
    LOOP = 34  # a block that may run again
    SURE_LOOP = 35  # such a block that runs in any case: `while True`
    # Python: from this line on the variable is no instance of `qualifier.name`, until a WIDENED row.
    EXCLUDED = 36


# Added to the arguments of a BIND row of Python whose value reads the variable itself: `x = Shape(x.size)`.
# The line of the row is the last one of its statement; before it the variable has its earlier value.
FROM_ITSELF = 64


# Names of BIND rows of typed languages that name no source of the variable's type.
UNKNOWN_TYPE = "?"  # the record does not tell the type
# Before the name of a wrapper of Rust in a chain: the variable holds the value of the chain so far in it.
WRAPPED = ":"
UNBOUND = ""  # from this line on the name means again what it meant outside

# Aliases of BIND rows of TypeScript. The type or the parameters of a symbol may be longer than a string of a
# record: each such row has a further piece of them as its name, and as its arguments the offset of the piece.
REST_OF_TYPE, REST_OF_PARAMETERS = "…", "…("

# Arguments of BIND rows of TypeScript and Java whose variable has the type of a function's parameter; see
# `name_parameter`.
OF_PARAMETER = 64
MAX_PARAMETERS = 8  # of one function; further ones are not told apart
ITSELF = MAX_PARAMETERS  # in place of a parameter's index: the whole function that is passed
RESULT = MAX_PARAMETERS + 1  # in place of a parameter's index: what that function returns


def name_parameter(position: int, index: int) -> int:
    """Return the arguments of a BIND row whose variable is parameter `index` of some function.

    At `position` 0 the function has the type `qualifier.name`. Otherwise it is passed to a call of
    `qualifier.name` at that position, counted from 1.
    """
    return OF_PARAMETER + position * (MAX_PARAMETERS + 2) + index


def read_parameter(arguments: int) -> tuple[int, int]:
    """Return the position and the index of a number that `name_parameter` returned."""
    return divmod(arguments - OF_PARAMETER, MAX_PARAMETERS + 2)


# Values of `arguments`, by role. The numbers are on disk. For an IMPORT inside a function of Rust,
# `arguments` is the number of lines, from its own on, in which its name is visible; 0 means the whole
# function.
AS_FUNCTION = 1  # IMPLEMENT: a lambda or method reference in the symbol implements the type
HELD = 1  # IMPORT: the module is assigned to a variable, whose name need not mean the same everywhere
AS_LABEL = 1  # USE: a case label. The value `qualifier` is compared with it; it may be a constant of its type
OF_TYPE = 2  # USE: a member of a type. `qualifier` begins with the name of the type, not of a value
AS_FIELDS = 3  # USE: a macro that stands for fields of the symbol, which is a type or another such macro
OF_GIVEN_TYPE = 4  # USE in C: as OF_TYPE, in the arguments of a macro, so the name may not be a member
AS_VALUE = 5  # USE in Rust: a name before parentheses in a pattern, so neither an enum nor a trait
AS_KEYWORD = 6  # USE in Python: the keyword of an argument. `qualifier` is the call, which makes an object
LINKED = 6  # USE in Go: a line `//go:linkname alias qualifier.name`
LINKED_STUB = 7  # the same, where the function `alias` has no body
DECORATES = 255  # CALL in Python: the name is that of a decorator of the symbol
AS_ATTRIBUTE = 1  # TYPE in Swift: `@Name`, which means a type or an attached macro
EXPANDING = 2  # TYPE in Swift: the type that expands the macro; `qualifier` begins with its module
DERIVED = 1  # TYPE in Rust: a name in `#[derive(...)]`, which means a trait or a macro
BY_REFERENCE = 1  # EXTEND in Rust: `impl T for &S` gives the members to references to S, not to S itself
BEHIND_POINTER = 2  # EXTEND in Rust: `impl T for Arc<S>` gives the members to such a pointer to S
GLOBAL = "global"  # the name of a MODULE in TypeScript: what `declare global` declares is in it

# Values of `alias`, by role.
OF_MACRO = "!"  # CALL in Rust: the call of a macro
SIGN_OF_MACRO = "#"  # the qualifier of a CALL in Swift of a macro: `#name(...)`
DEREFERENCED = "*"  # CALL in Rust: a method of `*value`
BEHIND_ALIAS = "|"  # CALL in C++ and Java: the text after it tells what is known of the arguments' types
OF_VARIABLE = "."  # there in Java, before the name of an argument that is no local variable
NAMESPACE = "namespace"  # BIND in C++: a macro whose text opens the namespace `qualifier.name`
# In Python: a name in the head of a method, bound by the class around it. The method's body does not see it.
OF_CLASS = "class"
# In Python: a name in a lambda or comprehension directly in the body of a class that binds the same name. It
# means the name outside the class.
AROUND_CLASS = "around"
# In Rust: the qualifier is a path of modules, not a variable. In Java: a method reference, `Type::method`. In
# C++: a name after a leading `::`, which belongs to no namespace. (In C and C++ the alias of a call in the
# arguments of a macro in capitals is that macro's name.)
PATH = "::"
# BIND in Python, before an attribute's name: the attribute `qualifier.name` is assigned here. An IMPORT row
# with the same alias says that the file has such a row whose qualifier is not a local variable.
REPLACED = "="
# BIND in Python, before a name: the row is about a block that declares it by `def`, `class` or `import`.
DECLARED = ":"
# BIND in TypeScript and JavaScript: a constructor function, `function Store() { this.name = 1 }`; in a second
# row, "." and the name of a member follow. CALL in Java: the name after `new`, which is always a type; with
# the qualifier "this" or "super" the class whose constructor `this(...)` or `super(...)` calls.
CONSTRUCTED = "new"
# BIND in TypeScript: a part of a type that has no name. An index signature, `[key: string]: T`, has the name
# ":T"; a construct signature, `new (a: A): T`, has the name "new".
KEYLESS = "[:]"
# USE in TypeScript: the own name of a class or function that is a value and is declared under another name.
OWN_NAME = "{}="
# BIND: a symbol that is visible only in its block, from this line to the line in `arguments`. TypeScript has
# such rows, and C and C++ for a body whose head is a macro. With NOWHERE, a symbol of TypeScript has its name
# from its file, and only importers use it.
BLOCK = "{}"
NOWHERE = 0
# BIND in C and C#: from this line on, the preprocessor conditions in `name` hold, separated by ";".
CONDITIONS = "#if"

AWAITED = "|await"  # ends the alias of a CALL in Swift that has `await` before it
BARE_DOT = ".~"  # ends the qualifier of a CALL in Swift of a member of the value's type, `.member()`
# Stands before the name of the base in the name of an anonymous class of Java, `new Base() {}`. As the first
# name of a chain, that name is followed by ":" and the line on which the body begins.
NEW = "new "
# CAST stands before the name of a type, as the first name of a chain in typed languages: the chain begins
# with a value of that type, mostly a cast. CAST_OUTER ends the name of a type around it:
# `((Outer.Inner) value).run()` has the qualifier "^Outer$Inner".
CAST, CAST_OUTER = "^", "$"


# Types of java.lang, and `var`, whose plain uses in Java are not recorded: nearly every line has some.
_PLAIN_TEXT = "var String Object Integer Long Boolean Double Float Character Byte Short Void"
PLAIN_TYPES_OF_JAVA = frozenset(_PLAIN_TEXT.split())


class ParseStatus(IntEnum):
    """The degree to which a parser understood a text. The numbers are on disk."""

    FULL = 0
    PARTIAL = 1  # the text has errors or exceeds a limit, or is minified and has only the file symbol
    FAILED = 2  # only the file symbol


# Plain integers, because enumeration lookups take longer than scanning a column.


@dataclass(frozen=True, slots=True)
class DeclaredSymbol:
    """One declaration."""

    ordinal: int  # among the symbols of its file
    name: str  # as written; for the file itself its name without folders
    kind: SymbolKind
    parent: int  # ordinal of the enclosing symbol; 0 for the file itself and for top-level symbols
    start_line: int
    end_line: int
    flags: SymbolFlag
    access: Access
    parameters: str  # "(a: int, b=1)" on one line; in C# "<T>(T a)", and "<T>" for a type; else empty
    parameter_count: int
    return_type: str  # for a property or variable, its type; empty where none is written


@dataclass(frozen=True, slots=True)
class Reference:
    """One use of a name."""

    symbol: int  # ordinal of the innermost enclosing symbol; 0: the file
    role: ReferenceRole
    # The last identifier of the name. IMPORT: the imported name, "*" for all of them, "" for the module.
    name: str
    # What precedes it, dotted: "self", "os.path", "a.b"; "()" for the result of a call as in "make()",
    # "[]" for an item of a value as in "rows[]", in Python with a constant that is its key, "rows[KEY]"; "?"
    # for another expression; "" for nothing. IMPORT, EXPORT: the module as written, "./auth", "..models".
    qualifier: str
    # IMPORT: the local name that it binds. EXPORT: the name for importers. BIND: the variable, "x" or
    # "self.x", whose type is `qualifier.name`; "()" for the return value of its symbol, a function. CALL in
    # C#: "`2" for two type arguments, and the arguments (languages/csharp/arguments.py). In Rust PATH or "".
    alias: str
    line: int
    # CALL: arguments + 1, 0 when unknown, or DECORATES. BIND: a Binding, the relation of `qualifier.name` to
    # the variable; in C# with more bits above it (languages/csharp/types.py). INHERIT: position of the base
    # among all, from 1, where the parser gives it. IMPLEMENT: AS_FUNCTION or 0. USE: AS_LABEL, OF_TYPE,
    # AS_FIELDS, OF_GIVEN_TYPE, AS_VALUE, AS_KEYWORD, LINKED, LINKED_STUB or 0; in C#, as of types there, the
    # number of the name's type arguments. TYPE in Rust: DERIVED or 0. EXTEND in Rust: BY_REFERENCE,
    # BEHIND_POINTER or 0.
    arguments: int

    @property
    def dotted(self) -> str:
        """Return the name with what precedes it: `qualifier.name`."""
        return f"{self.qualifier}.{self.name}" if self.qualifier else self.name
