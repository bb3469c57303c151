"""The media type of a file that is not source text: by its first bytes, else by its extension.

Drawings and diagrams that are text have types too, because documents refer to them as they do to pictures.
Other text has a type of its own only if a viewer treats it differently from plain text.

Left out on purpose: the system's own tables, which differ from machine to machine.
"""

from __future__ import annotations

UNKNOWN = "application/octet-stream"

# (offset, bytes there, type): more specific ones first.
_BEGINNINGS: tuple[tuple[int, bytes, str], ...] = (
    (0, b"\x89PNG\r\n\x1a\n", "image/png"),
    (0, b"\xff\xd8\xff", "image/jpeg"),
    (0, b"GIF8", "image/gif"),
    (8, b"WEBP", "image/webp"),
    (8, b"WAVE", "audio/wav"),
    (8, b"AVI ", "video/x-msvideo"),
    (0, b"BM", "image/bmp"),
    (0, b"\0\0\1\0", "image/vnd.microsoft.icon"),
    (4, b"ftypM4A", "audio/mp4"),
    (4, b"ftypavif", "image/avif"),
    (4, b"ftyp", "video/mp4"),
    (0, b"\x1aE\xdf\xa3", "video/webm"),
    (0, b"ID3", "audio/mpeg"),
    (0, b"OggS", "audio/ogg"),
    (0, b"fLaC", "audio/flac"),
    (0, b"%PDF-", "application/pdf"),
    (0, b"PK\3\4", "application/zip"),
    (0, b"\x1f\x8b", "application/gzip"),
    (0, b"BZh", "application/x-bzip2"),
    (0, b"\xfd7zXZ\0", "application/x-xz"),
    (0, b"(\xb5/\xfd", "application/zstd"),
    (0, b"7z\xbc\xaf\x27\x1c", "application/x-7z-compressed"),
    (257, b"ustar", "application/x-tar"),
    (0, b"\x7fELF", "application/x-elf"),
    (0, b"MZ", "application/vnd.microsoft.portable-executable"),
    (0, b"\xcf\xfa\xed\xfe", "application/x-mach-binary"),
    (0, b"\0asm", "application/wasm"),
    (0, b"SQLite format 3\0", "application/vnd.sqlite3"),
    (0, b"wOFF", "font/woff"),
    (0, b"wOF2", "font/woff2"),
    (0, b"OTTO", "font/otf"),
    (0, b"\0\1\0\0\0", "font/ttf"),
    (0, b"\xca\xfe\xba\xbe", "application/java-vm"),
    (0, b"\x93NUMPY", "application/x-npy"),
)
_EXTENSIONS = {
    "aac": "audio/aac",
    "aiff": "audio/aiff",
    "avi": "video/x-msvideo",
    "avif": "image/avif",
    "bin": UNKNOWN,
    "bmp": "image/bmp",
    "bz2": "application/x-bzip2",
    "class": "application/java-vm",
    "dll": "application/vnd.microsoft.portable-executable",
    "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "dot": "text/vnd.graphviz",
    "drawio": "application/vnd.jgraph.mxfile",
    "excalidraw": "application/vnd.excalidraw+json",
    "exe": "application/vnd.microsoft.portable-executable",
    "flac": "audio/flac",
    "gif": "image/gif",
    "gv": "text/vnd.graphviz",
    "gz": "application/gzip",
    "heic": "image/heic",
    "ico": "image/vnd.microsoft.icon",
    "jar": "application/java-archive",
    "jpeg": "image/jpeg",
    "jpg": "image/jpeg",
    "m4a": "audio/mp4",
    "m4v": "video/mp4",
    "mermaid": "text/vnd.mermaid",
    "mkv": "video/x-matroska",
    "mmd": "text/vnd.mermaid",
    "mov": "video/quicktime",
    "mp3": "audio/mpeg",
    "mp4": "video/mp4",
    "mpeg": "video/mpeg",
    "mpg": "video/mpeg",
    "npy": "application/x-npy",
    "npz": "application/zip",
    "o": "application/x-elf",
    "oga": "audio/ogg",
    "ogg": "audio/ogg",
    "ogv": "video/ogg",
    "opus": "audio/ogg",
    "otf": "font/otf",
    "pdf": "application/pdf",
    "plantuml": "text/x-plantuml",
    "png": "image/png",
    "pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation",
    "puml": "text/x-plantuml",
    "pyc": "application/x-python-code",
    "so": "application/x-elf",
    "sqlite": "application/vnd.sqlite3",
    "sqlite3": "application/vnd.sqlite3",
    "svg": "image/svg+xml",
    "tar": "application/x-tar",
    "tgz": "application/gzip",
    "tif": "image/tiff",
    "tiff": "image/tiff",
    "ttf": "font/ttf",
    "wasm": "application/wasm",
    "wav": "audio/wav",
    "webm": "video/webm",
    "webp": "image/webp",
    "whl": "application/zip",
    "woff": "font/woff",
    "woff2": "font/woff2",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "xz": "application/x-xz",
    "zip": "application/zip",
    "zst": "application/zstd",
}
# Formats that are zip files inside. "BM" is only two letters, so the name may overrule it.
_ARCHIVES = frozenset(_EXTENSIONS[one] for one in ("docx", "jar", "pptx", "xlsx"))
_MPEG_FRAMES = frozenset(bytes((0xFF, second)) for second in (0xFA, 0xFB, 0xF2, 0xF3, 0xE2, 0xE3))
SNIFFED_BYTES = 512
_MEDIA = ("image/", "audio/", "video/")
_OTHER_MEDIA = frozenset(
    (
        "application/pdf",
        "application/vnd.excalidraw+json",
        "application/vnd.jgraph.mxfile",
        "text/vnd.graphviz",
        "text/vnd.mermaid",
        "text/x-plantuml",
    )
)
_DRAWN_TEXT = _OTHER_MEDIA - {"application/pdf"} | {"image/svg+xml"}
_PLAIN = "text/plain"
_TEXT_TYPES = {
    "css": "text/css",
    "csv": "text/csv",
    "htm": "text/html",
    "html": "text/html",
    "json": "application/json",
    "markdown": "text/markdown",
    "md": "text/markdown",
    "rst": "text/x-rst",
    "xml": "application/xml",
}


def find_media_type(path: str, head: bytes = b"") -> str:
    """Return the type of a file by its first SNIFFED_BYTES and its name; UNKNOWN if neither decides it."""
    for offset, wanted, media_type in _BEGINNINGS:
        if head[offset : offset + len(wanted)] == wanted:
            by_name = _find_by_name(path)
            is_said = by_name in _ARCHIVES if media_type == "application/zip" else media_type == "image/bmp"
            return by_name if by_name is not None and is_said else media_type
    return _find_by_name(path) or UNKNOWN


def is_media(media_type: str) -> bool:
    """Return True for the type of an image, a sound, a video, a PDF or a drawing."""
    return media_type.startswith(_MEDIA) or media_type in _OTHER_MEDIA


def find_text_type(path: str) -> str:
    """Return the type of a text file by its name: that of a drawing, or one of text."""
    by_name = _find_by_name(path)
    if by_name in _DRAWN_TEXT:
        return by_name
    return _TEXT_TYPES.get(path.rpartition(".")[2].lower(), _PLAIN)


def find_sound_type(path: str, head: bytes) -> str | None:
    """Return the type of a sound by its first bytes; None if they are not a sound, whatever the name says.

    An MPEG frame begins with only two known bytes, so they count only if the name agrees.
    """
    by_name = _find_by_name(path)
    if head[:2] in _MPEG_FRAMES and by_name == "audio/mpeg":
        return by_name
    found = find_media_type("", head)
    if found == "audio/wav" and head[:4] != b"RIFF":
        return None
    return found if found.startswith("audio/") else None


def _find_by_name(path: str) -> str | None:
    stem, _, extension = path.rpartition("/")[2].rpartition(".")
    return _EXTENSIONS.get(extension.lower()) if stem else None
