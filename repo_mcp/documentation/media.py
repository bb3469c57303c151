"""Find the media that sections refer to: those that exist, with their types and how well they answer.

A target is a path relative to its document. One that begins with a slash is relative to the root of a site,
which may be the repository root, a directory on the way to the document, or a directory served from there.
Targets that are outside the root, denied, missing or not media are left out silently. All access goes through
the repository reader: a file is only stat'ed, or read whole if it is a short sound.

Left out on purpose: files that no document refers to, and following symbolic links.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from repo_mcp.documentation.query_words import QueryWords
from repo_mcp.documentation.records import Media
from repo_mcp.documentation.references import Reference
from repo_mcp.errors import RepoError
from repo_mcp.file_stat import FileStat
from repo_mcp.ranking.scoring.bm25f import DECIMALS
from repo_mcp.record_classes import dataclass
from repo_mcp.text.media_types import SNIFFED_BYTES, find_media_type, find_sound_type, is_media
from repo_mcp.workspace.reader.client_paths import MAX_PATH_BYTES

MEDIA_OF_HIT = 4  # most media returned with a hit
SOUND_BYTES = 64 * 1024  # most bytes of a sound that is returned with the answer
SOUNDS = 2  # most sounds returned with one answer
MAX_LOOKS = 240  # file stats for one answer
SITE_DEPTH = 6  # directories above a document that may be the root of a site
_SERVED = ("", "static/", "public/")  # directories of a site that are served as its root
_TEXTS = frozenset(
    (
        "image/svg+xml",
        "text/vnd.graphviz",
        "text/vnd.mermaid",
        "text/x-plantuml",
        "application/vnd.jgraph.mxfile",
    )
)
_HEXADECIMAL = frozenset(b"0123456789abcdefABCDEF")
LEAST_PRIORITY = 0.2  # priority of a medium whose own words do not match, although its section does


@dataclass(frozen=True, slots=True)
class MediaReader:
    """Access to the root. Paths come from a document: relative, and not to be trusted."""

    name_path: Callable[[str], str]  # returns the normal form; raises RepoError for a denied path
    find_stat: Callable[[str], FileStat | None]  # None unless a regular file
    read: Callable[[str, int], bytes]  # a whole file of at most this many bytes; raises RepoError


class MediaFinder:
    """Finds the media of the hits of one answer."""

    def __init__(self, reader: MediaReader, words: QueryWords) -> None:
        self._reader = reader
        self._words = words
        self._looks = MAX_LOOKS
        self._sounds = SOUNDS
        self._known: dict[str, FileStat | None] = {}

    def find(
        self, document: str, references: Sequence[Reference], breadcrumb: str, score: float
    ) -> tuple[Media, ...]:
        """Return the media that a section refers to, those that answer the query best first."""
        rated = []
        for position, reference in enumerate(references):
            target = decode_target(reference.target)
            if target is not None and is_medium(target):
                covered = self._words.add_up(self._words.match_title(_describe(target, reference.text)))
                rated.append((-round(covered, DECIMALS), position, target, reference.text))
        found: dict[str, Media] = {}
        for negative, _, target, text in sorted(rated):
            path = self._resolve(document, target)
            if path is not None and path not in found:
                found[path] = self._build(path, text, breadcrumb, -negative, score)
            if len(found) == MEDIA_OF_HIT:
                break
        return tuple(found.values())

    def _build(self, path: str, text: str, breadcrumb: str, covered: float, score: float) -> Media:
        media_type = find_media_type(path)
        stat = self._known[path]
        size = stat.size if stat is not None else 0
        sound = None
        if media_type.startswith("audio/") and self._sounds and 0 < size <= SOUND_BYTES:
            sound, media_type = self._read_sound(path, media_type)
        priority = round(LEAST_PRIORITY + (1.0 - LEAST_PRIORITY) * (covered + score) / 2, 2)
        is_text = media_type in _TEXTS
        return Media(path, media_type, size, text, breadcrumb, min(1.0, priority), is_text, sound)

    def _read_sound(self, path: str, by_name: str) -> tuple[bytes | None, str]:
        """Return the bytes of a sound and the type that its first bytes show.

        Return None and the type `by_name` if it cannot be read or is not audio.
        """
        try:
            data = self._reader.read(path, SOUND_BYTES)
        except RepoError:
            return None, by_name
        found = find_sound_type(path, data[:SNIFFED_BYTES])
        if found is None:
            return None, by_name
        self._sounds -= 1
        return data, found

    def _resolve(self, document: str, target: str) -> str | None:
        """Return the path of the existing file that a target means, or None."""
        for candidate in _iter_places(document, target):
            try:
                path = self._reader.name_path(candidate)
            except RepoError:
                continue
            if path and self._find_stat(path) is not None:
                return path
        return None

    def _find_stat(self, path: str) -> FileStat | None:
        if path not in self._known:
            if not self._looks:
                return None
            self._looks -= 1
            self._known[path] = self._reader.find_stat(path)
        return self._known[path]


def _describe(target: str, text: str) -> str:
    """Return the words that describe a reference: its text and the file's name."""
    return f"{text} {target.rpartition('/')[2].rpartition('.')[0]}".replace("-", " ")


def is_medium(path: str) -> bool:
    """Return True for the name of an image, a sound, a video, a PDF or a drawing."""
    return is_media(find_media_type(path))


def decode_target(target: str) -> str | None:
    """Return the path that a target means, without query and fragment; None when it is not a valid path."""
    bare = target.partition("#")[0].partition("?")[0]
    if len(bare) > MAX_PATH_BYTES or "\\" in bare or "\0" in bare:
        return None
    if "%" not in bare:
        return bare or None
    first, *others = bare.encode("utf-8", "replace").split(b"%")
    pieces = [first]
    for piece in others:
        digits = piece[:2]
        is_byte = len(digits) == 2 and _HEXADECIMAL.issuperset(digits)
        pieces.append(bytes((int(digits, 16),)) + piece[2:] if is_byte else b"%" + piece)
    try:
        decoded = b"".join(pieces).decode("utf-8")
    except UnicodeDecodeError:
        return None
    return None if "\\" in decoded or "\0" in decoded else decoded or None


def _iter_places(document: str, target: str) -> Iterator[str]:
    """Yield the paths, relative to the root served here, that a target may mean."""
    directory = document.rpartition("/")[0]
    if not target.startswith("/"):
        yield f"{directory}/{target}" if directory else target
        return
    inner = target.lstrip("/")
    if ".." in inner.split("/"):
        return  # a site has nothing above its root
    parts = directory.split("/") if directory else []
    for depth in range(min(len(parts), SITE_DEPTH) + 1):
        above = "".join(f"{part}/" for part in parts[:depth])
        for served in _SERVED:
            yield f"{above}{served}{inner}"
