"""A bundle as plain JSON values: whole for `--json` and `last_bundle.json`, and the parts for answers."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress

from index_format import DirectoryHolder, DiskDirectory, IndexFormatError, IndexLocked, new_file
from repo_mcp.bundler.limits import CHARS_PER_TOKEN
from repo_mcp.bundler.markdown import render_markdown
from repo_mcp.bundler.records import Bundle, BundleAudit, Dropped, FoundChunk, Selection
from repo_mcp.protocol.tool_model import escape_text

MAX_TERMS = 12  # of one excerpt, the rarest first; more would add nothing
Document = dict[str, object]


def build_document(bundle: Bundle) -> Document:
    """Return the whole bundle."""
    shown = bundle.selections
    return {
        "bundle_id": bundle.bundle_id,
        "prompt_fingerprint": bundle.prompt_fingerprint,
        "strategy": bundle.strategy,
        "selections": [render_selection(one) for one in shown],
        "citations": [
            {"citation": escape_text(one.citation), "fingerprint": one.fingerprint} for one in shown
        ],
        "totals": count_shown(shown),
        "budget": {
            "max_files": bundle.budget.max_files,
            "max_total_lines": bundle.budget.max_total_lines,
            "max_tokens": bundle.budget.max_tokens,
        },
        "audit": render_audit(bundle.audit),
    }


def render_json(bundle: Bundle) -> str:
    """Render the whole bundle with its prompt, for `last_bundle.json`."""
    document = build_document(bundle) | {"prompt": bundle.prompt, "warnings": list(bundle.warnings)}
    return json.dumps(document, indent=2) + "\n"


def render_selection(one: Selection) -> Document:
    """Return one excerpt with everything known of it but the fingerprint of its file."""
    return {
        "path": escape_text(one.path),
        "start_line": one.start_line,
        "end_line": one.end_line,
        "symbol": None if one.symbol is None else escape_text(one.symbol),
        "role": one.role.value,
        "rationale": escape_text(one.rationale),
        "score": int(one.score) if one.score.is_integer() else one.score,
        "matched_terms": [escape_text(term) for term in one.matched_terms[:MAX_TERMS]],
        "citation": escape_text(one.citation),
        "content": one.content,
    }


def count_shown(shown: Sequence[Selection]) -> Document:
    """Return the number of files, lines and estimated tokens of some excerpts."""
    chars = sum(len(one.content) for one in shown)
    return {
        "files": len({one.path for one in shown}),
        "lines": sum(len(one.lines) for one in shown),
        "tokens": -(-chars // CHARS_PER_TOKEN),
    }


def render_audit(audit: BundleAudit) -> Document:
    """Return what was understood, searched, considered and left out."""
    return {
        "keywords": [{"text": escape_text(one.text), "kind": one.kind.value} for one in audit.keywords],
        "searches": [
            {
                "name": escape_text(one.name),
                "query": escape_text(one.query),
                "hits": one.hits,
                "files": one.files,
            }
            for one in audit.searches
        ],
        "chunks": [_render_chunk(one) for one in audit.chunks],
        "considered": audit.considered,
        "dropped": [_render_dropped(one) for one in audit.dropped],
        "dropped_total": audit.dropped_total,
    }


def _render_chunk(one: FoundChunk) -> Document:
    return {
        "chunk_id": one.chunk_id,
        "path": escape_text(one.path),
        "start_line": one.start_line,
        "end_line": one.end_line,
    }


def _render_dropped(one: Dropped) -> Document:
    return {
        "path": escape_text(one.path),
        "start_line": one.start_line,
        "end_line": one.end_line,
        "reason": escape_text(one.reason),
    }


# These files are an artefact, not a log: they hold the prompt and text of files, each bundle replaces the one
# before, and the operator can switch them off. They are written whole or not at all,
# private to the user, never through a link. They go when a file that they quote may not be served any more.
JSON_NAME, MARKDOWN_NAME = "last_bundle.json", "last_bundle.md"
LOCK_NAME = "last_bundle.lock"
TEMPORARY_NAME = "last_bundle.tmp"
LOCK_ATTEMPTS, LOCK_WAIT_SECONDS = 20, 0.01  # another server writes for a few milliseconds
NOT_WRITTEN = "The last bundle could not be written to the data directory."
NOT_DELETED = (
    "The last bundle quotes a file that may no longer be served, and could not be deleted:"
    f" delete {JSON_NAME} and {MARKDOWN_NAME} in the data directory."
)
MAX_KEPT_BYTES = 64_000_000  # more than the largest bundle; whatever is larger is none of ours


def write_last_bundle(data_dir: DirectoryHolder, bundle: Bundle) -> bool:
    """Replace both files. Return False when that is not possible; never raises for it."""
    try:
        directory = DiskDirectory(data_dir, create=True)
        with _locked(directory):
            for name, text in ((JSON_NAME, render_json(bundle)), (MARKDOWN_NAME, render_markdown(bundle))):
                with new_file(directory, name, TEMPORARY_NAME) as file:
                    file.write(text.encode("utf-8", "backslashreplace"))
    except (OSError, IndexFormatError):
        return False
    return True


@contextmanager
def _locked(directory: DiskDirectory) -> Iterator[None]:
    """Hold the lock for writing, waiting at most LOCK_ATTEMPTS * LOCK_WAIT_SECONDS. Raises IndexLocked."""
    for attempt in range(1, LOCK_ATTEMPTS + 1):
        try:
            lock = directory.lock(LOCK_NAME)
            break
        except IndexLocked:
            if attempt == LOCK_ATTEMPTS:
                raise
            time.sleep(LOCK_WAIT_SECONDS)
    try:
        yield
    finally:
        lock.release()


def drop_last_bundle(data_dir: DirectoryHolder, may_stay: Callable[[str, str], bool]) -> bool:
    """Delete both files unless `may_stay` accepts the path and the fingerprint of every file they quote.

    What cannot be read as one bundle goes, too. Returns False when something that must go could not be
    deleted; never raises for it.
    """
    try:
        directory = DiskDirectory(data_dir)
        kept = {JSON_NAME, MARKDOWN_NAME, TEMPORARY_NAME}.intersection(directory.list_names())
        if not kept:
            return True
        with ExitStack() as held:
            with suppress(IndexLocked):  # for longer than writing takes: its owner is stopped, and no reason
                held.enter_context(_locked(directory))
            directory.delete(TEMPORARY_NAME)
            quoted = _read_quoted(directory)
            if quoted is None or not all(may_stay(path, fingerprint) for path, fingerprint in quoted):
                for name in (MARKDOWN_NAME, JSON_NAME):
                    directory.delete(name)
    except (FileNotFoundError, NotADirectoryError):  # there is no data directory now
        return True
    except (OSError, IndexFormatError):
        return False
    return True


def _read_quoted(directory: DiskDirectory) -> set[tuple[str, str]] | None:
    """Return the paths and fingerprints of the files that the kept bundle quotes; None when that is unclear.

    A path with characters that are escaped stays escaped, so its bundle is never accepted.
    """
    try:
        document = json.loads(_read_kept(directory, JSON_NAME))
        page = _read_kept(directory, MARKDOWN_NAME)
        if document["bundle_id"].encode() not in page:  # a process was killed between the two
            return None
        pairs = zip(document["selections"], document["citations"], strict=True)
        quoted = {(str(one["path"]), str(citation["fingerprint"])) for one, citation in pairs}
        "".join(path for path, _ in quoted).encode()  # refuses what no path can be
        return quoted
    except (OSError, IndexFormatError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return None


def _read_kept(directory: DiskDirectory, name: str) -> bytes:
    """Return the bytes of a kept file. Raises OSError, IndexFormatError, ValueError when it is too large."""
    file = directory.open(name)
    try:
        if file.size > MAX_KEPT_BYTES:
            raise ValueError(name)
        return file.read(0, file.size)
    finally:
        file.close()
