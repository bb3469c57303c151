"""The one line model: how the bytes of a source file become text, for every part of the program.

A byte order mark names the codec and is dropped; everything else is UTF-8. If it is not valid UTF-8, its
coding line names the codec, as in Python: a comment with `coding: latin-1` in one of the first two lines.
Bytes that do not decode are replaced, with a warning, never refused. A line ends at "\\n", "\\r\\n" or a lone
"\\r" and nowhere else: `str.splitlines` also splits at form feeds and U+2028, where editors and compilers do
not.

Text is held as UTF-8 bytes with "\\n" for every line end, so lines are counted and cut without decoding
again.

Left out on purpose: guessing other encodings, believing a coding line against valid UTF-8, and judging text
by its contents. A NUL in the first 8 KiB makes a file binary, as it does for Git.

Names and messages that are shown are escaped here too, because some characters disguise the text around them.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Sequence
from encodings.aliases import aliases

from repo_mcp.errors import ErrorCode, RepoError
from repo_mcp.late_patterns import compile_late
from repo_mcp.record_classes import dataclass
from repo_mcp.text.media_types import SNIFFED_BYTES as MEDIA_BYTES

ReadLines = Callable[[str], Sequence[str]]  # a path -> the lines of its file
SNIFFED_BYTES = 8192
MAX_NAMED_CHARS = 120  # of a word in a message
REPLACED = "The text is not valid {codec}; it was decoded with replacement characters."

# UTF-32 before UTF-16: its little-endian mark begins with that of UTF-16.
_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_ANY_MARK = tuple([mark for mark, _ in _MARKS])

_CODING_LINE = compile_late(rb"[ \t\f]*#[^\n]{0,400}?coding[:=][ \t]*([-\w.]{1,40})", re.ASCII)  # PEP 263
_NOT_CODE = compile_late(rb"[ \t\f]*(?:#|$)")  # a first line after which the second may be a coding line
_HEAD_BYTES = 1024  # the start of a file, in which its first two lines are looked for

# Codecs in which every ASCII byte stands for its ASCII character, as the index of raw bytes assumes.
_CODECS = frozenset(
    """
    latin_1 iso8859_2 iso8859_3 iso8859_4 iso8859_5 iso8859_6 iso8859_7 iso8859_8 iso8859_9 iso8859_10
    iso8859_11 iso8859_13 iso8859_14 iso8859_15 iso8859_16 cp1250 cp1251 cp1252 cp1253 cp1254 cp1255
    cp1256 cp1257 cp1258 cp437 cp850 cp852 cp855 cp866 koi8_r koi8_u mac_roman mac_cyrillic shift_jis
    cp932 euc_jp euc_kr cp949 gb2312 gbk gb18030 big5 cp950 tis_620
    """.split()  # noqa: SIM905
)

# Formats that are never text. Those that sometimes are (`.dat`, `.pb`, `.snap`) are left to the NUL test.
BINARY_EXTENSIONS = frozenset(
    """
    7z a aac apk avi avif bin bmp br bz2 cab class deb dll dmg doc docx dylib ear eot exe flac gif gz heic
    icns ico iso jar jpeg jpg ko lib lz4 lzma m4a m4v mkv mov mp3 mp4 mpeg mpg msi npy npz o obj odp ods odt
    ogg onnx opus otf parquet pdf png ppt pptx psd pyc pyd pyo rar rlib rpm so sqlite sqlite3 swf tar tbz2
    tgz tif tiff ttc ttf txz wasm wav webm webp whl wma wmv woff woff2 xls xlsx xz zip zst
    """.split()  # noqa: SIM905  (a list of literals takes a page)
)


@dataclass(frozen=True, slots=True)
class SourceText:
    """The decoded text of a source file."""

    data: bytes  # UTF-8, line ends "\n" only, no byte order mark
    warnings: tuple[str, ...]


def decode_source(raw: bytes) -> SourceText:
    """Return the text of a file's bytes. Raises RepoError with BINARY_FILE when they are not text."""
    if raw.startswith(_ANY_MARK):
        mark, codec = next(one for one in _MARKS if raw.startswith(one[0]))
        return _decode_marked(raw[len(mark) :], codec)
    if raw.find(b"\0", 0, SNIFFED_BYTES) >= 0:
        raise RepoError(
            ErrorCode.BINARY_FILE,
            "The file is binary: it has a NUL byte near its start.",
            "Open a text file.",
            {"head": raw[:MEDIA_BYTES]},
        )
    if raw.isascii():
        return SourceText(_unify_line_ends(raw), ())
    try:
        raw.decode()
    except UnicodeDecodeError:
        return _decode_marked(raw, _find_declared_codec(raw[:_HEAD_BYTES]) or "utf-8")
    return SourceText(_unify_line_ends(raw), ())


def split_lines(data: bytes) -> list[bytes]:
    """Return the lines of a text without their ends. A final "\\n" ends the last line; "" has no line."""
    lines = data.split(b"\n")
    if not lines[-1]:
        lines.pop()
    return lines


def cut_indentation(lines: Sequence[str]) -> list[str]:
    """Return lines without the blanks and tabs that all of them, except blank ones, begin with."""
    begins = [line[: len(line) - len(line.lstrip(" \t"))] for line in lines if line.strip()]
    first, last = min(begins, default=""), max(begins, default="")  # as far as these agree, all do
    pairs = enumerate(zip(first, last, strict=False))
    shared = next((at for at, (one, other) in pairs if one != other), len(first))
    return [line[shared:] for line in lines]


def compile_name(*names: str) -> re.Pattern[str]:
    """Return an expression that finds any of some names in a line, each as a whole."""
    return re.compile(rf"(?<![\w$])(?:{'|'.join(map(re.escape, names))})(?![\w$])")


def trim_blank(lines: Sequence[str], first: int, last: int) -> tuple[int, int]:
    """Return a half-open span of lines without the blank ones at its ends; at least one line is left."""
    while last - first > 1 and not lines[last - 1].strip():
        last -= 1
    while last - first > 1 and not lines[first].strip():
        first += 1
    return first, last


_IMPORT = compile_late(
    r"^\s*(?:from\s+[\w.]+\s+import\b|import\b|use\s+[\w:{]|using\s+[\w.]+\s*;|require\b|(?:const|let|var)\b.*\brequire\("
    r"|#\s*include\b|export\b.*\bfrom\b|@import\b|open\s+[A-Z])"
)


def is_import(line: str) -> bool:
    """Return True for a line that begins an import or an include, in any language."""
    return _IMPORT.match(line) is not None


# A comment, or a quoted name alone, as in a list of exports. Without quotes it may be declared there.
_COMMENT = compile_late(r"^\s*(?://|/\*|\*(?:[\s/<]|$)|#(?:[\s!]|$)|--(?:\s|$)|;;|<!--|\(\*|\"\"\"|''')")
_NAME_ALONE = compile_late(r"^\s*[\"']\w+[\"'],\s*$")
COMMENT_STARTS = "//", "# ", "* ", "/*", "-- ", "; "  # in most languages; `is_comment` knows others, too


def says_little(line: str) -> bool:
    """Return True for a line that only imports, comments or lists a name, in any language."""
    return is_import(line) or is_comment(line) or _NAME_ALONE.match(line) is not None


def is_comment(line: str) -> bool:
    """Return True for a line that begins as a comment does in some language."""
    return _COMMENT.match(line) is not None


def has_binary_extension(path: str) -> bool:
    """Return True if the last extension belongs to a format that is never text: no need to read it."""
    name = path.rpartition("/")[2]
    return name.rpartition(".")[2].lower() in BINARY_EXTENSIONS if "." in name[1:] else False


def _find_declared_codec(head: bytes) -> str | None:
    """Return the codec of the coding line among the first two lines, if there is one that we know."""
    for line in _unify_line_ends(head).split(b"\n", 2)[:2]:
        match = _CODING_LINE.match(line)
        if match is not None:
            name = re.sub("-(?:unix|dos|mac)$", "", match[1].decode().lower())  # as Emacs ends it
            name = re.sub("[-_. ]+", "_", name).replace("iso_latin_", "latin_")
            codec = aliases.get(name, name)
            return codec if codec in _CODECS else None
        if not _NOT_CODE.match(line):
            return None
    return None


def _decode_marked(raw: bytes, codec: str) -> SourceText:
    try:
        text = raw.decode(codec)
        warnings: tuple[str, ...] = ()
    except UnicodeDecodeError:
        text = raw.decode(codec, "replace")
        warnings = (REPLACED.format(codec=codec.upper()),)
    data = raw if codec == "utf-8" and not warnings else text.encode()
    return SourceText(_unify_line_ends(data), warnings)


def shorten_word(word: str) -> str:
    """Return a word that a message may name: of a long one, such as pasted data, only its beginning."""
    return word if len(word) <= MAX_NAMED_CHARS else f"{word[:MAX_NAMED_CHARS]}…"


def unify_line_ends(text: str) -> str:
    """Return a text that a client gave with the line ends of normalised text."""
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def _unify_line_ends(data: bytes) -> bytes:
    if b"\r" not in data:
        return data
    return data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")


# C0 and C1 controls, bidirectional controls, zero-width characters, line separators, surrogates, the
# byte order mark, interlinear marks.
_UNSAFE = compile_late(
    "[\x00-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ud800-\udfff\ufeff\ufff9-\ufffb]"
)

# Controls and bidirectional overrides can disguise text. Tab and form feed are common and harmless.
HIDING = compile_late(
    "[\x00-\x08\x0b\x0d-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\U000e0000-\U000e007f]"
)


def escape_text(text: str) -> str:
    """Return `text` with control, bidirectional and zero-width characters written as \\uXXXX.

    For names and messages that a person or model reads; never for the content of files.
    """
    if text.isascii() and text.isprintable():  # forty names of a search's answer: 45 µs
        return text
    return _UNSAFE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


_ESCAPE = compile_late(r"\\{1,2}u([0-9a-fA-F]{4})")  # two: as JSON has it, where it was copied from there


def unescape_text(text: str) -> str:
    """Return `text` with the characters back that `escape_text` writes as \\uXXXX, and no others.

    NUL stays as it is: no name has it.
    """

    def read(found: re.Match[str]) -> str:
        character = chr(int(found[1], 16))
        return character if character > "\0" and not is_plain(character) else found[0]

    return _ESCAPE.sub(read, text) if "\\u" in text else text


def escape_texts(texts: Sequence[str]) -> list[str]:
    """Return the texts, each as `escape_text` returns it."""
    return list(texts) if is_plain("".join(texts)) else list(map(escape_text, texts))


def is_plain(text: str) -> bool:
    """Return True when `escape_text` would change nothing."""
    return _UNSAFE.search(text) is None
