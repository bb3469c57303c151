"""Words that ask for media, and the marks of references to such media: a section with a picture answers
"screenshot" without the word."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

_PICTURES = ("![", "<img", "image::", "figure::", ".png", ".svg", ".jpg", ".jpeg", ".gif", ".webp", "mermaid")
_SOUNDS = ("<audio", "audio::", ".mp3", ".wav", ".ogg", ".flac", ".opus")
_FILMS = ("<video", "video::", ".mp4", ".webm", ".mov", ".gif", "youtube.com/", "youtu.be/")
_KINDS = (
    (
        _PICTURES,
        "screenshot screenshots image images picture pictures diagram diagrams figure illustration drawing",
    ),
    (_SOUNDS, "audio sound sounds recording recordings podcast"),
    (_FILMS, "video videos screencast film animation demo"),
)
_MARKS: Mapping[str, tuple[str, ...]] = {word: marks for marks, words in _KINDS for word in words.split()}


def find_media_marks(terms: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Return for each term that asks for media the marks (lower case) of a text that refers to such media."""
    return {term: _MARKS[term] for term in terms if term in _MARKS}
