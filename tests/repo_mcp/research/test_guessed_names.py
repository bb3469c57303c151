"""Questions in everyday words, with the names that the code may use: `(restore_state, load)`."""

from __future__ import annotations

from repo_mcp.research.findings.records import Form, TakenAs
from tests.repo_mcp.research.asking import Asked, list_found

DEPOT = """def restore_state(depot, folder):
    if not folder.exists():
        return None
    return load_parcels(depot, folder)


def load_parcels(depot, folder):
    for parcel in folder.files():
        if parcel.is_sealed:
            depot.parcels.append(parcel)
    return depot.parcels


def turn_conveyor(depot, speed):
    if speed > depot.limit:
        raise TooFast(speed)
    depot.conveyor.turn(speed)


def open_depot(depot, folder):
    return restore_state(depot, folder)
"""
OTHERS = {
    f"other_{number}.py": f"def other_{number}(value):\n    return value + {number}\n" for number in range(12)
}
EVERYDAY = "How does it carry on after someone turns it off and on?"
ASKED = Asked({"depot.py": DEPOT, **OTHERS})


def test_a_guessed_name_leads_to_what_everyday_words_do_not() -> None:
    bare, helped = ASKED.ask(EVERYDAY), ASKED.ask(f"{EVERYDAY} (restore_state, resume)")
    assert "restore_state" not in bare.claim
    assert helped.claim == (
        "depot.restore_state (depot.py:1-4) comes closest. It calls depot.load_parcels (depot.py:7-11)."
    )


def test_what_calls_the_closest_is_told_if_its_name_has_to_do_with_the_question() -> None:
    claim = ASKED.ask("How does it carry on after a depot was left open? (restore_state)").claim
    assert "depot.open_depot (depot.py:20-21) calls it." in claim


def test_what_has_the_words_of_a_question_beside_a_guess_fits_the_question() -> None:
    claim = ASKED.ask("How is the conveyor turned? (turn_conveyor)").claim
    assert claim.startswith("depot.turn_conveyor (depot.py:14-17) fits the question best.")


def test_a_guess_that_the_best_lacks_is_no_word_of_the_question() -> None:
    claim = ASKED.ask("How is the speed of the conveyor limited when it is turned? (exists)").claim
    assert claim.startswith("depot.turn_conveyor (depot.py:14-17) fits the question best.")


def test_only_what_has_a_guess_fits_by_the_guesses() -> None:
    claim = ASKED.ask("How is the conveyor turned? (exists)").claim
    assert claim.startswith("depot.restore_state (depot.py:1-4) comes closest. It calls ")
    assert claim.endswith("See also depot.turn_conveyor (depot.py:14-17).")


def test_a_call_of_an_interface_runs_what_implements_it() -> None:
    files = {
        "loop/loop.go": "package loop\n\ntype writer interface {\n\tmark(n int) int\n}\n\n"
        "type loop struct {\n\tout writer\n}\n\nfunc (l *loop) endOfRun(n int) int {\n"
        "\tw := l.out\n\tif n > 1 {\n\t\treturn w.mark(n)\n\t}\n\treturn n\n}\n\n"
        "type fileWriter struct{}\n\nfunc (f *fileWriter) mark(n int) int {\n\tn = n + 1\n\treturn n\n}\n",
    }
    claim = Asked(files).ask("what does it do once somebody leaves for good? (endOfRun, mark)").claim
    assert claim.startswith("loop.endOfRun (loop/loop.go:11-17) comes closest. It calls fileWriter.mark")


def test_stop_words_in_brackets_are_no_names() -> None:
    asked = "How do conveyors eat the penguins of the depot?"
    assert ASKED.ask(f"{asked} (the, of)").claim == ASKED.ask(asked).claim


def test_a_file_is_no_subject_that_a_question_describes() -> None:
    report = ASKED.ask("Who calls the thing that brings penguins back? (depot.py)")
    assert report.reading.form is Form.OPEN


def test_words_that_no_file_has_are_not_told_when_a_guess_is_right() -> None:
    asked = "How does the conveyor carry on after someone turns it off?"
    assert "No file here has the word carry" in ASKED.ask(asked).claim
    helped = ASKED.ask(f"{asked} (turn_conveyor, resume)")
    assert "No file here has" not in helped.claim
    assert "lacks" not in helped.claim
    assert not helped.warnings


def test_guesses_that_no_file_has_change_nothing() -> None:
    bare, guessed = ASKED.ask(EVERYDAY), ASKED.ask(f"{EVERYDAY} (rehydrate, revive)")
    assert guessed.claim == bare.claim
    assert guessed.findings == bare.findings


def test_a_described_subject_is_the_guessed_name_that_exists() -> None:
    report = ASKED.ask("Who calls the thing that brings parcels back? (revive, load_parcels)")
    assert report.reading.form is Form.CALLERS
    assert [subject.asked for subject in report.reading.subjects] == ["load_parcels"]
    assert "is called by depot.restore_state" in report.claim


def test_the_name_that_a_question_has_itself_comes_before_guesses() -> None:
    report = ASKED.ask("Who calls the function restore_state? (load_parcels)")
    assert [subject.asked for subject in report.reading.subjects] == ["restore_state"]


def test_a_name_that_nothing_declares_is_not_replaced_by_a_guess() -> None:
    for question in ("Who calls restore_everything()?", "What breaks if I change Depot.restoreEverything?"):
        report = ASKED.ask(f"{question} (load_parcels)")
        assert [subject.taken_as for subject in report.reading.subjects] == [TakenAs.UNDECLARED]


def test_both_halves_of_a_question_are_helped_by_the_names() -> None:
    asked = "How does it carry on after a pause, and how is the belt made to go around?"
    report = ASKED.ask(f"{asked} (load_parcels, turn_conveyor)")
    assert {"load_parcels", "turn_conveyor"} <= {one.symbol.rpartition(".")[2] for one in report.findings}


def test_without_guesses_an_uncertain_answer_says_how_to_give_them() -> None:
    (hint,) = [one for one in ASKED.ask(EVERYDAY).warnings if "in brackets" in one]
    assert hint.endswith("(retry, backoff).")
    assert not [one for one in ASKED.ask("How is the conveyor turned?").warnings if "in brackets" in one]


def test_words_that_nothing_has_are_told_if_nothing_is_found() -> None:
    for asked in ("How many penguins may be eaten?", "How many penguins may be eaten? (revive)"):
        claim = ASKED.ask(asked).claim
        assert claim == "This repository may have no answer: no file has the words penguins and eaten."


def test_a_long_phrase_does_not_mean_one_of_its_words() -> None:
    asked = Asked(
        {"depot.py": DEPOT, "folder.py": "class Depot:\n    def folder(self):\n        return self.home\n"}
    )
    question = "Where is the cap on how big an incoming folder's load of parcels may be set?"
    (subject,) = asked.ask(f"{question} (limit)").reading.subjects
    assert subject.asked == "limit"


def test_a_long_question_is_not_about_what_a_guess_declares() -> None:
    asked = "What is the difference between turning the conveyor on and loading parcels of a folder?"
    report = ASKED.ask(f"{asked} (restore_state, turn_conveyor)")
    assert report.reading.form is not Form.DEFINED
    assert {"depot.restore_state", "depot.turn_conveyor"} <= set(list_found(report))


def test_a_long_side_of_a_choice_is_not_the_one_name_in_it() -> None:
    texts = {"window.py": "def ipc(options):\n    return options\n\n\ndef config():\n    return ipc(None)\n"}
    asked = "Which wins after a reload, run-time options set by IPC or the config file?"
    assert Asked(texts).ask(asked).reading.form is Form.OPEN


def test_what_happens_is_no_question_for_the_callers_of_a_guess() -> None:
    texts = {
        "relay.py": "class Relay:\n    pass\n\n\ndef forward(parcel):\n    try:\n        deliver(parcel)\n"
        "    except Lost:\n        retry(parcel)\n\n\ndef retry(parcel):\n    forward(parcel)\n\n\n"
        "def make_relay():\n    return Relay()\n"
    }
    asked = Asked(texts)
    report = asked.ask("What happens when sending a parcel to a depot fails? (Relay, forward, retry)")
    assert report.reading.form is Form.OPEN
    assert asked.ask("What happens when Relay fails?").reading.form is Form.CALLERS


def test_what_happens_somewhere_is_no_question_for_what_a_guess_calls() -> None:
    asked = Asked({"depot.py": DEPOT})
    reading = asked.ask(
        "What happens in the depot when somebody turns it off and on? (restore_state)"
    ).reading
    assert reading.form is Form.OPEN
    assert asked.ask("What happens in restore_state?").reading.form is Form.CALLEES


def test_a_guessed_name_that_says_what_is_configured_stands_before_others() -> None:
    texts = {
        "crew.py": "class Crew:\n    def __init__(self):\n        self.dock_workers = 4\n",
        "docs/crew.md": "Set HARBOR_DOCK_WORKERS to change it.\n",
    }
    question = "Where is the number of dock workers configured? (HARBOR_DOCK_WORKERS, dock_workers, count)"
    report = Asked(texts).ask(question)
    assert [one.asked for one in report.reading.subjects] == ["dock_workers"]


def test_a_method_does_not_call_the_one_that_overrides_it() -> None:
    texts = {
        "watch.h": """#pragma once
struct Watch {
  virtual void forget_loop(int loop) {
    // forgets nothing
  }
};
struct HangWatch : public Watch {
  void forget_loop(int loop) override;
};
""",
        "hang.cpp": """#include "watch.h"
void HangWatch::forget_loop(int loop) {
  if (stalled_.contains(loop)) {
    stalled_.erase(loop);
  }
}
""",
        **OTHERS,
    }
    claim = Asked(texts).ask("How does it notice that everything stands still? (forget_loop, stalled)").claim
    assert claim.startswith("HangWatch.forget_loop (hang.cpp:2-6) comes closest.")
