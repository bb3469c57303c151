"""How something is done is told by what does it, not by what is only declared."""

from __future__ import annotations

from tests.repo_mcp.research.asking import Asked

MIDDLEWARE = Asked(
    {
        "src/root.ts": (
            "export interface Root {\n  /** Makes middleware of a middleware function. */\n"
            "  middleware: <C>(\n    fn: MiddlewareFunction<C>,\n  ) => MiddlewareBuilder<C>;\n}\n"
            "export interface MiddlewareBuilder<C> {\n  runMiddleware(\n    fn: MiddlewareFunction<C>,\n"
            "  ): MiddlewareBuilder<C>;\n}\n"
            "export type MiddlewareFunction<C> = (middleware: C) => void;\n"
        ),
        "src/call.ts": (
            "// Runs each of them, then what answers.\n"
            "export async function callNext(index: number, def: Def) {\n"
            "  const middleware = def.middlewares[index];\n  if (!middleware) return undefined;\n"
            "  return middleware.run({ next: () => callNext(index + 1, def) });\n}\n"
        ),
    }
)
CHECKS = Asked(
    {
        "depot/checks.py": (
            'TAMPERING = Warning(\n    "The seal that protects parcels against tampering is missing.",\n'
            '    hint="Protect the parcels.",\n)\n'
        ),
        "depot/seal.py": (
            'class Seal:\n    """Protect parcels against tampering."""\n\n    def close(self, parcel):\n'
            '        if parcel.open:\n            parcel.mark("sealed")\n        return parcel\n'
        ),
        "depot/hooks.py": (
            "SEALS = {\n    'wax': lambda parcel: parcel.drip('wax'),\n"
            "    'tape': lambda parcel: parcel.wind(),\n}\n"
        ),
    }
)


def test_a_function_leads_where_the_best_ones_are_members_of_interfaces() -> None:
    assert MIDDLEWARE.ask("How does middleware run?").findings[0].symbol == "callNext"


def test_a_text_does_not_lead_before_what_it_is_about() -> None:
    found = CHECKS.ask("How are parcels protected against tampering?").findings
    assert found[0].path == "depot/seal.py"


def test_a_table_of_functions_may_lead() -> None:
    assert CHECKS.ask("How are seals of wax and tape put on?").findings[0].path == "depot/hooks.py"
