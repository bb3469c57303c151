"""Kinds whose types are the files of one folder that is named after them."""

from __future__ import annotations

import pytest

from tests.repo_mcp.research.asking import Asked

NAMES = ("dot", "flat", "grid", "plain")
BASE = "export class Base {\n    constructor(run) {\n        this.run = run;\n    }\n}\n"


def write_reporter(name: str) -> str:
    """Return a file with a class that derives from `Base`."""
    return (
        f'import {{ Base }} from "./base.js";\n\nexport class {name.capitalize()} extends Base {{\n'
        f'    write(text) {{\n        const line = text + "{name}";\n        this.run.put(line);\n'
        "        return line;\n    }\n}\n"
    )


# Its path and the words around it have the noun, and none of its entries is one.
COLOURS = "export const colors = {\n" + "".join(
    f'    "{one}": {at},\n' for at, one in enumerate(("pass", "fail", "bright", "slow", "fast", "light"))
)


def test_types_in_a_folder_named_after_the_kind_tell_its_base_and_their_index_lists_them() -> None:
    files = {f"lib/reporters/{name}.js": write_reporter(name) for name in NAMES}
    files["lib/reporters/base.js"] = f"{BASE}\n// Colours of a reporter.\n{COLOURS}}};\n"
    files["lib/reporters/index.js"] = "".join(
        f'export {{ {one.capitalize()} }} from "./{one}.js";\n' for one in NAMES
    )
    report = Asked(files).ask("Where would I add a new reporter?")
    assert report.claim.startswith("Derive from Base (lib/reporters/base.js:1-5).")
    assert "lib/reporters/index.js" in report.claim
    assert "entries alike" not in report.claim


RULE = """module.exports = {
    meta: { type: "%s" },
    create(context) {
        const name = "%s";
        return { Program(node) { context.report(node, name); } };
    },
};
"""


def test_files_without_a_common_base_are_listed_by_what_requires_them() -> None:
    stems = ("no-tabs", "max-depth", "eol-last", "key-order", "one-var")
    files = {f"lib/rules/{stem}.js": RULE % (stem, stem) for stem in stems}
    listed = "".join(f'    "{stem}": require("./{stem}"),\n' for stem in stems)
    files["lib/rules/index.js"] = f"module.exports = {{\n{listed}}};\n"
    files["lib/report.js"] = "function addRuleMessage(rule, text) {\n    rule.messages.push(text);\n}\n"
    report = Asked(files).ask("Where would I add a new rule?")
    assert report.claim.startswith("Add a file to lib/rules/. An example is ")
    assert "lib/rules/index.js" in report.claim
    assert "addRuleMessage" not in report.claim


LOADER = """const path = require("path");

function loadFormatter(name) {
    return require(path.resolve(__dirname, "formatters", name));
}
"""


@pytest.mark.parametrize(("loader", "is_found"), [(LOADER, True), ("function load() {}\n", False)])
def test_files_that_nothing_lists_are_a_kind_if_something_finds_them_by_their_folder(
    loader: str, is_found: bool
) -> None:
    files = {
        f"lib/formatters/{name}.js": f"module.exports = (rows) => rows.join('{name}');\n" for name in NAMES
    }
    report = Asked({**files, "lib/load.js": loader}).ask("Where would I add a new output formatter?")
    assert report.claim.startswith("Add a file to lib/formatters/.") is is_found
    assert (
        "loadFormatter (lib/load.js:3-5) finds them by the name of their folder." in report.claim
    ) is is_found


def test_modules_named_in_a_function_are_listed_there() -> None:
    files = {
        f"proxy/addons/{name}.py": f"class {name.capitalize()}Addon:\n    def run(self, flow):\n"
        "        flow.seen = True\n        flow.count += 1\n        flow.save()\n        return flow\n"
        for name in NAMES
    }
    made = "".join(f"        {name}.{name.capitalize()}Addon(),\n" for name in NAMES)
    imports = "".join(f"from proxy.addons import {name}\n" for name in NAMES)
    files["proxy/addons/__init__.py"] = f"{imports}\n\ndef default_addons():\n    return [\n{made}    ]\n"
    report = Asked(files).ask("Where would I add a new built-in addon?")
    assert report.claim.startswith("Add a file to proxy/addons/.")
    assert "default_addons (proxy/addons/__init__.py" in report.claim


def test_a_base_from_which_types_of_the_folder_derive_is_surer_than_the_folder() -> None:
    body = "    def draw(self):\n        line = self.text\n        size = 3\n        return line, size\n"
    files = {"ui/widget.py": f"class Widget:\n{body}"}
    files["ui/widgets/button.py"] = f"from ui.widget import Widget\n\n\nclass Button(Widget):\n{body}"
    for name in NAMES:
        files[f"ui/widgets/{name}.py"] = (
            f"from ui.widgets.button import Button\n\n\nclass {name.capitalize()}(Button):\n{body}"
        )
    report = Asked(files).ask("Where would I add a new widget?")
    assert report.claim.startswith("Derive from widget.Widget (ui/widget.py:1-5)")
