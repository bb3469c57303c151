"""If it is asked what happens, a function leads that makes a guessed error and is named by the question."""

from __future__ import annotations

from tests.repo_mcp.research.asking import Asked, list_found

KILN = '''class FiringTimeout(Exception):
    """A firing of the kiln took too long."""


class KilnFiring:
    def invoke_firing(self, kiln):
        """Invoke the firing of a kiln, longer for a batch of clay."""
        if kiln.invoke_firing(self.batch):
            return kiln.wait(longer=True)
        return kiln.cool()

    def list_longer(self, kiln):
        """List what takes longer in a firing of the kiln."""
        return [one for one in kiln.batches if one.takes_longer]

    def fire_with_limit(self, oven):
        result = self.start(oven)
        if result.seconds > self.limit:
            raise FiringTimeout(oven)
        return result
'''


def test_what_makes_a_guessed_error_leads_if_the_question_names_it() -> None:
    asked = Asked({"kiln.py": KILN})
    guesses = "(FiringTimeout, invoke_firing)"
    found = list_found(asked.ask(f"What happens when a kiln fires longer than its limit? {guesses}"))
    assert found[0] == "kiln.KilnFiring.fire_with_limit"
    found = list_found(asked.ask(f"How does a kiln fire longer than its limit? {guesses}"))
    assert found[0] != "kiln.KilnFiring.fire_with_limit"
