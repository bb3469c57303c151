"""Blanks C and C++ macros at places where no grammar expects a word, byte for byte.

`static int __init foo(void)`, `void __iomem *base`, `CURL_EXTERN CURLcode f(...)`, `FMT_BEGIN_NAMESPACE` on a
line of its own: a parser that does not run the preprocessor loses the declaration around each of them. A
macro that heads a block, `list_for_each_entry(p, head, list) {`, becomes a `while`, and one that stands for
fields of a struct becomes a declaration without a name. Every other byte keeps its offset, above all line
feeds. Macros are recognised by name or by position.

Patterns begin with bytes that are quick to search for, most often a line feed, and check what stands before
them by looking back. They repeat nothing that nests, so that the cost of a text is about that of reading it.
Where a pattern would be tried at every word, a shorter one that must match as well is searched for first.
"""

from __future__ import annotations

import re
from functools import partial

from repo_mcp.languages.c.branches import DIRECTIVE, keep_first_branches
from repo_mcp.languages.c.cpp_declaring_macros import spell_declared
from repo_mcp.languages.c.cpp_macros import blank_behind_parameters, blank_more
from repo_mcp.languages.c.cpp_qt import is_declared, spell_qt
from repo_mcp.languages.c.pasting_macros import list_templates, spell_called
from repo_mcp.languages.c.typed_macros import spell_events, spell_typed
from repo_mcp.languages.treesitter.blanking import blank, blank_group

Head = tuple[int, bytes]  # the offset of a macro, and its name

MAX_BODY_BYTES = 8_000  # bytes of a struct before a macro in it that are searched
MAX_LINE_BYTES = 300  # before a macro
MAX_WORD_BYTES = 60  # of a macro's name before "for_each"

# Words in declarations of kernels and C libraries that are macros.
_WORDS = frozenset(
    b"__init __exit __initdata __initconst __exitdata __initdata_or_module __initmv __init_or_module"
    b" __meminit __user __iomem __rcu __percpu __force __kernel __must_check __always_inline"
    b" __maybe_unused __always_unused __read_mostly __ro_after_init __lsm_ro_after_init __cold __hot"
    b" __pure __packed __weak __used __unused __ref __refdata __sched __kprobes __noreturn __visible"
    b" __net_init __net_exit __net_initdata __cpuinit __devinit __devexit __bitwise __latent_entropy"
    b" __nocast __private __deprecated __naked __noclone __malloc __lockfunc __cacheline_aligned_in_smp"
    b" __cacheline_aligned ____cacheline_aligned_in_smp ____cacheline_aligned __page_aligned_bss"
    b" __page_aligned_data __attribute_const__ __ksym __irq_entry __irqentry_text __softirq_entry"
    b" __exception_irq_entry __noinline __flatten __async_inline __no_kcsan __no_sanitize_address"
    b" __randomize_layout __no_randomize_layout __designated_init __noendbr __ptr32 __ptr64 __nonstring"
    b" __cpuidle __wur __THROW __hidden __export __noscs __no_kasan_or_inline __init_memblock __head"
    b" __inittext __vdso __EXTERN_INLINE __kprobe __restrict __initconst_or_module __stdcall __cdecl"
    b" __fastcall asmlinkage noinline_for_stack noinline_for_tracing noinline notrace noinstr"
    b" nokprobe_inline randomized_struct_fields_start randomized_struct_fields_end STATIC"
    b" WINAPI APIENTRY CALLBACK".split()
)
_GIVEN = (
    "printf|scanf|aligned|acquires|releases|must_hold|section|alloc_size|counted_by|copy|assume_aligned"
    "|cond_acquires|no_sanitize|nonnull|attribute_nonnull__|alias|error|compiletime_error|compiletime_warning"
    "|declspec"
)
_UNDERSCORED = re.compile(rb"__(?<![\w.>#]__)\w++")
_UNDERSCORED_CALLS = re.compile(
    rb"__(?<![\w.>#]__)(?:%s)[ \t]*+\((?:[^()\n;{]|\([^()\n]*\)){0,120}\)" % _GIVEN.encode()
)
_PLAIN = re.compile(
    rb"\b(?:asmlinkage|noin\w++|notrace|nokprobe_inline|randomized_\w++|STATIC|WINAPI|APIENTRY|CALLBACK)(?!\w)"
)
# The first fields of an object of CPython and their values, and a statement that is only an attribute.
_OBJECT_HEADS = re.compile(
    rb"\bPy(?:Object_(?:VAR_)?HEAD\b[ \t]*+;?|(?:Var)?Object_HEAD_INIT\([^()\n]*+\)[ \t]*+,?)"
)
_FALLING = re.compile(
    rb"__attribute__(?<!\w__attribute__)[ \t]*+\(\([ \t]*+(?:__)?fallthrough(?:__)?[ \t]*+\)\)(?=[ \t]*+;)"
)
_PLAIN_STARTS = (b"asmlink", b"noin", b"notrace", b"nokprobe", b"randomized_", b"STATIC")
_OTHER_STARTS = (b"WINAPI", b"APIENTRY", b"CALLBACK")
_BASIC = rb"(?:unsigned|signed|int|long|short|char|float|double|bool|[a-z]\w*_t)"
# A word before a basic type, which can only be a macro.
_NO_MACRO = (
    "typedef|return|else|case|goto|auto|register|static|extern|const|volatile|inline|struct|union|enum|sizeof"
    "|unsigned|signed|int|long|short|char|float|double|mutable|constexpr|explicit|virtual|friend|using|operator"
    "|new|delete|throw|typename|template|public|private|protected|restrict|_Atomic|bool|thread_local|[a-z]\\w*_t"
)
_BEFORE_TYPES = re.compile(
    rb"\n([ \t]*+(?:(?:static|extern|const|volatile)[ \t]++){0,3})"
    rb"(?=[a-zA-Z]\w++[ \t]++%s\b(?:[ \t]++%s\b){0,3}[ \t*]++\w++[ \t]*+[;=,\[])"
    % (_BASIC, _BASIC)
    + rb"((?!(?:%s)\b)\w++)[ \t]++" % _NO_MACRO.encode()
)
# Capitals with a string argument, before a word: NO_CHECK("alignment"), SEC("xdp").
_ATTRIBUTES = re.compile(
    rb"\n[ \t]*+([A-Z][A-Z0-9_]++\([ \t]*+\"[^\"\n]*\"[ \t]*+\))(?=(?:[ \t]++//[^\n]*+)?[ \t\n]++[A-Za-z_])"
)
_NAME = re.compile(rb"\w+")
_DEFINITIONS = (b"define", b"ifdef", b"ifndef", b"undef")

_BALANCED = rb"\((?:[^()]|\((?:[^()]|\([^()]{0,300}\)){0,300}\)){0,500}\)"
# On a line of its own from the first column on: a macro with "_" in its name, such as FMT_BEGIN_NAMESPACE.
_LINES = re.compile(rb"\n([A-Z][A-Z0-9]*_[A-Z0-9_]++[ \t]*+(?:\([^()\n]*\)[ \t]*+)?)(?=\n(?![ \t]*[{:(=]))")
# Around the type of a function, which stays: `ANY_DECLARE(int)` above or before `parse(Input *input) {`
_TYPE_GIVERS = re.compile(
    rb"\n(?<=[;}/\n]\n)([A-Z][A-Z0-9]*_[A-Z0-9_]++\()[ \t]*+(?!\d)(?:\w++[ \t]++){0,3}\w++[ \t*]*+(\))[ \t]*+"
    rb"(?=\n?(?![A-Z0-9_]++\()[a-zA-Z_]\w*+\([^();{}]*+(?:\([^();{}]*+\)[^();{}]*+){0,20}\)\s*+[{;])"
)
# Before the words of a function's head: CURL_EXTERN CURLcode curl_easy_init(
_HEADS = re.compile(
    rb"\n([ \t]*+(?=[A-Zsie])(?:(?:static|inline|extern(?:[ \t]++\"C\")?|explicit)[ \t]++)?)"
    rb"([A-Z][A-Z0-9]*_[A-Z0-9_]++|[A-Z]{4,}+)[ \t]++"
    rb"(?=(?:[a-z_A-Z][\w:]*+(?:<[\w:, *]*>)?[ *&\t]++){1,6}[\w:~]++[ \t]*\()"
)
# Between the type of a function and its name: int ANY_CDECL main(void) {
_STORAGE = rb"(?:static|inline|extern|const)"
_NO_TYPES = (  # before a type in capitals: struct STORAGE_T find(int at);
    rb"struct|union|enum|class|typename|typedef|using|return|else|case|goto|throw|new|delete|sizeof|define|friend"
    rb"|virtual|explicit|constexpr|consteval|constinit|volatile|register|mutable|template|operator"
)
_BEFORE_NAMES = re.compile(
    rb"\n(?=[a-z_])((?:%s[ \t]++){0,3}(?!(?:%s|%s)\b)[a-z_]\w*+[ \t*]++)" % (_STORAGE, _STORAGE, _NO_TYPES)
    + rb"([A-Z][A-Z0-9]*_[A-Z0-9_]++)[ \t]++(?=[a-z_]\w*+[ \t]*+\([^()\n]*+\)\s*+[{;])"
)
# Words in small letters in the head of a function, in the first column: a word before its type, `static
# any_inline size_t size(void)`, and one before its name, `void any_cdecl stop(int code)`.
_TYPE_WORDS = rb"(?:(?:struct|union|enum)[ \t]++\w++|(?:const[ \t]++)?(?:void\b|%s\b))" % _BASIC
_LOWER_HEADS = re.compile(
    rb"\n(?=[a-z_])((?:(?:static|extern)[ \t]++)?)((?!(?:%s|void)\b)[a-z_]\w*+)[ \t]++"
    rb"(?=(?:static[ \t]++)?%s(?:[ \t]++%s){0,3}[ \t*]*+\n?"
    % (_NO_MACRO.encode(), _TYPE_WORDS, _BASIC)
    + rb"(?!(?:%s)\b)[a-z_A-Z]\w*+\()" % _NO_MACRO.encode()
)
_LOWER_NAMES = re.compile(
    rb"\n(?=[a-z_])((?:%s[ \t]++){0,3}(?:%s(?:[ \t]++%s){0,3}[ \t*]|[a-z_]\w*+[ \t]*+\*)[ \t*]*+)"
    % (_STORAGE, _TYPE_WORDS, _BASIC)
    + rb"((?!(?:%s)\b)[a-z_]\w*+)(?:[ \t]++\n?|\n)" % _NO_MACRO.encode()
    + rb"(?=[a-z_]\w*+\([^();{}]*+(?:\([^();{}]*+\)[^();{}]*+){0,20}\)\s*+[{;])"
)
# Anywhere, by the ends of their names: any_inline Table(int size) : size_(size) {
_LOWER_LINKAGES = re.compile(
    rb"[a-z](?<![\w:.>][a-z])\w{0,40}_(?:%s)(?=[ \t\n]++[A-Za-z_~])"
    % rb"inline|unused|nodiscard|noreturn|constexpr|constinit|consteval"
)
_LOWER_PARTS = (b"_inline", b"_unused", b"_nodiscard", b"_noreturn", b"_const")
_CAPITAL_HEADS = re.compile(rb"(?:class|struct|namespace)[ \t]++[A-Z][A-Z0-9_]")
_CLASS_HEADS = re.compile(
    rb"((?:class|struct|namespace)(?<!extern class)(?<!extern struct)(?<!extern namespace)[ \t]++)"
    rb"([A-Z][A-Z0-9]*_[A-Z0-9_]++(?:\([^()\n]{0,80}\))?)"
    rb"[ \t]++(?=[A-Za-z_])(?!\w++[ \t]*+[(),=\[])"
)
_STRUCT_HEADS = re.compile(  # in C; `struct STORAGE_T storage;` is a variable
    rb"(struct[ \t]++)([A-Z][A-Z0-9]*_[A-Z0-9_]++(?:\([^()\n]{0,80}\))?)[ \t]++(?=[A-Za-z_]\w*+\s*+\{)"
)
# Before a base or a body any word in capitals is one, and its arguments may be on further lines:
# class LOCKABLE Mutex {, class DEPRECATED_SINCE("2.0") Report {. With values in braces
# it is the type of a variable: struct POINT at{}, struct POINT at{1, 2}
_LONG_CLASS_HEADS = re.compile(
    rb"(?:class|struct)[ \t]++((?:[A-Z][A-Z0-9_]{2,}+(?:\([^()]{0,200}\))?[ \t\n]++){1,3})"
    rb"(?![a-z]\w*+[ \t]*+\{[ \t]*+\})"
    rb"(?=\w++[ \t\n]*+(?:final[ \t\n]*+)?[:{]"
    rb"(?!\s*+(?:[\d\"'{.&-]|[\w:.]++\s*+(?:\([^;{}]{0,80}\)\s*+)?[,}])))"
)
# Macros for linkage or checks, with names of attributes: FMT_CONSTEXPR, A_NON_NULL(3)
_LINKAGES = re.compile(
    rb"\b[A-Z][A-Z0-9]*_(?:[A-Z0-9]++_){0,2}(?:(?:CONSTEXPR\w*+|CONSTEVAL|INLINE|ALWAYS_INLINE|API|EXPORT|NODISCARD|NORETURN|DEPRECATED|DEPRECATED_FOR"
    rb"|NON_NULL|RETURNS_NON_NULL|WARN_UNUSED_RESULT|PURE|CONST|MALLOC|NO_THROW|FUNC|NO_UNIQUE_ADDRESS|MAYBE_UNUSED"
    rb"|UNUSED|NOEXCEPT|EXPLICIT|VERSION_CHECK|VISIBILITY\w*+)(?!\w)(?:\([\w, ]*\))?)"
    rb"(?=[ \t\n]++[A-Za-z_~\[:{])"
)
# In C++ after the declared name: `Table* table_ GUARDED_BY(mutex_);`, `void Lock() ACQUIRE(mutex_) {`. Its
# arguments are names, not parameters.
_GIVEN_NAMES = rb"\([ \t]*+(?:[!&*]?[\w.:>-]++(?:,[ \t\n]*+[!&*]?[\w.:>-]++){0,20})?[ \t]*+\)"
_TRAILING = re.compile(
    rb"[ \t*&)](?:(?<=[\w>][ \t*&])[ \t*&]*+(?=\w++[ \t\n]++[A-Z])(?!(?:%s)\b)\w++"
    rb"|(?<=\))(?:[ \t\n]*+(?:const|override|noexcept|final)){0,4})[ \t\n]++"
    % _NO_MACRO.encode()
    + rb"([A-Z][A-Z0-9]*_[A-Z0-9_]++"
    + _GIVEN_NAMES
    + rb")(?=[ \t\n]*+[;={])"
)
_LINKAGE_PARTS = (
    b"CONSTEXPR",
    b"CONSTEVAL",
    b"_INLINE",
    b"_API",
    b"_EXPORT",
    b"NODISCARD",
    b"NON_NULL",
    b"_PURE",
    b"_CONST",
    b"_MALLOC",
    b"VERSION_CHECK",
    b"_DEPRECATED",
    b"NO_UNIQUE",
    b"_UNUSED",
)
_STATIC_MACROS = re.compile(rb"\n[ \t]*+(static[ \t]++(?:const[ \t]++)?)(?=[A-Z][A-Z0-9_]*+\()")
# A type as an argument, which only a macro accepts: container_of(p, struct foo, member), va_arg(ap, char *)
_TYPE_ARGUMENTS = re.compile(
    rb",[ \t\n]*+((?:struct|union|enum)[ \t]++)(?=\w++(?:[ \t]*+,[ \t\n]*+[\w.\[\]]++)?[ \t]*+\))"
)
_FIRST_TYPES = re.compile(
    rb"\([ \t]*+((?:struct|union|enum)[ \t]++(?=\w++[ \t]*+,)"
    rb"|unsigned[ \t]++(?=(?:int|char|long|short)[ \t]*+,))"
)
# The name of a type that a macro declares beside a field or variable: TAILQ_HEAD(, item) items;
_HEAD_NAMES = re.compile(
    rb"_HEAD(?<=[A-Z]_HEAD)[ \t]*+\(([ \t]*+\w*+[ \t]*+,)(?=[ \t]*+\w++[ \t]*+\)[ \t]*+\w++[ \t]*+[;=])"
)
# An operator as an argument: timercmp(&one, &two, <)
_OPERATORS = re.compile(rb",[ \t]*+([=!<>]=|[<>])(?=[ \t\n]*+[,)])")
_VARIABLE_ARGUMENT = re.compile(rb"va_arg\([ \t]*+[\w>.-]++([ \t]*+,[^()\n;]*+)(?=\))")
# Macros that head a block.
_EACH = re.compile(
    rb"(?:for_each|foreach|ForEach|FOR_EACH|FOREACH)\w*+(?=[ \t]*+" + _BALANCED + rb"[ \t\n]++[^;,) \t\n])"
)
_EACH_PARTS = (b"for_each", b"foreach", b"ForEach", b"FOR_EACH", b"FOREACH")
# In C, where functions do not nest: an indented call before a brace, every_ms(100) {
_CALLED_BLOCKS = re.compile(rb"\n[ \t]++([a-z]\w*_\w++)(?=[ \t]*+" + _BALANCED + rb"[ \t]*+\{)")
_WORD_END = re.compile(rb"\w+\Z")
_BLOCK_HEADS = re.compile(rb"\n[A-Z][A-Z0-9_]{3,}+" + _BALANCED + rb"([ \t])(?=[ \t\n]*+\{)")
_CASE_RANGE = re.compile(rb"case[ \t]++[\w']++[ \t]*+(\.\.\.[ \t]*+[\w']++)")
# Indented, on a line of its own, before a declaration or the end of a struct: UV_HANDLE_FIELDS
_FIELDS = re.compile(
    rb"\n[ \t]++([A-Z][A-Z0-9]*_[A-Z0-9_]++(?:[ \t]*+\([^()\n]*\))?)"
    rb"(?=[ \t]*+(?:/\*[^\n]*\*/[ \t]*+)?\n\s*+[}A-Za-z_/#])"
)
# The same in a body, before a call: EXPECT_ABORT_BEGIN
_STATEMENTS = re.compile(rb"\n[ \t]++([A-Z][A-Z0-9]*_[A-Z0-9_]++)(?=[ \t]*+\n[ \t]*+\w++[ \t]*+\()")
_STRUCT = re.compile(rb"\b(?:struct|union)(?:\s++\w++)?\s*+\Z")
_CLASS = re.compile(rb"\b(?:struct|union|class)(?:\s++\w++)?(?:\s++final)?\s*+(?::[^:{};()][^{};()]*+)?\Z")
_ACCESSES = (b"public:", b"protected:", b"private:")
_NO_CONTINUATION = re.compile(rb"[^\n\\]|\\(?!\n)")
_COMMENT = re.compile(rb"/\*.*?(?:\*/|\Z)|//[^\n]*", re.S)
_LINE_ENDS = re.compile(rb"\\?\r\n")
_NAMED_REST = re.compile(rb"define[ \t]++\w++\([^()\n]*?\w(\.\.\.)\)")


def blank_macros(text: bytes, *, is_c: bool = False, heads: list[Head] | None = None) -> bytes:
    """Return the text with those macros blanked, at the same length.

    `is_c` means that it cannot be C++. Macros in lower case in the heads of functions are added to `heads`.
    Carriage returns before line feeds are replaced by spaces while macros are looked for, and restored at the
    end: without them, a directive that ends with a space would have no end for the grammar.
    """
    heads = [] if heads is None else heads
    if b"\r\n" not in text:
        return _blank_all(text, heads, is_c=is_c)
    lines = text.replace(b"\\\r\n", b" \\\n").replace(b"\r\n", b" \n")
    plain = bytearray(_blank_all(lines, heads, is_c=is_c))
    for found in _LINE_ENDS.finditer(text):
        start, end = found.span()
        if plain[start:end] == lines[start:end]:
            plain[start:end] = found[0]
    return bytes(plain)


def _blank_all(text: bytes, heads: list[Head], *, is_c: bool) -> bytes:
    blank_head = partial(_blank_head, heads)
    text = spell_typed(spell_called(keep_first_branches(b"\n" + text), list_templates(text)))
    text = text if is_c else spell_declared(spell_qt(text))
    text = _UNDERSCORED.sub(_blank_known, _UNDERSCORED_CALLS.sub(_blank_unless_defined, text))
    if any(one in text for one in _PLAIN_STARTS) or any(one in text for one in _OTHER_STARTS):
        text = _PLAIN.sub(_blank_known, text)
    if b"Object_" in text:
        text = _OBJECT_HEADS.sub(_blank_unless_defined, text)
    if b"fallthrough" in text:
        text = _FALLING.sub(_blank_unless_defined, text)
    text = _BEFORE_TYPES.sub(_blank_second, text)
    if b'("' in text:
        text = _ATTRIBUTES.sub(blank_group, text)
    if any(one in text for one in _LINKAGE_PARTS):
        text = _LINKAGES.sub(_blank_unless_defined, text)
    if any(one in text for one in _LOWER_PARTS):
        text = _LOWER_LINKAGES.sub(blank_head, text)
    text = _STATIC_MACROS.sub(blank_group, text)
    text = _FIRST_TYPES.sub(blank_group, _TYPE_ARGUMENTS.sub(blank_group, text))
    text = _OPERATORS.sub(_make_number, _HEAD_NAMES.sub(blank_group, text))
    text = _BEFORE_NAMES.sub(_blank_second, _HEADS.sub(_blank_second, text))
    text = _LOWER_NAMES.sub(blank_head, _LOWER_HEADS.sub(blank_head, text))
    if is_c:
        text = _STRUCT_HEADS.sub(_blank_second, text)
    elif _CAPITAL_HEADS.search(text):
        text = _CLASS_HEADS.sub(_blank_second, _LONG_CLASS_HEADS.sub(blank_group, text))
    if not is_c:
        text = blank_more(_TRAILING.sub(blank_group, text))
    text = blank_behind_parameters(text)
    text = _LINES.sub(blank_group, _TYPE_GIVERS.sub(_keep_type, text))
    text = _BLOCK_HEADS.sub(_end_statement, text)
    if any(one in text for one in _EACH_PARTS):
        text = _make_loops(text)
    if is_c:
        text = _CALLED_BLOCKS.sub(_make_loop, text)
    if b"..." in text:
        text = _NAMED_REST.sub(blank_group, _CASE_RANGE.sub(blank_group, text))
    if b"va_arg" in text:
        text = _VARIABLE_ARGUMENT.sub(blank_group, text)
    if b"\\\n" in text:
        text = _blank_inner_comments(text)
    return _STATEMENTS.sub(_blank_statement, _declare_unnamed(spell_events(text), is_c=is_c))[1:]


def _keep_type(found: re.Match[bytes]) -> bytes:
    """Return the type that is an argument of a macro, without the macro and its brackets."""
    inner = found.string[found.end(1) : found.start(2)]
    return b"\n" + blank(found[1]) + inner + b" " + found.string[found.end(2) : found.end()]


def _blank_inner_comments(text: bytes) -> bytes:
    """Blank comments in continued lines, since a comment ends the body of a macro for the grammar."""
    changed = bytearray(text)
    line_end, start = -1, text.find(b"/*")
    while start >= 0:
        end = text.find(b"*/", start + 2) + 2
        if end < 2:
            break
        if line_end < start:
            line_end = text.find(b"\n", start) % (len(text) + 1)  # -1, for the last line, is its end
        if text[line_end - 1 : line_end] == b"\\" and _is_in_macro(text, start, line_end, end):
            changed[start:end] = _NO_CONTINUATION.sub(b" ", text[start:end])
        start = text.find(b"/*", end)
    return bytes(changed)


def _is_in_macro(text: bytes, start: int, line_end: int, end: int) -> bool:
    """Return whether a comment on a continued line ends on it, or continues on lines of the same macro."""
    if end <= line_end:
        return True
    before = text.rfind(b"\n", 0, start)
    if text[before - 1 : before] != b"\\" and not text[before + 1 : start].lstrip().startswith(b"#"):
        return False
    return text.count(b"\n", line_end, end) == text.count(b"\\\n", line_end - 1, end)


def _blank_statement(found: re.Match[bytes]) -> bytes:
    """Return spaces for a macro in a body, before a call that would be taken for its declarator."""
    before = found.string[max(0, found.start() - MAX_LINE_BYTES) : found.start()].rstrip()
    return blank_group(found) if before[-1:] in {b"{", b";", b"}"} else found.group()


def _declare_unnamed(text: bytes, *, is_c: bool) -> bytes:
    """Turn macros that stand for fields of a struct, or members of a class, into unnamed declarations."""
    if _FIELDS.search(text) is None:
        return text
    changed = bytearray(text)
    for found in _FIELDS.finditer(text):
        start, end = found.span(1)
        if _is_among_fields(changed, start, is_c=is_c):
            changed[start:end] = b"_".ljust(end - start - 1) + b";"
    return bytes(changed)


def _is_among_fields(text: bytearray, at: int, *, is_c: bool) -> bool:
    """Return whether a declaration of a struct or class member may begin at an offset."""
    depth, end, limit = 0, at, max(0, at - MAX_BODY_BYTES)
    while True:
        opening, closing = text.rfind(b"{", limit, end), text.rfind(b"}", limit, end)
        if opening < 0:
            return False
        end = max(opening, closing)
        if end == closing:
            depth += 1
        elif depth:
            depth -= 1
        else:
            break
    before = DIRECTIVE.sub(b"", _COMMENT.sub(b"", bytes(text[end:at]))).rstrip()
    if is_c:
        return before[-1:] in {b"{", b";"} and _STRUCT.search(text, max(0, end - 200), end) is not None
    is_begun = before[-1:] in {b"{", b";", b"}"} or before.endswith(_ACCESSES)
    return is_begun and _CLASS.search(text, max(0, end - 200), end) is not None


def _blank_known(found: re.Match[bytes]) -> bytes:
    """Return spaces for a known word and its arguments; the text itself where the word is defined."""
    whole = found.group()
    name = _NAME.match(whole)
    word = name.group() if name is not None else b""
    is_known = word in _WORDS
    return whole if not is_known or _is_defined(found) else blank(whole)


def _blank_unless_defined(found: re.Match[bytes]) -> bytes:
    """Return spaces for a macro; the text itself in a directive."""
    text, start = found.string, found.start()
    limit = max(0, start - MAX_LINE_BYTES)
    line = text[max(limit, text.rfind(b"\n", limit, start) + 1) : start].lstrip()
    return found.group() if line.startswith(b"#") else blank(found.group())


def _is_defined(found: re.Match[bytes]) -> bool:
    """Return whether a preprocessor directive before it defines or tests the macro."""
    text, start = found.string, found.start()
    return text[max(0, start - 9) : start].rstrip().endswith(_DEFINITIONS)


def _blank_head(heads: list[Head], found: re.Match[bytes]) -> bytes:
    """Return a match with its macro blanked: the second group, or all of it; in a directive it stays."""
    group = 2 if found.re.groups else 0
    if not group and _blank_unless_defined(found) == found[0]:
        return found[0]
    heads.append((found.start(group) - 1, found[group]))
    return blank_group(found, group)


def _blank_second(found: re.Match[bytes]) -> bytes:
    return blank_group(found, 2)


def _make_loops(text: bytes) -> bytes:
    """Replace macros that head a block by `while`.

    The name stays in a directive that defines the macro, and if it is the name of a function: after a type,
    in the first column, or as a part of a longer name: `void Version::ForEachOverlapping(Slice key) {`.
    """
    changed = bytearray(text)
    for found in _EACH.finditer(text):
        start, end = found.span()
        before = _WORD_END.search(text, max(0, start - MAX_WORD_BYTES), start)
        start = before.start() if before is not None else start
        if is_declared(text, start) or text[max(0, start - 2) : start].endswith((b"::", b".")):
            continue
        if not text[max(0, start - 9) : start].rstrip().endswith(_DEFINITIONS):
            changed[start:end] = b"while".ljust(end - start)
    return bytes(changed)


def _make_number(found: re.Match[bytes]) -> bytes:
    """Return a number in place of an operator, so that a call keeps the number of its arguments."""
    operator = found.group(1)
    return found.group()[: -len(operator)] + b"0".ljust(len(operator))


def _make_loop(found: re.Match[bytes]) -> bytes:
    name = found.group(1)
    return (
        found.group()[: -len(name)] + b"while".ljust(len(name))
        if len(name) >= len(b"while")
        else found.group()
    )


def _end_statement(found: re.Match[bytes]) -> bytes:
    return blank_group(found, filler=b";")
