"""Where one of a kind is added: what names the others, and the one to copy."""

from __future__ import annotations

from tests.repo_mcp.research.asking import Asked, list_found

NAMES = ("Air", "Rail", "Sea")
BODY = (
    "    def carry(self, parcel):\n        parcel.move()\n        parcel.stamp()\n"
    "        parcel.weigh()\n        return parcel\n\n\n"
)
CARRIERS = "".join(f"class {name}Carrier(Carrier):\n{BODY}" for name in NAMES)


def test_the_type_that_lists_the_others_is_not_the_one_to_copy() -> None:
    makes = "".join(f"        made = {name}Carrier() if made is None else made\n" for name in NAMES)
    lists = f"class AnyCarrier(Carrier):\n    def __init__(self, made):\n{makes}\n\n"
    text = f"class Carrier:\n    pass\n\n\n{lists}"
    claim = Asked({"carriers.py": text + CARRIERS}).ask("Where would I add another carrier?").claim
    assert "AnyCarrier.__init__ (carriers.py:6-9) lists existing ones." in claim
    assert "An example is carriers.AirCarrier" in claim


def test_the_interface_of_a_kind_from_which_more_derive_is_its_base() -> None:
    texts = {
        "Sorters/IParcelSorter.cs": "interface IParcelSorter { void Sort(); }\n"
        "abstract class ParcelSorter<T> : IParcelSorter { public abstract void Sort(); }\n",
        "Sorters/Kinds.cs": "".join(
            f"class {one}Sorter : IParcelSorter\n{{\n    void Sort()\n    {{\n        Take();\n    }}\n}}\n"
            for one in ("Size", "Weight", "Color")
        ),
        "Registry.cs": "class Registry\n{\n    IParcelSorter[] List() =>\n"
        "        [new SizeSorter(), new WeightSorter(), new ColorSorter()];\n}\n",
    }
    claim = Asked(texts).ask("Where would I add a new parcel sorter?").claim
    assert claim.startswith("Implement IParcelSorter (Sorters/IParcelSorter.cs:1).")
    assert "Registry.List (Registry.cs:3-4) lists existing ones." in claim


SENDERS = {
    "go.mod": "module example.org/app\n",
    "notify/notify.go": (
        "package notify\n\n"
        "type Notifier interface {\n\tNotify(text string) error\n}\n\n"
        "type Integration struct {\n\tnotifier Notifier\n\tname     string\n\tindex    int\n"
        "\tgroup    string\n\tlimit    int\n}\n\n"
        "func (i *Integration) Notify(text string) error { return i.notifier.Notify(text) }\n"
    ),
    **{
        f"notify/{name}/{name}.go": (
            f"package {name}\n\n"
            "type Sender struct {\n\turl    string\n\ttoken  string\n\tlimit  int\n\tsecret string\n}\n\n"
            "func (s *Sender) Notify(text string) error { return nil }\n"
        )
        for name in ("chat", "mail", "pager", "phone")
    },
    "build/build.go": (
        "package build\n\n"
        "// Receivers lists who is told of a notification.\n"
        "func Receivers() []string { return nil }\n"
    ),
}
ADDS_INTEGRATION = "Where would I add a new notification integration?"


def test_a_guessed_type_from_which_many_derive_is_the_base_of_the_kind() -> None:
    asked = Asked(SENDERS)
    assert not asked.ask(ADDS_INTEGRATION).claim.startswith("A new one")
    for guess in ("Notifier", "notify.Notifier"):
        report = asked.ask(f"{ADDS_INTEGRATION} ({guess}, Receivers)")
        assert report.claim.startswith("Implement notify.Notifier (notify/notify.go:3-5).")
        assert "build.Receivers" in list_found(report)  # although it is no integration


def test_the_noun_of_a_kind_does_not_tell_which_one_to_copy() -> None:
    claim = Asked(SENDERS).ask(f"{ADDS_INTEGRATION} (Notifier)").claim
    assert "An example is chat.Sender" in claim


def test_a_guess_is_not_the_base_of_a_kind_that_the_question_names() -> None:
    bases = "from abc import ABC\n\n\nclass Carrier(ABC):\n    pass\n\n\nclass Vehicle(ABC):\n    pass\n\n\n"
    vans = "".join(f"class {name}Van(Vehicle):\n    pass\n\n\n" for name in (*NAMES, "Land", "Snow"))
    asked = Asked({"carriers.py": bases + vans + CARRIERS})
    claim = asked.ask("Where would I add another carrier? (Vehicle)").claim
    assert claim.startswith("Derive from carriers.Carrier")


NOTICES = {
    "types.ts": 'export enum NoticeEventType {\n  Sent = "sent",\n  Lost = "lost",\n  Found = "found",\n}\n',
    "user.ts": """import { NoticeEventType } from "./types";

export class User {
  public setNoticeEventType(type: NoticeEventType, value = true) {
    this.settings[type] = value;
  }
}
""",
    "tree.ts": "export function addType(node: Node): Node {\n  return { ...node, type: 1 };\n}\n",
}


def test_what_sets_a_member_or_adds_something_without_the_noun_of_the_kind_adds_no_kind() -> None:
    report = Asked(NOTICES).ask("where should I add a new notice type? (NoticeEventType, settings)")
    assert report.claim.startswith("Add a member to NoticeEventType (types.ts:1-5).")
    assert "registers it" not in report.claim
    assert "addType" not in list_found(report)
