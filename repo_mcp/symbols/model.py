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
    PASTING = 4096  # a macro that puts something before a parameter: "::", ".", "->", or joins it by "##"
    MACRO_USE = 8192  # a module of Rust whose macros are seen behind it
    OPTIONAL = 16384  # a member of TypeScript that an object of its type need not have: `name?: T`


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
    WIDENED = 10  # ... and from this line on no longer. With a number for a name: behind this line,
    # for what a comprehension has bound that many lines before
    UNPACKED = 11  # the variable is the first item of the tuple that a call of `qualifier.name` returns;
    # one more for each further item


# Names in BIND rows of typed languages, in place of what gives the type of the variable.
UNKNOWN_TYPE = "?"  # nothing that is recorded gives it
UNBOUND = ""  # from this line on the name means again what it meant outside

# The aliases of BIND rows of TypeScript whose names go on with a text that the record of a symbol has cut;
# the arguments are offsets.
REST_OF_TYPE, REST_OF_PARAMETERS = "…", "…("

# In TypeScript, the arguments of a BIND row whose variable has the type of a parameter; see `name_parameter`.
OF_PARAMETER = 64
MAX_PARAMETERS = 8  # of one function, that are told apart
ITSELF = MAX_PARAMETERS  # not a parameter of a function that is given, but what is given
RESULT = MAX_PARAMETERS + 1  # nor that, but what the function that is given returns


def name_parameter(position: int, index: int) -> int:
    """Return the arguments of a BIND row: its variable is parameter `index` of a function of the type
    `qualifier.name`, where `position` is 0; else of the function that a call of it is given at that position,
    counted from 1.
    """
    return OF_PARAMETER + position * (MAX_PARAMETERS + 2) + index


def read_parameter(arguments: int) -> tuple[int, int]:
    """Return the position and the index that `name_parameter` was given."""
    return divmod(arguments - OF_PARAMETER, MAX_PARAMETERS + 2)


# The arguments of some rows. The numbers are on disk.
AS_FUNCTION = 1  # IMPLEMENT: not the symbol implements the type, but a function without a name in it
HELD = 1  # IMPORT: a variable is given what is imported: its name need not mean the same everywhere
AS_LABEL = 1  # USE: a label that is compared with the value `qualifier`, and may be a constant of its type
BARE_DOT = ".~"  # behind the qualifier of a CALL in Swift: what is called is a member of the value's type
OF_TYPE = 2  # USE: a member of a type: the chain of the qualifier begins with its name
AS_VALUE = 5  # USE in Rust: a name before parentheses in a pattern, which an enum's or a trait's cannot be
OF_GIVEN_TYPE = 4  # USE in C: the same where a macro is given both: the name need not be a member
# The alias of a row of Rust whose qualifier is a path, which no variable begins; in Java of a method that is
# named and not called; in C++ of a name behind `::` alone, which is that of no namespace. The alias of a call
# in C and C++ that a macro in capitals is given is the macro's name.
PATH = "::"
OF_MACRO = "!"  # the alias of a CALL in Rust: of a macro
BEHIND_ALIAS = "|"  # in the alias of a call in C++: what follows marks the literals among its arguments
# Before the name of the base in that of a class of Java without a name, `new Base() {}`. As the first name of
# a chain such a name has ":" and the line on which its body begins behind it.
NEW = "new "
DERIVED = 1  # TYPE in Rust: a name in `#[derive(...)]`, which is that of a trait or a macro
BY_REFERENCE = (
    1  # EXTEND in Rust: not the type itself has the members, but a reference to it: `impl T for &S`
)
AS_FIELDS = 3  # USE: a macro that stands for fields of the symbol, a type or another such macro
# The alias of BIND rows of a file of C or C#: what `name` says, with ";" between, holds from the line on.
CONDITIONS = "#if"
# The alias of a BIND row of a macro of C++ whose text opens a namespace: `qualifier.name`.
NAMESPACE = "namespace"
# The alias of a name in the head of a method of Python that its class binds: the body does not see that one.
OF_CLASS = "class"
# The alias of a name in a lambda or a comprehension in the body of a class of Python, which binds it: what is
# meant is the one around the class.
AROUND_CLASS = "around"
# Before the name of an attribute in the alias of BIND rows of Python: `qualifier.name` gets a value there. An
# IMPORT row with that alias alone marks a file where the qualifier is no variable of a function.
REPLACED = "="
# The alias of BIND rows of functions of JavaScript that make objects, `function Store() { this.name = 1 }`,
# and in a second row with "." and the name of the member.
CONSTRUCTED = "new"
# The alias of BIND rows of types of TypeScript, for what they have without a name: `[key: string]: T` has the
# name ":T", and `new (a: A): T` "new".
KEYLESS = "[:]"
# The alias of BIND rows of symbols that a block alone sees, from the line to `arguments`: in TypeScript, and
# in C and C++ in a body whose head is a macro.
BLOCK = "{}"


class ParseStatus(IntEnum):
    """The degree to which a parser understood a text. The numbers are on disk."""

    FULL = 0
    PARTIAL = 1  # errors, or cut at a limit: what could be parsed; minified: the file symbol alone
    FAILED = 2  # only the file symbol


# Plain integers, because enumeration lookups take longer than scanning a column.


@dataclass(frozen=True, slots=True)
class Symbol:
    """One declaration."""

    ordinal: int  # among the symbols of its file
    name: str  # as written; for the file itself its name without folders
    kind: SymbolKind
    parent: int  # ordinal of the enclosing symbol; 0 for the file itself and for top-level symbols
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

    symbol: int  # ordinal of the innermost enclosing symbol; 0: the file
    role: ReferenceRole
    # The last identifier of the name. IMPORT: the imported name, "*" for all of them, "" for the module.
    name: str
    # What precedes it, dotted: "self", "os.path", "a.b"; "()" for the result of a call as in "make()",
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
