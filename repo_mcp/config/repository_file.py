"""`repo_mcp.toml`: settings by which a repository may narrow how it is served, and never widen it.

    exclude_globs = ["generated/", "*.min.js"]   # left out, in the syntax of .gitignore; or: ignore_globs
    include_extensions = ["py", "md"]            # nothing else is indexed
    [limits]
    max_file_bytes = 500_000                     # lower than the limit in force, down to a floor
    [extensions]
    ".foo" = "python"                            # the language of files that end in .foo
    [adapters.python]
    enabled = false                              # outlines by line patterns instead
    [embeddings]
    enabled = false                              # reserved

The file comes with the repository and is not trusted: anything that it may not set is ignored, with a warning
that names the key. Lists narrow together with the operator's; a limit that the operator gave stands.
An extension only chooses a language: denied names stay denied, and binary files are still left out.

Left out on purpose: reading the file, which is up to the repository reader.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Collection, Mapping

from repo_mcp.config.plain_options import REPOSITORY_FILE
from repo_mcp.config.server_config import (
    HARD_CAPS,
    LEAST_LIMITS,
    MAX_GLOBS,
    MAX_REPOSITORY_FILE_BYTES,
    Config,
    cap_defaults,
    clean_extension,
    is_usable_glob,
)
from repo_mcp.record_classes import dataclass, replace

_MAX_DOTS = 200  # tomllib takes quadratic time for dotted keys: 8,000 cost 0.5 s
_MAX_WARNINGS = 20  # a file can hold thousands of unknown keys, and the least answer must hold the warnings
_MAX_KEY_CHARS = 80


@dataclass(slots=True)
class _Reading:
    """The configuration as narrowed so far, and warnings about what was ignored."""

    config: Config
    languages: Collection[str]
    adapters: Collection[str]
    warnings: list[str]

    def refuse(self, key: str, why: str) -> None:
        self.warn(key, f"{why}, so it is ignored")

    def warn(self, key: str, what: str) -> None:
        """Tell the operator something about `key`."""
        self.warnings.append(f"{REPOSITORY_FILE}: {key} {what}.")

    def narrow(self, key: str, **changes: object) -> None:
        """Change fields of the configuration on behalf of `key`."""
        narrowed = self.config.narrowed | {key}
        self.config = replace(self.config, narrowed=narrowed, **changes)  # type: ignore[arg-type]


def apply_repository_file(
    config: Config, text: bytes, languages: Collection[str] = (), adapters: Collection[str] = ()
) -> tuple[Config, tuple[str, ...]]:
    """Return the configuration narrowed by the text of `repo_mcp.toml`, and warnings about what was ignored.

    `languages` and `adapters` are the known names. Never raises: a file that cannot be read changes nothing.
    """
    table, fault = _parse(text)
    if fault:
        return config, (f"{REPOSITORY_FILE} is ignored: {fault}.",)
    reading = _Reading(config, languages, adapters, [])
    for key, value in table.items():
        read = _READERS.get(key)
        if read is None:
            reading.refuse(_shown(key), "cannot be set by a repository")
        else:
            read(reading, key, value)
    if len(reading.warnings) > _MAX_WARNINGS:
        more = len(reading.warnings) - _MAX_WARNINGS
        reading.warnings[_MAX_WARNINGS:] = [f"{REPOSITORY_FILE}: {more} more keys were ignored."]
    return reading.config, tuple(reading.warnings)


def _parse(text: bytes) -> tuple[dict[str, object], str]:
    """Return the table of the file, or the reason why there is none."""
    if len(text) > MAX_REPOSITORY_FILE_BYTES:
        return {}, f"it has more than {MAX_REPOSITORY_FILE_BYTES} bytes"
    if max((line.partition(b"=")[0].count(b".") for line in text.split(b"\n")), default=0) > _MAX_DOTS:
        return {}, f"a key has more than {_MAX_DOTS} dots"
    try:
        return tomllib.loads(text.decode()), ""
    except (ValueError, RecursionError):  # TOMLDecodeError and UnicodeDecodeError are ValueErrors
        return {}, "it is not valid TOML"


def _read_globs(reading: _Reading, key: str, value: object) -> None:
    if not isinstance(value, list) or len(value) > MAX_GLOBS:
        return reading.refuse(key, "must be a list of strings")
    found = [one for one in value if isinstance(one, str) and is_usable_glob(one)]
    if len(found) != len(value):
        return reading.refuse(key, "must be a list of strings")
    if found:
        reading.narrow("exclude_globs", exclude_globs=(*reading.config.exclude_globs, *found))
    return None


def _read_included(reading: _Reading, key: str, value: object) -> None:
    if not isinstance(value, list):
        return reading.refuse(key, "must be a list of extensions")
    cleaned = [clean_extension(one) if isinstance(one, str) else None for one in value]
    wanted = {one for one in cleaned if one is not None}
    if None in cleaned:
        return reading.refuse(key, "must be a list of extensions")
    allowed = reading.config.include_extensions
    both = tuple(sorted(wanted & set(allowed) if allowed else wanted))
    if wanted and not both:
        return reading.refuse(key, "has none of the operator's extensions")
    if both and both != allowed:
        reading.narrow(key, include_extensions=both)
    return None


def _read_limits(reading: _Reading, key: str, value: object) -> None:
    """Lower limits, except those that the operator gave, and none below its floor."""
    for name, limit in _read_table(reading, key, value):
        full = f"{key}.{_shown(name)}"
        if name not in HARD_CAPS:
            reading.refuse(full, "is not a limit")
        elif type(limit) is not int or limit < 1:  # bool is an int to isinstance
            reading.refuse(full, "must be a whole number above 0")
        elif name in reading.config.given:
            reading.refuse(full, "is set on the command line")
        elif limit > getattr(reading.config.limits, name):
            most = getattr(reading.config.limits, name)
            reading.refuse(full, f"can only be lowered by a repository, and is {most} already")
        else:
            least = LEAST_LIMITS[name]
            if limit < least:
                reading.warn(full, f"cannot be below {least}, which is used instead of {limit}")
            limits = cap_defaults(replace(reading.config.limits, **{name: max(limit, least)}))
            reading.narrow(name, limits=limits)


def _read_extensions(reading: _Reading, key: str, value: object) -> None:
    chosen = dict(reading.config.extensions)
    for name, language in _read_table(reading, key, value):
        extension = clean_extension(name)
        if extension is None:
            reading.refuse(f"{key}.{_shown(name)}", "is not an extension")
        elif not isinstance(language, str) or language not in reading.languages:
            reading.refuse(f"{key}.{_shown(name)}", "is not a known language")
        else:
            chosen[extension] = language
    if chosen:
        reading.narrow(key, extensions=tuple(sorted(chosen.items())))


def _read_adapters(reading: _Reading, key: str, value: object) -> None:
    for name, settings in _read_table(reading, key, value):
        if name not in reading.adapters:
            reading.refuse(f"{key}.{_shown(name)}", "is not a known adapter")
            continue
        for setting, chosen in _read_table(reading, f"{key}.{name}", settings):
            if setting != "enabled" or type(chosen) is not bool:
                reading.refuse(f"{key}.{name}.{_shown(setting)}", "must be `enabled`, true or false")
            elif not chosen:
                disabled = tuple(sorted({*reading.config.disabled_adapters, name}))
                reading.narrow(key, disabled_adapters=disabled)


def _read_embeddings(reading: _Reading, key: str, value: object) -> None:
    for name, chosen in _read_table(reading, key, value):
        if name != "enabled" or chosen is not False:
            reading.refuse(f"{key}.{_shown(name)}", "is reserved: only `enabled = false` is accepted")


def _read_table(reading: _Reading, key: str, value: object) -> list[tuple[str, object]]:
    """Return the entries of a table; none, with a warning, when it is not a table."""
    if isinstance(value, Mapping):
        return list(value.items())
    reading.refuse(key, "must be a table")
    return []


def _shown(text: str) -> str:
    """Return a key of the file, cut and made harmless for a message."""
    if text.isidentifier() and text.isascii() and len(text) <= _MAX_KEY_CHARS:
        return text
    shown = ascii(text[:_MAX_KEY_CHARS])
    return shown if len(shown) <= _MAX_KEY_CHARS else f"{shown[:_MAX_KEY_CHARS]}…{shown[0]}"


_READERS: Mapping[str, Callable[[_Reading, str, object], None]] = {
    "exclude_globs": _read_globs,
    "ignore_globs": _read_globs,  # the name that the specification has for exclude_globs
    "include_extensions": _read_included,
    "limits": _read_limits,
    "extensions": _read_extensions,
    "adapters": _read_adapters,
    "embeddings": _read_embeddings,
}
