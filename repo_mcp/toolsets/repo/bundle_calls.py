"""The call of `repo.build_context_bundle`: how much of a bundle one answer can carry.

Where the client sets no limit of tokens, one is set so that the answer passes whole: what every client takes
when no budget is given at all, the server's limit of bytes otherwise. So the bundle is built to fit, the best
window of each file first, instead of losing its last files. What still does not fit loses excerpts from the
end, with a warning.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from repo_mcp.bundler.limits import CHARS_PER_TOKEN, DEFAULT_STRATEGY, MAX_BUNDLE_TOKENS
from repo_mcp.protocol.tool_model import HIDING, CallContext
from repo_mcp.toolsets.answers import ORDINARY_CHARS, Draft, Part
from repo_mcp.toolsets.arguments import Arguments, find_integer, find_text

if TYPE_CHECKING:
    from repo_mcp.bundler.records import Bundle
    from repo_mcp.repository import Repository

# What an answer holds besides the text of excerpts: the audit; rationales, citations and JSON's escapes.
AUDIT_CHARS = 5_000
CHARS_PER_CONTENT_CHAR = 1.3


def build_context_bundle(repository: Repository, arguments: Arguments, context: CallContext) -> Draft:
    """Answer `repo.build_context_bundle`."""
    from repo_mcp.bundler.records import BundleRequest  # here: tools are listed before any is called

    given = arguments.get("budget")
    budget: Mapping[str, object] = given if isinstance(given, Mapping) else {}
    most = repository.config.limits.max_total_bytes_per_response
    request = BundleRequest(
        prompt=find_text(arguments, "prompt") or "",
        max_files=find_integer(budget, "max_files"),
        max_total_lines=find_integer(budget, "max_total_lines"),
        max_tokens=find_integer(budget, "max_tokens")
        or _count_fitting_tokens(most if budget else min(ORDINARY_CHARS, most)),
        strategy=find_text(arguments, "strategy") or DEFAULT_STRATEGY,
        include_tests=arguments.get("include_tests") is not False,
    )
    bundle = repository.bundle(request)
    return Draft(lambda rows: _render(bundle, rows), len(bundle.selections), not budget)


def _count_fitting_tokens(chars: int) -> int:
    contents = max(chars / 4, chars - AUDIT_CHARS) / CHARS_PER_CONTENT_CHAR
    return min(MAX_BUNDLE_TOKENS, max(1, int(contents) // CHARS_PER_TOKEN))


def _render(bundle: Bundle, rows: int) -> Part:
    from repo_mcp.bundler.document import build_document

    warnings = list(bundle.warnings)
    if rows < len(bundle.selections):
        warnings.append(
            f"cut to {rows} of {len(bundle.selections)} excerpts to keep the answer short;"
            " ask for less in budget"
        )
    hiding = [one.citation for one in bundle.selections[:rows] if HIDING.search(one.content)]
    if hiding:
        warnings.append(f"control or bidirectional characters that may hide text: {', '.join(hiding)}")
    if not bundle.selections:
        warnings.append("nothing matches the prompt; audit says what was tried")
    return Part(build_document(bundle, rows), warnings)
