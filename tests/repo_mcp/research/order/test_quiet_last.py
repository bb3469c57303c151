"""How something is done is told by what does it, not by what is only declared."""

from __future__ import annotations

import pytest

from tests.repo_mcp.research.asking import Asked, list_found

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


def make_class(name: str, member: str) -> str:
    """Return a class with a member that is too long to be taken whole."""
    rest = "".join(
        f"\n    def weigh_{number}(self):\n        return self.scales[{number}] + {number}\n"
        for number in range(20)
    )
    return f"class {name}:\n{member}{rest}"


FILTER = Asked(
    {
        "depot/filter.py": make_class(
            "ParcelFilter",
            "    def log_filtered(self, parcel):\n"
            '        """Log a parcel that was already seen and is filtered out."""\n'
            '        logger.debug("filtered out a seen parcel: %s", parcel)\n'
            '        self.stats.count("filtered")\n\n'
            "    def parcel_seen(self, parcel):\n        key = parcel.key()\n"
            "        if key in self.seen:\n            return True\n        self.seen.add(key)\n"
            "        return False\n",
        ),
    }
)
ROUTES = Asked(
    {
        "depot/route.py": make_class(
            "Route",
            "    def __init__(self, path, match, routes):\n        if path is None:\n"
            "            raise ValueError(path)\n        self.path = path\n        self.match = match\n"
            "        self.routes = routes\n",
        ),
        "depot/resolver.py": (
            "def resolve(routes):\n    for match in routes:\n        if match.path:\n"
            "            return match\n    return None\n"
        ),
    }
)
GETTER = Asked(
    {
        "depot/answer.py": make_class(
            "Answer",
            "    @property\n    def retries(self):\n"
            '        """The retries."""\n        return self._retries\n',
        ),
        "depot/again.py": (
            "def increment(retries):\n    total = retries - 1\n    if total < 0:\n"
            "        raise TooMany(retries)\n    return total\n"
        ),
    }
)


@pytest.mark.parametrize(
    ("asked", "question", "doing", "quiet"),
    [
        (FILTER, "How are already seen parcels filtered out?", "parcel_seen", "log_filtered"),
        (ROUTES, "How is a route chosen when several routes match a path?", "resolve", "__init__"),
        (GETTER, "How are retries handled?", "increment", "retries"),
    ],
)
def test_what_logs_sets_fields_or_gives_one_comes_later(
    asked: Asked, question: str, doing: str, quiet: str
) -> None:
    names = [name.rpartition(".")[2] for name in list_found(asked.ask(question))]
    assert names.index(doing) < names.index(quiet)
