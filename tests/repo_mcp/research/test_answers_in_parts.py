"""A question of several parts: each has its sentence, its findings and its share of the room."""

from __future__ import annotations

from typing import Any

from repo_mcp.research.claims.parts_claim import leave_out_told
from repo_mcp.research.findings.records import Form, Report
from repo_mcp.toolsets.research.report_record import cut_report
from repo_mcp.toolsets.research.research_text import render_report
from tests.repo_mcp.research.asking import Asked, list_found

STEPS = "".join(
    f"    if row.side_{number} > {number}:\n        row.turn_over({number})\n" for number in range(60)
)
PARCELS = {
    "store.py": "class ParcelStore:\n    def save_parcel(self, parcel):\n        if parcel.is_empty():\n"
    "            return None\n        self.rows[parcel.key] = encode(parcel)\n        return parcel.key\n\n"
    "    def load_parcel(self, key):\n        return decode(self.rows[key])\n",
    "sweeper.py": "from store import ParcelStore\n\n\ndef forget_old_parcels(store: ParcelStore, now):\n"
    "    for key, row in list(store.rows.items()):\n        if now - row.seen > MAX_AGE:\n"
    '            del store.rows[key]\n            log("forgotten", key)\n\n\n'
    "def main():\n    forget_old_parcels(ParcelStore(), 3)\n",
    "work.py": "from store import ParcelStore\n\n\ndef deliver(store: ParcelStore, parcel):\n"
    "    return store.save_parcel(parcel)\n",
    "retry.py": "def run_job(job, row):\n    if job.fails:\n        limit_tries(job)\n"
    f"{STEPS}    if job.tries > MOST_TRIES:\n        raise GaveUp(job)\n    return job\n",
}
BOTH = "Who calls save_parcel, and when is an old one forgotten?"


def ask(query: str) -> Report:
    return Asked(PARCELS).ask(query)


def cut(report: Report, rows: int = 40) -> dict[str, Any]:
    return dict(cut_report(report, rows).result)


def test_each_part_has_its_sentence_and_its_findings() -> None:
    report = ask(BOTH)
    first, second = report.claim.split(" When is an old one forgotten? ")
    assert first.startswith("Who calls save_parcel? ParcelStore.save_parcel (store.py:2-6) is called by")
    assert second.startswith("sweeper.forget_old_parcels (sweeper.py:4-8) fits the question best.")
    own, other = report.parts
    assert list_found(own)[0] == "store.ParcelStore.save_parcel"
    assert list_found(other)[0] == "sweeper.forget_old_parcels"
    assert report.reading.text == "several questions, each answered by itself"


def test_two_questions_that_only_have_words_are_answered_as_one() -> None:
    report = ask("How is a parcel saved, and when is it forgotten?")
    assert not report.parts
    assert {"store.ParcelStore.save_parcel", "sweeper.forget_old_parcels"} <= set(list_found(report))


def test_rows_are_shared_by_the_parts_and_say_which_they_answer() -> None:
    report = ask(BOTH)
    result = cut(report, 2)
    assert [(one["part"], one["symbol"]) for one in result["findings"]] == [
        (1, "ParcelStore.save_parcel"),
        (2, "sweeper.forget_old_parcels"),
    ]
    assert result["understood_as"]["parts"] == ["Who calls save_parcel?", "When is an old one forgotten?"]
    page = render_report(BOTH, result)
    assert page.index("### Who calls save_parcel?") < page.index("### When is an old one forgotten?")


def test_a_question_of_one_part_says_nothing_of_parts() -> None:
    result = cut(ask("How is a parcel saved?"))
    assert {one["part"] for one in result["findings"]} == {0}
    assert result["understood_as"]["parts"] == []


def test_a_subject_of_two_parts_is_said_once() -> None:
    result = cut(ask("Where is save_parcel declared, and who calls it?"))
    assert [one["asked"] for one in result["understood_as"]["subjects"]] == ["save_parcel"]
    assert len(result["understood_as"]["parts"]) == 2


def test_no_place_is_shown_by_two_parts() -> None:
    found = [(one.path, one.start_line, one.symbol) for one in ask(BOTH).findings]
    assert len(found) == len(set(found))


def test_who_calls_it_asks_for_the_function_that_answers_the_first_part() -> None:
    report = ask("How is a parcel saved, and who calls it?")
    assert report.claim.endswith(
        "Who calls it? ParcelStore.save_parcel (store.py:2-6) is called by work.deliver (work.py:4-5)."
    )


def test_a_part_without_an_answer_says_so_and_where_to_look() -> None:
    claim = ask("Who calls save_parcel, and which colour does a crate have?").claim
    _, _, second = claim.partition(" Which colour does a crate have? ")
    assert second.startswith(
        'Not answered: nothing that was found says "colour" and "crate". Where to look: '
    )
    assert "store.py:" in second or "sweeper.py:" in second


def test_of_an_undeclared_name_only_that_is_said() -> None:
    report = ask("Who calls save_nothing(), and when is it forgotten?")
    assert report.claim.startswith("save_nothing is not declared in this repository.")
    assert not report.parts
    assert report.request.query.endswith("forgotten?")


def test_parts_that_do_not_refer_to_an_undeclared_name_are_answered() -> None:
    report = ask("Who calls save_nothing(), and who calls it in tests, and how is a parcel forgotten?")
    assert [one.asked for one in report.parts] == ["Who calls save_nothing()?", "How is a parcel forgotten?"]
    first, second = report.claim.split(" How is a parcel forgotten? ")
    assert first.startswith("Who calls save_nothing()? save_nothing is not declared in this repository.")
    assert second.startswith("sweeper.forget_old_parcels (sweeper.py:4-8) fits the question best.")


def test_a_question_that_is_asked_twice_is_answered_once() -> None:
    report = ask("How is a parcel saved? How is a parcel saved?")
    assert not report.parts
    assert report.claim == ask("How is a parcel saved?").claim


def test_a_setting_is_not_asked_of_the_function_of_the_first_part() -> None:
    report = ask("Who calls save_parcel, and where is MAX_AGE configured?")
    assert report.parts[1].reading.form is Form.CONFIGURED


def test_a_fourth_part_is_said_not_to_be_answered() -> None:
    three = "Who calls main, and who calls deliver, and who calls run_job"
    assert not ask(f"{three}?").warnings
    assert ask(f"{three}, and who calls save_parcel?").warnings == (
        "At most 3 parts of a question are answered: ask the others by themselves.",
    )


def test_a_function_that_answers_both_parts_shows_lines_of_both() -> None:
    query = "What happens when a job fails, and what happens after most tries of the job?"
    shown = next(one for one in ask(query).findings if one.symbol.endswith("run_job"))
    assert "if job.fails:" in shown.excerpt
    assert "raise GaveUp(job)" in shown.excerpt


def test_progress_goes_on_from_part_to_part() -> None:
    asked = Asked(PARCELS)
    asked.ask(BOTH)
    done = [one for one, _, _ in asked.reported]
    assert done == sorted(done)
    assert asked.reported[-1][:2] == (2.0, 2)


def test_a_question_by_text_alone_is_not_split() -> None:
    report = Asked(PARCELS, has_graph=False).ask(BOTH)
    assert not report.parts


def test_what_the_first_part_says_is_not_said_again() -> None:
    first = "How is it kept? save (a.py:1-2) fits best. It calls b (b.py:3). See also c (c.py:4)."
    second = "When is it lost? save (a.py:1-2) fits best. It calls b (b.py:3). See also d (d.py:5)."
    assert leave_out_told(second, [first]) == (
        "When is it lost? save (a.py:1-2) fits best. See also d (d.py:5)."
    )
    assert leave_out_told(first, []) == first


def test_the_sentence_that_names_an_answer_stays_in_each_part() -> None:
    first = "How is it kept? Basket (a.py:1-2) comes closest. See also c (c.py:4)."
    second = "When is it lost? No file here has the word lost. Basket (a.py:1-2) comes closest."
    assert leave_out_told(second, [first]) == second
    again = 'Why is it lost? Not answered: nothing that was found says "lost". Where to look: b (b.py:3).'
    assert leave_out_told(again, [again]) == again


def test_a_comment_that_an_earlier_part_quotes_is_not_quoted_again() -> None:
    said = 'It is a.save (a.py:1-4). The comment of save says: "Keep it." It calls a.lock (a.py:9).'
    first, second = f"How is it kept? {said}", f"Who frees it? {said}"
    assert leave_out_told(second, [first]) == "Who frees it? It is a.save (a.py:1-4)."


def test_a_further_question_whose_verb_no_file_has_is_not_answered_by_its_other_words() -> None:
    texts = {
        "depot.py": "def empty_depot(depot):\n    for parcel in depot:\n        depot.drop(parcel)\n",
        "merge.py": "def merge_parcels(old, new):\n    # Old and new\n    return old + new\n",
    }
    report = Asked(texts).ask("Who calls empty_depot? What purges old parcels?")
    assert "This repository may have no answer: no file has the word purges." in report.claim
    assert not any("merge" in symbol for symbol in list_found(report))


def test_a_guess_with_a_word_of_a_later_part_counts_for_it_though_an_earlier_one_used_it() -> None:
    files = {
        "towers.py": (
            "class Tower:\n    def attach_bells(self, town):\n"
            '        """Attach the bells of a tower that is silent."""\n'
            "        if town.silent:\n            self.bells = town.restart(self)\n"
        ),
        "events.py": 'GATE_OPENED = "opened"\n',
    }
    query = "why is a tower silent in a town, where are bells attached? (attach_bells, GATE_OPENED)"
    claim = Asked(files).ask(query).claim
    assert "silent in a town? Tower.attach_bells" in claim
    assert "Where are bells attached? Tower.attach_bells" in claim


FLAGS_OF_KILN = """package kiln

func readKilnFlags() error {
	text := os.Getenv("KILN_FLAGS")
	for _, one := range strings.Fields(text) {
		if !has(one) {
			return fmt.Errorf("parsing $KILN_FLAGS: unknown flag %s", one)
		}
	}
	return nil
}
"""
FLAGS_OF_CLAY = """package clay

func dropUnknownFlag(flag string) error {
	if flag == "" {
		return unknown(flag)
	}
	if unknown(flag) != nil {
		return fmt.Errorf("the flag of clay is not one of those: %s", flag)
	}
	return nil
}
"""


def test_a_later_part_is_about_what_answers_the_one_before_if_a_line_of_it_has_its_words() -> None:
    texts = {"go.mod": "module m\n", "kiln/kiln.go": FLAGS_OF_KILN, "clay/clay.go": FLAGS_OF_CLAY}
    question = "where is the environment variable KILN_FLAGS parsed and what happens with"
    claim = Asked(texts).ask(f"{question} an unknown flag?").claim
    assert "What happens with an unknown flag? kiln.readKilnFlags (kiln/kiln.go:3-11) fits" in claim
    claim = Asked(texts).ask(f"{question} a flag of clay?").claim  # no line of the first answer has it
    assert "What happens with a flag of clay? clay.dropUnknownFlag (clay/clay.go:3-11) fits" in claim
