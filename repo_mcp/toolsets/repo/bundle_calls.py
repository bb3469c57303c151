"""The call of `repo.build_context_bundle`: which parts of a bundle an answer contains, and how much fits.

An answer is mostly code: each excerpt once, with its place, one citation and one reason. Keywords and counts
say how the bundle was found; `audit` asks for all details, which the kept files always have. The excerpts are
the same either way.

Tokens are limited so that the answer passes whole: to what every client takes when no budget is given at all,
to the server's limit of bytes otherwise, whatever the client asks for. So the bundle is built to fit, the
best declarations first, instead of losing its last files. What still does not fit loses excerpts from the
end, with a warning.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

from repo_mcp.bundler.limits import CHARS_PER_TOKEN, DEFAULT_STRATEGY, MAX_BUNDLE_TOKENS, NOTHING_FITS
from repo_mcp.protocol.tool_model import CallContext
from repo_mcp.record_classes import replace
from repo_mcp.text.lines import HIDING, escape_text
from repo_mcp.toolsets.answers import Arguments, Draft, Part, Result, find_integer, find_text, plain_number
from repo_mcp.toolsets.shown_text import MAY_HIDE, ORDINARY_CHARS

if TYPE_CHECKING:
    from repo_mcp.bundler.records import Bundle, Keyword, Selection
    from repo_mcp.repository import Repository

# What an answer holds besides the text of excerpts: the whole audit, also where it is not asked for, so that
# the excerpts are the same; rationales, citations and JSON's escapes.
AUDIT_CHARS = 4_000
CHARS_PER_CONTENT_CHAR = 1.25
MAX_KEYWORDS = 10  # said without the whole audit
SHOWN_DECIMALS = 3  # of a score, without the whole audit


def build_context_bundle(repository: Repository, arguments: Arguments, context: CallContext) -> Draft:
    """Answer `repo.build_context_bundle`."""
    from repo_mcp.bundler.records import BundleRequest  # here: tools are listed before any is called

    given = arguments.get("budget")
    budget: Mapping[str, object] = given if isinstance(given, Mapping) else {}
    most = repository.config.limits.max_total_bytes_per_response
    fitting = _count_fitting_tokens(most if budget else min(ORDINARY_CHARS, most))
    wanted = find_integer(budget, "max_tokens") or fitting
    request = BundleRequest(
        prompt=find_text(arguments, "prompt") or "",
        max_files=find_integer(budget, "max_files"),
        max_total_lines=find_integer(budget, "max_total_lines"),
        max_tokens=min(wanted, fitting),
        strategy=find_text(arguments, "strategy") or DEFAULT_STRATEGY,
        include_tests=arguments.get("include_tests") is not False,
    )
    bundle = repository.engines.bundles.build(request)
    if wanted > fitting:
        said = f"budget.max_tokens is above what one answer holds: {fitting:,} is used."
        bundle = replace(bundle, warnings=(*bundle.warnings, said))
    whole_audit = arguments.get("audit") is True
    return Draft(
        lambda rows: _render(bundle, rows, whole_audit=whole_audit), len(bundle.selections), not budget
    )


def _count_fitting_tokens(chars: int) -> int:
    contents = max(chars / 4, chars - AUDIT_CHARS) / CHARS_PER_CONTENT_CHAR
    return min(MAX_BUNDLE_TOKENS, max(1, int(contents) // CHARS_PER_TOKEN))


def _render(bundle: Bundle, rows: int, *, whole_audit: bool) -> Part:
    shown = bundle.selections[:rows]
    warnings = list(bundle.warnings)
    if rows < len(bundle.selections):
        warnings.append(
            f"The answer was cut to {rows} of {len(bundle.selections)} excerpts to keep it short;"
            " ask for less in budget."
        )
    hiding = [one.citation for one in shown if HIDING.search(one.content)]
    if hiding:
        warnings.append(f"{MAY_HIDE}: {', '.join(hiding)}.")
    if not bundle.selections and NOTHING_FITS not in bundle.warnings:
        warnings.append("Nothing matches the prompt; audit: true says what was tried.")
    return Part(_build_result(bundle, shown, whole_audit=whole_audit), warnings)


def _build_result(bundle: Bundle, shown: Sequence[Selection], *, whole_audit: bool) -> Result:
    """Return the excerpts `shown`, and the audit as keywords and counts, or whole."""
    from repo_mcp.bundler.document import render_audit, render_selection
    from repo_mcp.bundler.records import count_totals

    rows = [render_selection(one) for one in shown]
    audit: Result = {"considered": bundle.audit.considered, "dropped_total": bundle.audit.dropped_total}
    if whole_audit:
        prints = {escape_text(one.path): one.fingerprint for one in shown}
        audit = {**render_audit(bundle.audit), "budget": asdict(bundle.budget), "fingerprints": prints}
    else:
        for row, one in zip(rows, shown, strict=True):
            row["rationale"] = escape_text(one.evidence[0])
            row["score"] = plain_number(round(one.score, SHOWN_DECIMALS))
            del row["matched_terms"]
    keywords = bundle.audit.keywords if whole_audit else bundle.audit.keywords[:MAX_KEYWORDS]
    return {
        "selections": rows,
        "totals": asdict(count_totals(shown)),
        "audit": {**audit, "keywords": _group(keywords)},
        "strategy": bundle.strategy,
        "bundle_id": bundle.bundle_id,
        "prompt_fingerprint": bundle.prompt_fingerprint,
    }


def _group(keywords: Iterable[Keyword]) -> dict[str, list[str]]:
    """Return the texts of keywords by their kind, both in the order given."""
    grouped: dict[str, list[str]] = {}
    for one in keywords:
        grouped.setdefault(one.kind.value, []).append(escape_text(one.text))
    return grouped
