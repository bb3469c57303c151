"""What is given one of a kind is shown with what it hands on to, and with where the example is given."""

from __future__ import annotations

from repo_mcp.research.findings.reasons import Role
from tests.repo_mcp.research.asking import Asked

KINDS = (
    "class Sorter:\n    def sort(self, parcel):\n        raise NotImplementedError\n\n"
    "    def reach(self, place):\n        raise NotImplementedError\n\n"
    "    def measure(self, one, other):\n        return self.reach(one) - self.reach(other)\n\n\n"
    "class LeftSorter(Sorter):\n    def sort(self, parcel):\n        return find(parcel)\n\n"
    "    def reach(self, place):\n        return find(place)\n\n\n"
    "class RightSorter(Sorter):\n    def sort(self, parcel):\n        return find(parcel, True)\n\n"
    "    def reach(self, place):\n        return find(place, True)\n\n\n"
    "def setup(app: App):\n    app.add_sorter(LeftSorter)\n"
)
TEXTS = {
    "sorters.py": f"from app import App\n\n\n{KINDS}",
    "app.py": "from sorters import Sorter\n\n\nclass App:\n"
    "    def add_sorter(self, sorter: type[Sorter]):\n        self.registry.add_sorter(sorter)\n",
    "registry.py": "from sorters import Sorter\n\n\nclass Registry:\n"
    "    def add_sorter(self, sorter: type[Sorter]):\n        if sorter.name in self.sorters:\n"
    "            raise ValueError(sorter.name)\n        self.sorters[sorter.name] = sorter\n",
    "belt.py": "from sorters import Sorter\n\n\ndef run(sorter: Sorter, parcels):\n"
    "    for parcel in parcels:\n        sorter.sort(parcel)\n",
}
ASKS = "How do I write a custom sorter?"


def test_what_a_registering_function_hands_on_to_is_shown_and_who_calls_it_for_the_example() -> None:
    report = Asked(TEXTS).ask(ASKS)
    taking = [one for one in report.findings if one.role is Role.REGISTERS]
    assert [one.symbol for one in taking] == [
        "app.App.add_sorter",
        "registry.Registry.add_sorter",
        "sorters.setup",
    ]
    assert "raise ValueError" in taking[1].excerpt
    assert "app.add_sorter(LeftSorter)" in taking[2].excerpt
    assert taking[2].why == "App.add_sorter is given LeftSorter here"


def test_of_what_calls_the_members_one_is_shown_for_each_member() -> None:
    report = Asked(TEXTS).ask(ASKS)
    calling = [one for one in report.findings if one.role is Role.CALLS_KIND]
    assert {one.reason.about for one in calling} == {"sort", "reach"}


ATTACH = {
    "Sorter.cs": "public interface ISorter\n{\n    int Sort(Parcel parcel);\n}\n",
    **{
        f"{name}Sorter.cs": f"public class {name}Sorter : ISorter\n{{\n"
        "    public int Sort(Parcel parcel)\n    {\n"
        "        return Find(parcel);\n    }\n}\n"
        for name in ("Left", "Right", "Heavy")
    },
    "IBelt.cs": "public interface IBelt\n{\n    void Through<T>() where T : ISorter;\n"
    "    void Through(ISorter sorter);\n}\n",
    "Belt.cs": "public class Belt : IBelt\n{\n"
    "    public void Through<T>() where T : ISorter =>\n        Put(typeof(T));\n"
    "    public void Through(ISorter sorter) =>\n        Put(sorter.GetType(), sorter, typeof(ISorter));\n"
    "    public void Through(string name) =>\n        Put(name);\n}\n",
}


def test_a_guessed_function_takes_one_by_its_parameter_or_by_the_bound_of_its_type() -> None:
    report = Asked(ATTACH).ask("How do I write a custom sorter? (ISorter, Sort, Through)")
    assert "It can be given to Belt.Through (Belt.cs:3-4)." in report.claim
    taking = [one.start_line for one in report.findings if one.role is Role.TAKES_ONE]
    assert taking == [3, 5]


def test_what_calls_the_members_of_another_package_is_not_shown_beside_the_first() -> None:
    texts = {
        "core/kinds/sorters.py": KINDS.replace("def setup(app: App):\n    app.add_sorter(LeftSorter)\n", ""),
        "core/belts/belt.py": "from core.kinds.sorters import Sorter\n\n\n"
        "def run(sorter: Sorter):\n    sorter.sort(1)\n    sorter.reach(1)\n",
        "tools/print.py": "from core.kinds.sorters import Sorter\n\n\n"
        "def show(sorter: Sorter):\n    sorter.sort(1)\n",
    }
    report = Asked(texts).ask(ASKS)
    calling = [one.symbol for one in report.findings if one.role is Role.CALLS_KIND]
    assert calling[0] == "belt.run"
    assert "print.show" not in calling


def test_a_guessed_function_with_the_noun_registers_one_whatever_it_takes() -> None:
    texts = {
        "sorters.py": KINDS.replace("def setup(app: App):\n    app.add_sorter(LeftSorter)\n", ""),
        "app.py": "class App:\n    def add_sorter(self, one: type[Outside]):\n"
        "        self.registry.add_sorter(one)\n",
        "registry.py": "class Registry:\n    def add_sorter(self, one):\n        self.sorters.append(one)\n",
    }
    claim = Asked(texts).ask(f"{ASKS} (Sorter, add_sorter)").claim
    assert "App.add_sorter (app.py:2-3) registers it." in claim
