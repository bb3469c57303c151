"""What is added belongs to the family of which the words of a question found several, whatever its name."""

from __future__ import annotations

from tests.repo_mcp.research.asking import Asked

WRAPPER = """namespace Depot;
public class {name}Conversion : IWrapper
{{
    public bool Fits(Parcel parcel) => parcel.Type == "{name}";
    public Parcel Wrap(Parcel parcel) => parcel.With("{name}", "conversion");
}}
"""
TEXTS = {
    "Depot/IWrapper.cs": (
        "namespace Depot;\npublic interface IWrapper\n{\n    bool Fits(Parcel parcel);\n"
        "    Parcel Wrap(Parcel parcel);\n}\n"
    ),
    "Depot/Registry.cs": (
        "namespace Depot;\npublic static class Registry\n{\n"
        "    public static List<IWrapper> Wrappers() => new List<IWrapper>\n    {\n"
        "        new PaperConversion(),\n        new FoilConversion(),\n"
        "        new BoxConversion(),\n    };\n}\n"
    ),
    "Depot/Plan.cs": (
        "namespace Depot;\npublic class Plan\n{\n"
        "    public Parcel Convert(Parcel parcel, IWrapper[] wrappers)\n    {\n"
        "        foreach (var wrapper in wrappers)\n            if (wrapper.Fits(parcel))\n"
        "                return wrapper.Wrap(parcel);\n        return parcel;\n    }\n}\n"
    ),
    **{f"Depot/{name}.cs": WRAPPER.format(name=name) for name in ("Paper", "Foil", "Box")},
}
QUESTION = "Where would I add a new built-in conversion?"


def test_the_base_of_several_that_were_found_is_what_is_added_to() -> None:
    claim = Asked(TEXTS).ask(QUESTION).claim
    assert claim.startswith("Implement Depot.IWrapper")
    assert "Registry.Wrappers" in claim


def test_two_that_derive_from_a_base_of_another_name_make_no_family() -> None:
    few = {path: text for path, text in TEXTS.items() if path != "Depot/Box.cs"}
    assert "IWrapper (" not in Asked(few).ask(QUESTION).claim.partition(".")[0]


def test_two_are_enough_if_the_base_has_a_noun_of_the_question_in_its_name() -> None:
    texts = {
        path.replace("IWrapper", "IConversionStep"): text.replace("IWrapper", "IConversionStep")
        for path, text in TEXTS.items()
        if path != "Depot/Box.cs"
    }
    assert Asked(texts).ask(QUESTION).claim.startswith("Implement Depot.IConversionStep")
