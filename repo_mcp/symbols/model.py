"""What the structure of a source file is made of: kinds, flags, roles, and the two records.

Left out on purpose: how a structure is written down. That is `repo_mcp/symbols/symbol_record.py`, which
needs numpy.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum, IntFlag


class SymbolKind(IntEnum):
    """What a symbol is. The numbers are on disk."""

    FILE = 0
    MODULE = 1  # a namespace, package or module inside a file
    CLASS = 2
    INTERFACE = 3
    STRUCT = 4
    ENUM = 5
    TRAIT = 6  # a Rust trait, a Swift protocol
    RECORD = 7
    UNION = 8
    EXTENSION = 9  # a Rust impl block, a Swift extension: declares members of a type named as it
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
    """What is true of a symbol. The numbers are on disk."""

    STATIC = 1
    ABSTRACT = 2
    ASYNC = 4
    OVERRIDE = 8  # says so itself, where the language has a word for it
    DEPRECATED = 16
    DOCUMENTED = 32  # has a doc comment
    PUBLIC_API = 64  # reachable from outside its file or package, as its language decides
    PARTIAL = 128  # one of several declarations of one type
    DEFAULT_EXPORT = 256
    VARIADIC = 512  # takes any number of arguments from its last parameter on
    FORWARD = 1024  # declared here, defined elsewhere: a prototype, an overload's signature, a stub
    EXTENSION_METHOD = 2048


class Access(IntEnum):
    """Who may use a symbol, as its language says. The numbers are on disk, in the flags from bit 16 on."""

    NONE = 0  # the language or the declaration does not say
    PUBLIC = 1
    PROTECTED = 2
    INTERNAL = 3
    PRIVATE = 4
    PROTECTED_INTERNAL = 5
    PRIVATE_PROTECTED = 6


ACCESS_SHIFT = 16


class ReferenceRole(IntEnum):
    """In what role a name is used. The numbers are on disk."""

    CALL = 1  # called, or made an instance of
    INHERIT = 2  # a base class
    IMPLEMENT = 3  # an interface or trait that a type implements
    EXTEND = 4  # a base interface; the type that an extension extends; `extends` of TypeScript
    IMPORT = 5
    EXPORT = 6  # named again for importers: `export {a as b} from "./c"`, `module.exports = a`
    ACCEPT = 7  # the type of a parameter
    TYPE = 8  # any other use of a type: annotation, return type, cast, generic argument
    USE = 9  # read or written as a value, and not bound inside the function
    BIND = 10  # tells the type of a variable; no use of a name


class Binding(IntEnum):
    """How a BIND row tells the type of its variable. The numbers are on disk, as the row's arguments."""

    TYPE = 0  # `qualifier.name` is the type itself: an annotation
    CALLED = 1  # what a call of `qualifier.name` gives
    ITEMS = 2  # `qualifier.name` is the type of its items
    SAME = 3  # it is what `qualifier.name` is: `x = y.z`
    ITEM = 4  # it is an item of the value `qualifier.name`: `for x in y.z`
    VALUES = 5  # it is a mapping whose values are of the type `qualifier.name`
    ENTERED = 6  # what `with` makes of the value `qualifier.name`
    GIVES = 7  # a call of it gives the type `qualifier.name`


class ParseStatus(IntEnum):
    """How much of a text its parser understood. The numbers are on disk."""

    FULL = 0
    PARTIAL = 1  # errors in the text, or cut at a limit: what could be had; minified: the file alone
    FAILED = 2  # only the file itself


# As plain integers: looking into an enumeration takes longer than looking through a column.


@dataclass(frozen=True, slots=True)
class Symbol:
    """One declaration."""

    ordinal: int  # among the symbols of its file
    name: str  # as written; of the file itself its name without folders
    kind: SymbolKind
    parent: int  # place of the symbol that holds it; 0 for the file itself and what stands in it
    start_line: int
    end_line: int
    flags: SymbolFlag
    access: Access
    parameters: str  # "(a: int, b=1)" on one line, in C# "<T>(T a)", of a type there "<T>"; else empty
    parameter_count: int
    return_type: str  # of a property or variable its type; empty where none is written


@dataclass(frozen=True, slots=True)
class Reference:
    """One use of a name."""

    symbol: int  # place of the innermost symbol in which it stands; 0: the file
    role: ReferenceRole
    # The last identifier of what is named. IMPORT: the imported name, "*" for all of them, "" for the module.
    name: str
    # What stands before it, dotted: "self", "os.path", "a.b"; "()" for the result of a call as in "make()",
    # "[]" for an item of a value as in "rows[]"; "?" for another expression; "" for nothing. IMPORT, EXPORT:
    # the module as written, "./auth", "..models".
    qualifier: str
    # IMPORT: the local name that it binds. EXPORT: the name for importers. BIND: the variable, "x" or
    # "self.x", whose type is `qualifier.name`; "()" for what its symbol, a function, returns. CALL of C#:
    # "`2" for two type arguments, and what is given (csharp_given).
    alias: str
    line: int
    # CALL: arguments + 1, 0 when their number is not known. BIND: a Binding, which says what `qualifier.name`
    # is to the variable; of C# with bits above it (csharp_types). INHERIT: the place of the base among all,
    # from 1, where the parser gives it. Types and USE of C#: how many type arguments the name has.
    arguments: int
