"""Where functions with capital letters make errors, these are raised as those of types are."""

from __future__ import annotations

from repo_mcp.research.findings.records import Form
from tests.repo_mcp.research.asking import Asked, list_found

USERS = "".join(
    f"export function send{at}(user) {{\n  if (!user) {{\n    throw LockedError();\n  }}\n}}\n"
    for at in range(9)
)
TEXTS = {
    "app/errors.ts": "// Thrown when a user is not admitted.\nexport class LockedError extends Error {}\n",
    "server/errors.ts": """export function LockedError(message = "You are not admitted to the gate") {
  return httpErrors(403, message, { id: "locked" });
}
""",
    "server/gate.ts": """import { LockedError } from "./errors";

export class Gate {
  admit(user, gate) {
    if (this.cannot(user, gate)) {
      throw LockedError("Gate is shut");
    }
  }
}
""",
    "server/senders.ts": f'import {{ LockedError }} from "./errors";\n{USERS}',
}


def test_an_error_that_a_function_makes_is_raised_where_it_is_thrown() -> None:
    report = Asked({name: TEXTS[name] for name in ("server/errors.ts", "server/gate.ts")}).ask(
        "when is LockedError raised while a gate is opened?"
    )
    assert report.reading.form is Form.RAISED
    assert "is raised by Gate.admit (server/gate.ts:6, `if (this.cannot(user, gate))`)." in report.claim


def test_of_many_functions_that_raise_a_named_error_the_one_with_a_guessed_name_leads() -> None:
    report = Asked(TEXTS).ask("which errors are raised when a user is not admitted? (LockedError, admit)")
    assert report.claim.startswith(
        'Errors that arise in Gate.admit (server/gate.ts:4-8): LockedError "Gate is shut" (:6).'
    )
    assert list_found(report)[0] == "Gate.admit"
