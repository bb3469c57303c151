"""The lines above the name of a C or C++ declaration that belong to its head: its type and `template <...>`.

    template <class T>
    typename std::enable_if<
        std::is_integral<T>::value,
        T>::type
    to(const char* text) {

BSD and GNU write the type of a function above its name, too. Read by indentation: what reaches deeper belongs
to the line above it, and a name may be deeper than its type. A comment, a blank line or the end of a
statement is above every head.
"""

from __future__ import annotations

from collections.abc import Sequence

from repo_mcp.late_patterns import compile_late

MAX_LINES = 20  # above a name
MAX_LINE_BYTES = 400
TYPED_LANGUAGES = frozenset(("c", "cpp", "objective-c"))  # whose types may stand above names
_NAME_FIRST = compile_late(rb"[ \t]*[A-Za-z_]\w*(?:(?:<[^<>\n]{0,60}+>)?::~?\w+){0,4}[ \t]*\(")
_TYPE_ALONE = compile_late(
    rb"[ \t]*(?!else\b|do\b|try\b|[A-Z_][A-Z0-9_]*[ \t]*$)[A-Za-z_][\w \t*&:<>,]{0,200}(?<![:,])"
    rb"(?:__\w{1,40}[ \t]*\([^;{}\n]{0,200}\))?[ \t]*"
)
# A type with arguments that are expressions: std::enable_if_t<!is<T>::value && sizeof(T) >= 4, T>
_TYPE_WITH_ARGUMENTS = compile_late(
    rb"[ \t]*(?!(?:else|do|try|if|while|for|switch|return|case|throw)\b)"
    rb"[A-Za-z_][\w:\t ]{0,100}<[^;{}=\"]{0,300}(?<!,)"
)
_TEMPLATE = compile_late(rb"[ \t]*(?:template[ \t]*<|requires\b)")
_ENDS = b";", b"{", b"}", b"\\", b"*/"  # of what is above a head
_NO_HEAD = b"#", b"/*", b"*"


def find_head_above(language: str, lines: Sequence[bytes], line: int) -> tuple[int, int]:
    """Return the first line of the head of a declaration, and of its type, given the line of its name.

    Lines count from 0.
    """
    first = typed = line
    if language not in TYPED_LANGUAGES or not line or not lines[line - 1]:
        return first, typed
    depth, is_name_first = _measure(lines[line]), _NAME_FIRST.match(lines[line]) is not None
    for above in range(line - 1, max(-1, line - 1 - MAX_LINES), -1):
        text = lines[above][:MAX_LINE_BYTES].partition(b"//")[0].rstrip()
        if not text or text.endswith(_ENDS) or text.lstrip().startswith(_NO_HEAD):
            break
        deeper = _measure(text) - depth
        if deeper < 0:
            if not (is_name_first and first == typed and _is_type(text)):
                break
            depth = _measure(text)  # a name on a further line of the head
        elif deeper:
            continue  # part of the line above it
        if _TEMPLATE.match(text):
            first = above
        elif is_name_first and first == typed and _is_type(text):
            first = typed = above
        else:
            break
    return first, typed


def _is_type(text: bytes) -> bool:
    return _TYPE_ALONE.fullmatch(text) is not None or _TYPE_WITH_ARGUMENTS.fullmatch(text) is not None


def _measure(line: bytes) -> int:
    """Return the column in which the text of a line begins."""
    return len(line[: len(line) - len(line.lstrip())].expandtabs(8))
