"""Blanks C++ macros where the grammar expects no word, and syntax that the grammar lacks, byte for byte.

`if ANY_CONSTEXPR (size > 1)`, `ANY_TRY { ... } ANY_CATCH(...) {}`, `template <class T, ANY_IF(!is<T>())>`,
`ANY_INLINE constexpr auto size = 3;`, `class Store ANY_FINAL : public Base {`, `void f() ANY_OVERRIDE;`,
`TEST(suite, bool) {` and `#if ANY_HAS_INCLUDE(<bit>)` each cost the grammar the declaration around them,
sometimes a whole file; so do `unsigned(size) < 2`, `Locale loc = {}`, `::new (place) T` and
`it.operator->()`. What replaces a macro begins with a space, so that the name of the macro can be found
again. See `repo_mcp/languages/c/macros.py` for the macros that C also has.
"""

from __future__ import annotations

import re

from repo_mcp.languages.c.cpp_misread import respell
from repo_mcp.languages.treesitter.blanking import blank, blank_group

MAX_TEMPLATE_BYTES = 600  # of the parameters of a template
MAX_DEPTH = 20  # nested brackets there
MAX_LINE_BYTES = 300  # bytes before a word on its line: a file may have a single line
MAX_PARAMETER_BYTES = 2_000  # of a function, before a macro

_CAPITALS = rb"[A-Z][A-Z0-9]*_[A-Z0-9_]++"
_ASKED = re.compile(rb"(?i:has_include)\w*+[ \t]*+\([ \t]*+(<[\w./+-]++>|\"[\w./+-]++\")(?=[ \t]*+\))")
_CONDITIONS = re.compile(rb"if(?<!\wif)[ \t]++(%s)(?=[ \t]*+\()" % _CAPITALS)
_TRIES = re.compile(rb"\b[A-Z][A-Z0-9]*_(?:[A-Z0-9]++_)*TRY(?=[ \t\n]*+\{)")
_CATCHES = re.compile(rb"\b[A-Z][A-Z0-9]*_(?:[A-Z0-9]++_)*CATCH(?=[ \t]*+\([^()\n]*+\)[ \t\n]*+\{)")
_FIRST_WORDS = re.compile(
    rb"\n[ \t]*+(?:(?:static|inline)[ \t]++)?(%s)[ \t]++" % _CAPITALS
    + rb"(?=(?:constexpr|static|inline|explicit|virtual|template|class|struct|enum|using|typedef|extern|const"
    + rb"|auto)\b)"
)
_BETWEEN = re.compile(
    rb"\n[ \t]*+(?:(?:static|inline|constexpr|const|extern)[ \t]++){1,3}(%s)[ \t]++" % _CAPITALS
    + rb"(?=[a-z]\w*+[ \t*&]++\w++[ \t]*+[=;{\[])"
)
_EMPTY_VALUE = re.compile(rb"=[ \t]*+\{\}[ \t\n]*+[,)]")
_EMPTY_DEFAULT = re.compile(rb"[\w>&*][ \t]*+(=[ \t]*+\{\})(?=[ \t\n]*+[,)])")
_INSTANCES = re.compile(rb"\n[ \t]*+(extern[ \t]++template\b[^;{}]{0,300}+;)")
_ATTRIBUTE_ALONE = re.compile(
    rb"\n([ \t]*+#[ \t]*+if[^\n\\]*+\n[ \t]*+(?:__attribute__\(\([^\n]*+|%s[ \t]*+)\n" % _CAPITALS
    + rb"[ \t]*+#[ \t]*+endif)(?=[ \t]*+\n)"
)
_TEMPLATE = re.compile(rb"template(?<!\wtemplate)[ \t]*+<")
_IN_TEMPLATE = re.compile(rb"[<>()]|(?<=[,<\s])(%s)(?=\()" % _CAPITALS)
# replaces the name of a macro, so that its arguments become the default of a parameter
_CONSTRAINT = b" int ="
_HEAD_WORD = re.compile(
    rb"\n[A-Z][A-Z0-9_]{2,}+\([ \t]*+\w++[ \t]*+,[ \t\n]*+"
    rb"(bool|char|int|long|short|float|double|void|signed|unsigned|auto|template|operator|this|new|delete|default"
    rb"|const|static|union|struct|class|enum|namespace|return|try|catch|throw|if|else|for|while|do|switch|case"
    rb"|size_t|ptrdiff_t|intptr_t|uintptr_t|nullptr_t|true|false|nullptr)(?=[ \t]*+\)[ \t;]*+\{)"
)
# `unsigned(size) << 2`: the grammar knows such a cast only to basic types of one word.
_CASTS = re.compile(
    rb"(?<![\w.])(?<!unsigned )(?<!signed )(?<!long )(?<!short )(?:unsigned|signed|long|short)(?=\()"
)
_CAST_PARTS = (b"signed(", b"long(", b"short(")
# After the name of a parameter: `const T& x ANY_LIFETIMEBOUND)`
_BEHIND = re.compile(
    rb"[ \t*&](?<=[\w>][ \t*&])[ \t*&]*+(?=[a-z]\w*+[ \t]++[A-Z])"
    rb"(?!(?:return|case|goto|throw|sizeof|new|delete|not|and|or|const)\b)\w++[ \t]++"
    + rb"(%s)(?=[ \t]*+[,)])"
    % _CAPITALS
)
# A statement as an argument: ASSERT_NO_THROW([[maybe_unused]] auto size = all.size());
_DECLARED = re.compile(
    rb"[A-Z](?<!\w[A-Z])[A-Z0-9_]{2,}+\([ \t\n]*+"
    rb"((?:\[\[[\w, :]{1,60}\]\][ \t]*+)?(?:const[ \t]++)?auto[ \t&*]++\w++[ \t]*+=)(?=[^=])"
)
# Calls of operators by their names: `it.operator->()`, which is `it` then, and `return *operator->();`
_OPERATOR_CALLS = re.compile(rb"((?:\.|->)operator(?:->|\*)\(\))")
_OWN_OPERATORS = re.compile(rb"return(?<!\wreturn)[ \t]++[*&]?(operator(?:->|\*)\(\))")
# Behind the name of a class: `class Store ANY_FINAL : public Base {`
_BEHIND_CLASSES = re.compile(
    rb"(?:class|struct)(?<!\wclass)(?<!\wstruct)[ \t]++[\w:]++(?:<[^<>;{}()]*+>)?[ \t\n]++"
    rb"([A-Z][A-Z0-9_]{3,}+)(?=[ \t\n]*+(?::(?!:)|\{[ \t]*+\n))"
)
# Behind the parameters of a function: `void f() const ANY_OVERRIDE;`, `void say(...) ANY_FORMAT(1, 2);`
_BEHIND_PARAMETERS = re.compile(
    rb"\)[ \t\n]*+(?:(?:const|volatile|noexcept|override|final)[ \t\n]++){0,3}"
    rb"((?:[A-Z][A-Z0-9_]{3,}+[ \t\n]++){0,2}_{0,2}[A-Z][A-Z0-9_]{3,}+(?:\([0-9 ,]{1,20}\))?)"
    rb"(?=[ \t\n]*+(?:[;{=]|:(?!:)))"
)
_FUNCTION_NAME = re.compile(rb"(?:\boperator[ \t]*+(?:\(\)|[^\w\s()]{1,3})|~?\b[A-Za-z_]\w*+)[ \t\n]*+\Z")
_NO_FUNCTION = re.compile(
    rb"(?:if|for|while|switch|return|sizeof|case|catch|else|do|[A-Z][A-Z0-9_]*+)[ \t\n]*+\Z"
)
_THROWN = re.compile(rb"\([ \t\n]*+(throw)(?=[ \t]++\w)")
_PLACED = re.compile(rb"(?<![\w>])(::)(?=new\b)")


def blank_more(text: bytes) -> bytes:
    """Return a C++ text with those macros blanked, at the same length."""
    text = respell(text)
    if b"_include" in text or b"_INCLUDE" in text:
        text = _ASKED.sub(_zero, text)
    text = _FIRST_WORDS.sub(_blank_macro, _CONDITIONS.sub(_blank_macro, text))
    text = _BETWEEN.sub(_blank_macro, text)
    if _EMPTY_VALUE.search(text):
        text = _EMPTY_DEFAULT.sub(_blank_macro, text)
    text = _ATTRIBUTE_ALONE.sub(_blank_macro, _INSTANCES.sub(_blank_macro, text))
    if any(one in text for one in _CAST_PARTS):
        text = _CASTS.sub(lambda found: b"int".rjust(len(found.group())), text)
    text = _BEHIND_CLASSES.sub(_blank_macro, _BEHIND.sub(_blank_macro, text))
    if b"_TRY" in text:
        text = _CATCHES.sub(_catch, _TRIES.sub(_try, text))
    if b"auto" in text:
        text = _DECLARED.sub(blank_group, text)
    if b"operator" in text:
        text = _OWN_OPERATORS.sub(_dereference, _OPERATOR_CALLS.sub(blank_group, text))
    if b"throw" in text:
        text = _THROWN.sub(_blank_macro, text)
    text = _HEAD_WORD.sub(_underline, text)
    if b"::new" in text:
        text = _PLACED.sub(_blank_macro, text)
    return _blank_constraints(text) if b"template" in text else text


def _dereference(found: re.Match[bytes]) -> bytes:
    return found[0][: found.start(1) - found.end()] + b"(*this)".ljust(len(found[1]))


def blank_behind_parameters(text: bytes) -> bytes:
    """Return a C or C++ text without the macros after the parameters of functions, at the same length.

    A macro with OVERRIDE in its name becomes `override`.
    """
    return _BEHIND_PARAMETERS.sub(_specify, text)


def _blank_constraints(text: bytes) -> bytes:
    """Turn macros among the parameters of templates into unnamed parameters with a default."""
    changed: bytearray | None = None
    for head in _TEMPLATE.finditer(text):
        depth, inside = 1, 0
        for found in _IN_TEMPLATE.finditer(text, head.end(), head.end() + MAX_TEMPLATE_BYTES):
            mark = found.group()
            if found.group(1) is not None:
                if not inside and depth == 1 and len(mark) >= len(_CONSTRAINT):
                    changed = bytearray(text) if changed is None else changed
                    changed[found.start() : found.end()] = _CONSTRAINT.ljust(len(mark))
            elif mark in b"()":
                inside += 1 if mark == b"(" else -1
            elif not inside:
                depth += 1 if mark == b"<" else -1
            if not depth or depth + inside > MAX_DEPTH:
                break
    return text if changed is None else bytes(changed)


def _is_left(found: re.Match[bytes]) -> bool:
    """Return whether a word is in a comment, a string or a directive, where it stays."""
    text, start = found.string, found.start(1) if found.lastindex else found.start()
    limit = max(0, start - MAX_LINE_BYTES)
    line = text[max(limit, text.rfind(b"\n", limit, start + 1) + 1) : start].lstrip()
    return b"//" in line or line.count(b'"') % 2 == 1 or line.startswith((b"*", b"/*", b"#"))


def _specify(found: re.Match[bytes]) -> bytes:
    """Return the text after the parameters of a function without its macros, or with `override`."""
    if _is_left(found) or not _is_declared(found.string, found.start()):
        return found.group()
    macros = found.group(1)
    word = b" override" if b"_OVERRIDE" in macros else b""
    return found.group()[: -len(macros)] + word + blank(macros[len(word) :])


def _is_declared(text: bytes, closing: int) -> bool:
    """Return whether a closing bracket ends the parameters of a function."""
    depth, limit = 0, max(0, closing - MAX_PARAMETER_BYTES)
    for found in reversed([*re.finditer(rb"[()]", text[limit : closing + 1])]):
        depth += 1 if found.group() == b")" else -1
        if not depth:
            before = text[max(0, limit + found.start() - MAX_LINE_BYTES) : limit + found.start()]
            name = _FUNCTION_NAME.search(before)
            return name is not None and _NO_FUNCTION.fullmatch(name.group()) is None
    return False


def _try(found: re.Match[bytes]) -> bytes:
    return found.group() if _is_left(found) else b"try".rjust(len(found.group()))


def _catch(found: re.Match[bytes]) -> bytes:
    return found.group() if _is_left(found) else b"catch".rjust(len(found.group()))


def _zero(found: re.Match[bytes]) -> bytes:
    return blank_group(found, filler=b"0")


def _underline(found: re.Match[bytes]) -> bytes:
    return blank_group(found, filler=b"_")


def _blank_macro(found: re.Match[bytes]) -> bytes:
    return found.group() if _is_left(found) else blank_group(found)
