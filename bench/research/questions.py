"""Real questions about real repositories, to be read beside their source."""

from __future__ import annotations

from dataclasses import dataclass

from repo_mcp.research.findings.records import Focus


@dataclass(frozen=True, slots=True)
class Question:
    """One question about one tree."""

    tree: str  # folder, with or without a version behind it
    text: str
    depth: int | None = None
    focus: Focus | None = None
    folder: str = ""


QUESTIONS = (
    Question("fastapi", "what calls get_dependant()", 3),
    Question("fastapi", "all subclasses of SecurityBase"),
    Question("fastapi", "how are request bodies validated"),
    Question("celery", "how does Task.delay reach Celery.send_task", 3),
    Question("celery", "where is worker_prefetch_multiplier configured"),
    Question("celery", "all implementations of BaseLoader"),
    Question("celery", "architecture of celery", None, Focus.ARCHITECTURE, "celery"),
    Question("networkx", "what calls _dijkstra_multisource", 3),
    Question("networkx", "repeated shapes of the algorithms", None, Focus.PATTERNS, "networkx/algorithms"),
    Question("sphinx", "how does Sphinx.build reach StandaloneHTMLBuilder.write_doc"),
    Question("django", "where is CONN_MAX_AGE configured"),
    Question("hono", "what calls compose()", 3),
    Question("hono", "all implementations of Router"),
    Question("hono", "how does app.request reach compose", 3),
    Question("hono", "how are routes matched"),
    Question("zod", "what calls processCreateParams", 2),
    Question("zod", "what does packages/zod/src/v4/core/parse.ts depend on"),
    Question("zod", "architecture of this library", None, Focus.ARCHITECTURE),
    Question("trpc", "what calls callTRPCProcedure", 3),
    Question("trpc", "how does nodeHTTPRequestHandler reach callTRPCProcedure", 3),
    Question("trpc", "how does createHTTPHandler reach resolveResponse", 3),
    Question("vitest", "where is testTimeout configured"),
)
