"""What led one part of a question leaves the lead in the next to what is named for that."""

from __future__ import annotations

from tests.repo_mcp.research.asking import Asked

DEPOT = '''def send_parcel(parcel, depot):
    """Send a parcel to the depot, whose invalid label or broken seal is handled there."""
    connection = connect_depot(depot)
    if parcel.label.invalid or parcel.seal.broken:
        connection.log("invalid label or broken seal of a parcel")
    label = parcel.label
    seal = parcel.seal
    connection.write(label)
    connection.write(seal)
    connection.write(parcel)
    return connection.read()


def handle_invalid_label(parcel):
    parcel.close()
    return None


def connect_depot(depot):
    return depot.open()
'''
QUESTION = "How does the sender send a parcel to the depot, and how does the depot handle an invalid label?"


def test_what_led_one_part_does_not_lead_the_next_beside_what_is_named_for_it() -> None:
    first, second = Asked({"depot.py": DEPOT}).ask(QUESTION).parts
    assert "depot.send_parcel (depot.py:1-11)" in first.claim
    assert (
        "invalid label? depot.handle_invalid_label (depot.py:14-16) fits the question best." in second.claim
    )


def test_it_does_lead_if_nothing_else_is_named_for_it() -> None:
    text = DEPOT.replace("handle_invalid_label", "close_parcel")
    _, second = Asked({"depot.py": text}).ask(QUESTION).parts
    assert "invalid label? depot.send_parcel (depot.py:1-11)" in second.claim


def test_two_that_are_named_for_it_fit_equally_well() -> None:
    text = DEPOT + "\n\ndef log_invalid_label(parcel):\n    parcel.log.write(parcel.label)\n    return None\n"
    _, second = Asked({"depot.py": text}).ask(QUESTION).parts
    told = second.claim.partition("? ")[2].partition(". ")[0]
    assert "depot.handle_invalid_label" in told
    assert "depot.log_invalid_label" in told
    assert told.endswith(" fit the question about equally well.")
