"""The vocabulary of symbol records: kinds, flags and roles, and the rows for one symbol and one reference.

Left out on purpose: the encoding of a record, which is in `repo_mcp/symbols/symbol_record.py` and
needs numpy.
"""

from __future__ import annotations

from enum import IntEnum, IntFlag

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
    FORWARD = 1024  # declared here, defined elsewhere: a prototype, an overload's signature, a stub
    EXTENSION_METHOD = 2048
    # A macro that writes "::", "." or "->" before a parameter, or joins it to something by "##".
    PASTING = 4096
    MACRO_USE = 8192  # a Rust module marked `#[macro_use]`: its macros are visible after it
    OPTIONAL = 16384  # a TypeScript member that an object of its type need not have: `name?: T`


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

    CALL = 1  # called or instantiated
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
    SAME = 3  # the variable has the same value as `qualifier.name`: `x = y.z`
    ITEM = 4  # the variable is an item of the value `qualifier.name`: `for x in y.z`
    VALUES = 5  # the variable is a mapping whose values have the type `qualifier.name`
    ENTERED = 6  # the variable is what `with` binds for the value `qualifier.name`
    GIVES = 7  # a call of the variable returns the type `qualifier.name`
    BOUND = 8  # the variable is a type parameter, and `qualifier.name` a bound of it
    NARROWED = 9  # from this line on the variable is known to be an instance of `qualifier.name`
    # From this line on it is no longer known to be one. If the name is a number: here ends what a
    # comprehension bound, which began that many lines before.
    WIDENED = 10
    # The variable is the first item of the tuple that a call of `qualifier.name` returns; 12 stands for the
    # second item, and so on.
    UNPACKED = 11


# Names in BIND rows of typed languages, in place of the name that shows the type of the variable.
UNKNOWN_TYPE = "?"  # nothing that is recorded shows it
UNBOUND = ""  # from this line on the variable's name means again what it means outside

# Aliases of BIND rows of TypeScript whose names are the rest of a text that was cut in the record of a
# symbol. Their arguments are offsets.
REST_OF_TYPE, REST_OF_PARAMETERS = "…", "…("

# In TypeScript, the arguments of a BIND row whose variable has the type of a parameter; see `name_parameter`.
OF_PARAMETER = 64
MAX_PARAMETERS = 8  # of one function that are told apart
ITSELF = MAX_PARAMETERS  # in place of a parameter: the argument itself, which need not be a function
RESULT = MAX_PARAMETERS + 1  # in place of a parameter: what the function returns


def name_parameter(position: int, index: int) -> int:
    """Return the arguments of a BIND row whose variable is parameter `index` of a function.

    If `position` is 0, `qualifier.name` is the type of that function. Otherwise the function is the argument
    of a call of `qualifier.name` at that position, counted from 1.
    """
    return OF_PARAMETER + position * (MAX_PARAMETERS + 2) + index


def read_parameter(arguments: int) -> tuple[int, int]:
    """Return the position and the index that `name_parameter` was called with."""
    return divmod(arguments - OF_PARAMETER, MAX_PARAMETERS + 2)


# The arguments of some rows. The numbers are on disk.
AS_FUNCTION = 1  # IMPLEMENT: the type is implemented by a nameless function in the symbol, not by the symbol
HELD = 1  # IMPORT: it is assigned to a variable, whose name need not mean the same everywhere
AS_LABEL = 1  # USE: a label that is compared with the value `qualifier`, and may be a constant of its type
BARE_DOT = ".~"  # after the qualifier of a CALL in Swift: the function called is a member of the value's type
OF_TYPE = 2  # USE: a member of a type: the chain in the qualifier begins with the type's name
AS_VALUE = 5  # USE in Rust: a name before parentheses in a pattern, which is no enum or trait
OF_GIVEN_TYPE = 4  # USE in C: as OF_TYPE, where a macro is given type and name; the name need not be a member
# The alias of a row of Rust whose qualifier is a path, which no variable begins; in Java, of a method that is
# named but not called; in C++, of a name after a leading `::`, which is in no namespace. A call in C or C++
# that is an argument of a macro in capitals has the name of the macro as its alias.
PATH = "::"
OF_MACRO = "!"  # the alias of a CALL of a macro in Rust
BEHIND_ALIAS = "|"  # in the alias of a call in C++: the text after it marks the literals among the arguments
# Precedes the name of the base in the name of an anonymous class of Java, `new Base() {}`. As the first name
# of a chain, the name of such a class is followed by ":" and the line on which its body begins.
NEW = "new "
DERIVED = 1  # TYPE in Rust: a name in `#[derive(...)]`, which is that of a trait or a macro
BY_REFERENCE = 1  # EXTEND in Rust: a reference to the type has the members, not the type: `impl T for &S`
AS_FIELDS = 3  # USE: a macro that stands for fields of the symbol, which is a type or another such macro
# The alias of BIND rows of a file of C or C#: from the line on, the conditions in `name`, separated by ";",
# hold.
CONDITIONS = "#if"
# The alias of a BIND row of a C++ macro whose text opens the namespace `qualifier.name`.
NAMESPACE = "namespace"
# The alias of a name in the head of a Python method that its class binds: the body does not see that
# variable.
OF_CLASS = "class"
# The alias of a name in a lambda or a comprehension in the body of a Python class that binds it: it means the
# variable of that name outside the class.
AROUND_CLASS = "around"
# Precedes the name of an attribute in the alias of BIND rows of Python: `qualifier.name` is assigned to it.
# An IMPORT row with only this as its alias marks a file where the qualifier is not a variable of a function.
REPLACED = "="
# The alias of BIND rows of JavaScript functions that make objects, `function Store() { this.name = 1 }`. In a
# second row, "." and the name of the member follow it.
CONSTRUCTED = "new"
# The alias of BIND rows of TypeScript types for their members without a name: `[key: string]: T` has the name
# ":T", and `new (a: A): T` the name "new".
KEYLESS = "[:]"
# The alias of BIND rows of symbols that only a block sees, from the line to `arguments`: in TypeScript, and
# in C and C++ in a body whose head is a macro.
BLOCK = "{}"


class ParseStatus(IntEnum):
    """The degree to which a parser understood a text. The numbers are on disk."""

    FULL = 0
    # There were errors, or a limit was reached: what could be parsed; for minified text, only the file
    # symbol.
    PARTIAL = 1
    FAILED = 2  # only the file symbol


# Plain integers, because enumeration lookups take longer than scanning a column.


@dataclass(frozen=True, slots=True)
class Symbol:
    """One declaration."""

    ordinal: int  # among the symbols of its file
    name: str  # as written; for a file, its name without folders
    kind: SymbolKind
    parent: int  # ordinal of the enclosing symbol; 0 for the file itself and for top-level symbols
    start_line: int
    end_line: int
    flags: SymbolFlag
    access: Access
    parameters: str  # "(a: int, b=1)" on one line; in C# "<T>(T a)", and "<T>" for a type; else empty
    parameter_count: int
    return_type: str  # for a property or variable, its type; empty if none is written


@dataclass(frozen=True, slots=True)
class Reference:
    """One use of a name."""

    symbol: int  # ordinal of the innermost enclosing symbol; 0: the file
    role: ReferenceRole
    # The last identifier of the name. IMPORT: the imported name, "*" for all of them, "" for the module.
    name: str
    # The text before it, dotted: "self", "os.path", "a.b"; "()" for the result of a call as in "make()",
    # "[]" for an item of a value as in "rows[]"; "?" for another expression; "" for nothing. IMPORT, EXPORT:
    # the module as written, "./auth", "..models".
    qualifier: str
    # IMPORT: the local name that it binds. EXPORT: the name for importers. BIND: the variable, "x" or
    # "self.x", whose type is `qualifier.name`; "()" for the return value of its symbol, a function. CALL in
    # C#: "`2" for two type arguments, and the arguments (languages/csharp/given.py). In Rust PATH or "".
    alias: str
    line: int
    # CALL: arguments + 1, 0 when unknown. BIND: a Binding, the relation of `qualifier.name` to the variable;
    # in C# with more bits above it (languages/csharp/types.py). INHERIT: position of the base among all, from
    # 1, where the parser gives it. IMPLEMENT: AS_FUNCTION or 0. USE: AS_LABEL, OF_TYPE, AS_FIELDS,
    # OF_GIVEN_TYPE or 0; in C#, as of types there, the number of the name's type arguments. TYPE in Rust:
    # DERIVED or 0. EXTEND in Rust: BY_REFERENCE or 0.
    arguments: int
