"""Render a bundle as plain JSON values: whole for `--json` and `last_bundle.json`, in parts for answers."""

from __future__ import annotations

import json
from dataclasses import asdict

from repo_mcp.bundler.records import Bundle, BundleAudit, Dropped, FoundChunk, Selection
from repo_mcp.text.lines import escape_text

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
        "totals": asdict(bundle.totals),
        "budget": asdict(bundle.budget),
        "audit": render_audit(bundle.audit),
    }


def render_json(bundle: Bundle) -> str:
    """Render the whole bundle with its prompt, for `last_bundle.json`."""
    document = build_document(bundle) | {"prompt": bundle.prompt, "warnings": list(bundle.warnings)}
    return json.dumps(document, indent=2) + "\n"


def render_selection(one: Selection) -> Document:
    """Return one excerpt with all its fields except the fingerprint of its file."""
    return {
        "path": escape_text(one.path),
        "start_line": one.start_line,
        "end_line": one.end_line,
        "symbol": None if one.symbol is None else escape_text(one.symbol),
        "rationale": escape_text(one.rationale),
        "score": int(one.score) if one.score.is_integer() else one.score,
        "matched_terms": [escape_text(term) for term in one.matched_terms[:MAX_TERMS]],
        "citation": escape_text(one.citation),
        "content": one.content,
    }


def render_audit(audit: BundleAudit) -> Document:
    """Return the audit: what was understood, searched, considered and left out."""
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
