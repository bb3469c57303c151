"""What decides one step from what the words find: a callee, a reader, a maker, what several guesses say."""

from __future__ import annotations

from tests.repo_mcp.research.asking import Asked, find_one, list_found

DEPOT = {
    "depot/client.py": '''from depot.parcel import Parcel


class DepotClient:
    def clear_shelves(self, shelves):
        """Clear a set of shelves."""
        for shelf in shelves:
            parcel = Parcel(shelf)
            parcel.restore()
        return self.count(shelves)

    def count(self, shelves):
        return len(shelves)
''',
    "depot/parcel.py": """class Parcel:
    def restore(self):
        self.hold()
        self.state = self.first_state
        self.label = None

    def hold(self):
        self.held = True
        return self.held
""",
}


def test_a_function_whose_name_is_guessed_is_shown_behind_what_calls_it() -> None:
    report = Asked(DEPOT).ask("What happens when shelves are cleared? (clear_shelves, restore)")
    assert list_found(report)[0] == "client.DepotClient.clear_shelves"
    assert "parcel.Parcel.restore" in list_found(report)[1:3]
    assert "self.state = self.first_state" in find_one(report, "parcel.Parcel.restore").excerpt


def test_a_function_elsewhere_of_which_nothing_is_said_is_not() -> None:
    report = Asked(DEPOT).ask("What happens when shelves are cleared? (clear_shelves)")
    assert all(one.name != "restore" for one in report.findings if not one.hop)


STALE = {
    "errors.py": 'class StaleParcel(Exception):\n    """A parcel that somebody else has changed."""\n',
    "sending.py": """from errors import StaleParcel
from labels import print_label


def send_changed_parcel(parcel, rows):
    print_label(parcel)
    if rows != len(parcel.rows):
        raise StaleParcel("changed by another clerk")
    return rows
""",
    "labels.py": """def print_label(parcel):
    if not parcel.label:
        raise PrinterJam("no ink")
    return parcel.label
""",
    "loading.py": """from errors import StaleParcel


def load_row(row, known):
    if row.version != known.version:
        raise StaleParcel("another version")
    return row
""",
}


def test_all_that_make_an_error_which_is_guessed_are_told() -> None:
    report = Asked(STALE).ask(
        "Which errors can come up when another clerk has changed a parcel? (StaleParcel, send_changed_parcel)"
    )
    assert report.claim.startswith(
        "Errors that arise in sending.send_changed_parcel (sending.py:5-9): "
        'StaleParcel "changed by another clerk" (:8). '
        'In loading.load_row (loading.py:4-7): StaleParcel "another version" (:6).'
    )
    assert find_one(report, "loading.load_row").why == "makes StaleParcel"
    assert "raise StaleParcel" in find_one(report, "loading.load_row").excerpt


def test_what_many_make_is_told_where_another_error_is_made_that_is_guessed() -> None:
    making = "\n\n".join(
        f"def step_{number}(row):\n    if not row:\n        raise StaleParcel('step')\n"
        for number in range(5)
    )
    texts = {
        **STALE,
        "steps.py": f"from errors import StaleParcel\n\n\n{making}",
        "lost.py": "from errors import StaleParcel, LostParcel\n\n\ndef look_for(parcel):\n"
        "    if parcel is None:\n        raise LostParcel('none')\n    raise StaleParcel('old')\n",
        "errors.py": STALE["errors.py"] + "\n\nclass LostParcel(Exception):\n    pass\n",
    }
    report = Asked(texts).ask("Which errors can come up behind the counter? (StaleParcel, LostParcel)")
    making = [one.symbol for one in report.findings if one.why.startswith("makes ")]
    assert making == ["lost.look_for"]


def test_a_guessed_error_is_known_by_its_base_and_what_is_none_is_not_made() -> None:
    texts = {
        "post.py": "from depot import DepotError\n\n\nclass Overdue(DepotError): ...\n\n\n"
        "class Note: ...\n\n\n"
        "def refuse(row):\n    return Overdue(row)\n\n\ndef note(row):\n    fail(Note(row))\n"
    }
    report = Asked(texts).ask("Which errors can come up behind the counter? (Overdue, Note)")
    assert [one.name for one in report.findings if one.why.startswith("makes ")] == ["refuse"]


OPTIONS = {
    "Map.cs": """class Map
{
    public bool Weighed { get; set; }
    public bool Sealed { get; set; }
}
""",
    "Options.cs": """class Options
{
    Map map;
    public void Weighed(bool on) { map.Weighed = on; }
    public void Sealed(bool on) { map.Sealed = on; }
    public void Copy(Map other)
    {
        map.Weighed = other.Weighed;
        map.Sealed = other.Sealed;
    }
}
""",
    "Builder.cs": """class Builder
{
    void Build(Map map)
    {
        if (map.Weighed)
        {
            Weigh();
        }
        if (map.Sealed)
        {
            Close();
        }
    }
    void Weigh() { }
    void Close() { }
}
""",
}


def test_what_decides_by_both_values_tells_their_difference() -> None:
    report = Asked(OPTIONS).ask("What is the difference between Weighed and Sealed?")
    assert "Builder.Build (Builder.cs:5, :9) decides by all of them." in report.claim
    assert "if (map.Sealed)" in find_one(report, "Builder.Build").excerpt
    assert list_found(report)[0] == "Builder.Build"
    assert "Options.Copy" not in report.claim


COUNTS = {
    "checks.py": """def count_failure(host):
    host.fails += 1
    return host


def visit(host):
    return count_failure(host)
""",
    "hosts.py": """class Host:
    def is_healthy(self, policy):
        if policy.max_fails:
            return self.fails < policy.max_fails
        return True
""",
}


def test_what_a_name_does_in_a_phrase_is_no_question_about_the_name() -> None:
    report = Asked(COUNTS).ask(
        "Who calls count_failure and where is the number it keeps looked at? (fails, max_fails, is_healthy)"
    )
    assert "count_failure (checks.py:1-3) is called by checks.visit" in report.claim
    assert "hosts.Host.is_healthy" in list_found(report)


FLUSH = {
    "mapping.py": '''def sorted_tables(tables):
    """Sort related tables in the order in which rows of the tables are written."""
    found = []
    for table in tables:
        if table.related:
            found.append(table)
    return found
''',
    "unit_of_work.py": '''from topology import sort_pairs


class UnitOfWork:
    def execute(self):
        """Run the actions."""
        for action in sort_pairs(self.dependency_processors):
            action.execute(self)
''',
    "topology.py": "def sort_pairs(pairs):\n    return list(pairs)\n",
}
ORDER = "How is the order decided in which rows of related tables are written?"


def test_several_guessed_names_that_stand_together_lead_before_a_single_one() -> None:
    guesses = "(UnitOfWork, sort_pairs, sorted_tables, DependencyProcessor)"
    assert list_found(Asked(FLUSH).ask(f"{ORDER} {guesses}"))[0] == "unit_of_work.UnitOfWork.execute"
    assert list_found(Asked(FLUSH).ask(f"{ORDER} (sorted_tables)"))[0] == "mapping.sorted_tables"
