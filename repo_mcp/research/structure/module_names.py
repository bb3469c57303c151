"""Divide the files of a tree into modules: files, folders, or the files directly in one folder. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

ENOUGH = 24  # modules
FEW_FILES = 40  # in all: with so few, each file is a module
# A folder whose own files are all but one of its modules: they are modules of their own, if they are so few.
LEAST_MODULES, MOST_FILES = 3, 120
LOOSE_FILES = 8  # directly in one folder: up to so many are modules of their own


def name_modules(paths: Sequence[str]) -> Mapping[str, str]:
    """Return the module of each path: the path itself, a folder, or a folder with `/*`.

    The largest folder is split until there are enough modules; one of up to LOOSE_FILES files stays whole.
    More than LOOSE_FILES files that lie directly in a split folder form one module, named after the folder
    with `/*`. `paths` are sorted.
    """
    if len(paths) <= FEW_FILES:
        return {path: path for path in paths}
    parts = _divide(paths)
    is_flat = len(parts) < LEAST_MODULES and any(name.endswith("*") for name in parts)
    if is_flat and len(paths) <= MOST_FILES:
        return {path: path for path in paths}
    return {path: name or "." for name, own in parts.items() for path in own}


def _divide(paths: Sequence[str]) -> dict[str, list[str]]:
    """Return the paths of each module."""
    parts: dict[str, list[str]] = {_find_stem(paths): list(paths)}
    done: set[str] = set()
    while len(parts) < ENOUGH:
        open_parts = [name for name in parts if name not in done and len(parts[name]) > LOOSE_FILES]
        if not open_parts:
            break
        name = max(open_parts, key=lambda one: (len(parts[one]), one))
        split = _merge_small(name, _split(name, parts[name]), 2 * ENOUGH - len(parts))
        done.add(name)
        if len(split) > 1:
            del parts[name]
            parts.update(split)
            done.update(one for one in split if one.endswith("*") and len(split[one]) > LOOSE_FILES)
    return parts


def _merge_small(folder: str, parts: dict[str, list[str]], most: int) -> dict[str, list[str]]:
    """Return at most `most` parts: all of them, or the largest ones and the others merged into one."""
    if len(parts) <= most:
        return parts
    ordered = sorted(parts, key=lambda name: (-len(parts[name]), name))
    rest_name = f"{folder}/*" if folder else "*"
    kept = {name: parts[name] for name in ordered[: most - 1] if name != rest_name}
    kept[rest_name] = sorted(path for name in parts if name not in kept for path in parts[name])
    return kept


def _find_stem(paths: Sequence[str]) -> str:
    """Return the deepest folder that holds all the paths, which come sorted."""
    first, last = paths[0].split("/")[:-1], paths[-1].split("/")[:-1]
    shared = []
    for one, other in zip(first, last, strict=False):
        if one != other:
            break
        shared.append(one)
    return "/".join(shared)


def _split(folder: str, paths: Sequence[str]) -> dict[str, list[str]]:
    """Split a folder into its subfolders and the files that lie directly in it."""
    if folder.endswith("*"):
        return {path: [path] for path in paths} if len(paths) <= ENOUGH else {folder: list(paths)}
    start = len(folder) + 1 if folder else 0
    parts: dict[str, list[str]] = {}
    loose: list[str] = []
    for path in paths:
        head, slash, _ = path[start:].partition("/")
        if slash:
            parts.setdefault(f"{folder}/{head}" if folder else head, []).append(path)
        else:
            loose.append(path)
    if len(loose) <= LOOSE_FILES:
        parts.update({path: [path] for path in loose})
    else:
        parts[f"{folder}/*" if folder else "*"] = loose
    return parts
