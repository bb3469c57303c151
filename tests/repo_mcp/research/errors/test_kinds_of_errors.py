"""Of the errors of what a question names, those of the kind that it asks for lead."""

from __future__ import annotations

from tests.repo_mcp.research.asking import Asked

CALLS = """class FeverError(Exception):
    pass


class OvenError(Exception):
    pass


def bake(dough):
    if dough is None:
        raise OvenError("no dough")
    return dough


def check_fever(oven):
    if oven.fever > 40:
        raise FeverError("the fever of the bake is too high")
    return oven
"""


def test_a_kind_of_errors_leads_past_the_function_of_the_name() -> None:
    asked = Asked({"oven.py": CALLS})
    assert "OvenError" in asked.ask("which errors can bake raise?").claim
    assert asked.ask("which fever errors can bake raise?").claim.startswith(
        "Errors that arise in oven.check_fever (oven.py:15-18):"
        ' FeverError "the fever of the bake is too high" (:17).'
    )
