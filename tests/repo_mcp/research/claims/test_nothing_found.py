"""Claims where nothing was found: what was looked through is said, and how much of it."""

from __future__ import annotations

from tests.repo_mcp.research.asking import Asked

MOST_READ = 500  # references of a function


def test_a_folder_in_which_nothing_fits_is_named() -> None:
    asked = Asked({"post/send.py": "def send_parcel():\n    return 1\n", "bank/pay.py": "def pay(): ...\n"})
    assert asked.ask("how is a parcel sent?", folder="bank").claim == (
        "Nothing in bank fits the words of the question."
    )
    assert "send_parcel" in asked.ask("how is a parcel sent?", folder="post").claim
    assert asked.ask("?").claim == ""


def test_of_a_long_function_it_is_said_that_not_all_was_read() -> None:
    calls = "".join(f"    outside.call_{number}()\n" for number in range(3 * MOST_READ))
    claim = (
        Asked({"run.py": f"import outside\n\n\ndef run_all():\n{calls}"}).ask("what does run_all call?").claim
    )
    assert claim.startswith(
        "In what was read of it, nothing that the repository declares is known to be called by"
    )


def test_where_there_is_no_code_that_is_said() -> None:
    assert Asked({"README.md": "# Parcels\n"}).ask("the architecture").claim == (
        "The repository has no code that a parser reads."
    )
