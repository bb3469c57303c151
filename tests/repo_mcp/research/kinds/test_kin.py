"""Where one of a kind is added: what names the others, and the one to copy."""

from __future__ import annotations

from tests.repo_mcp.research.asking import Asked

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
    assert "AnyCarrier.__init__ (carriers.py:6-9) names some of them." in claim
    assert "One to copy is carriers.AirCarrier" in claim


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
    assert claim.startswith("Others of the kind derive from IParcelSorter (Sorters/IParcelSorter.cs:1).")
    assert "Registry.List (Registry.cs:3-4) names some of them." in claim
