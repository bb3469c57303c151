"""Turn the hits of a search for words into findings. Pure."""

from __future__ import annotations

from repo_mcp.model import Hit
from repo_mcp.research.findings.reasons import Reason
from repo_mcp.research.findings.records import Finding


def build_hit_address(hit: Hit, why: str, hop: int) -> Finding:
    """Return a hit of a word search as a finding that spans the lines of its snippet."""
    numbers = [int(line.partition("\t")[0]) for line in split_snippet(hit)]
    start, end = (numbers[0], numbers[-1]) if numbers else (hit.start_line, hit.start_line)
    terms = ", ".join(hit.matched_terms[:6])
    best = choose_line(hit)
    reason = Reason(f"{why}: {terms}")
    return Finding(hit.path, start, end, hit.path, "text", None, reason, hop, "text", (best,))


def split_snippet(hit: Hit) -> list[str]:
    """Return the numbered lines of a snippet. Form feeds and Unicode separators do not end a line."""
    return hit.snippet.removesuffix("\n").split("\n") if hit.snippet else []


def choose_line(hit: Hit) -> int:
    """Return the number of the snippet line that holds the most matched terms."""
    best, most = hit.start_line, -1
    for row in split_snippet(hit):
        number, _, text = row.partition("\t")
        folded = text.lower()
        count = sum(term in folded for term in hit.matched_terms)
        if count > most:
            best, most = int(number), count
    return best
