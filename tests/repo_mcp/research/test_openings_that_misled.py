"""Openings that said what is not so, on trees of strangers: each with the least code that shows it."""

from __future__ import annotations

from tests.repo_mcp.research.asking import Asked

WRAPPERS = {
    "depot/settings.go": (
        "package depot\n\n// Wrapper holds the settings of one wrapper.\ntype Wrapper struct {\n"
        "\tRibbon *Ribbon\n\tPaper *Paper\n\tFoil *Foil\n}\n\n"
        "type WrapperInfo struct {\n\t*Wrapper\n\tPaper string\n\tErrors []string\n}\n"
    ),
    "depot/build.go": (
        "package depot\n\nfunc (b *Builder) buildWrapper(config *WrapperInfo) (Step, error) {\n"
        "\tif config.Ribbon != nil {\n\t\treturn newRibbon(config.Ribbon), nil\n\t}\n"
        "\tif config.Foil != nil {\n\t\treturn newFoil(config.Foil), nil\n\t}\n"
        '\treturn nil, errors.New("no such wrapper")\n}\n'
    ),
}


def test_a_struct_of_fields_that_another_embeds_is_no_base_of_a_kind() -> None:
    claim = Asked(WRAPPERS).ask("Where would I add a new wrapper? (buildWrapper, Wrapper)").claim
    assert "Derive from" not in claim
    assert "Others override" not in claim
    assert "Builder.buildWrapper (depot/build.go:3-11)" in claim
