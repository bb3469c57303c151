"""Claims about errors, parts of names, options and functions that pass on to each other."""

from __future__ import annotations

from repo_mcp.research.errors.lines import find_errors
from repo_mcp.research.settings.line_use import LineUse, classify_use
from tests.repo_mcp.research.asking import Asked, drop_conditions

ORDERING = {
    "sorting.py": "from config import choose_order\n\n\ndef sort_lines(config, lines):\n"
    "    return choose_order(config)(lines)\n",
    "config.py": "class OrderUnknown(Exception):\n    pass\n\n\n"
    "class ProfileUnknown(Exception):\n    pass\n\n\n"
    "def choose_order(config):\n    order = config.sort_order\n    if order == 'natural':\n"
    "        return sorted\n    raise OrderUnknown(order)\n\n\n"
    "def load_order(settings):\n    order = settings['order']\n    if settings['profile'] not in order:\n"
    "        raise ProfileUnknown(order)\n    return order\n",
}


def test_errors_of_what_only_shares_words_are_not_named() -> None:
    claim = Asked(ORDERING).ask("which errors can choose_order raise?").claim
    assert claim == "Errors that arise here: OrderUnknown (config.py:13)."


def test_what_fails_two_calls_below_the_best_is_shown_with_it() -> None:
    files = {
        "choosing.py": "class OrderUnknown(Exception): ...\n\n\nclass KeyMissing(Exception): ...\n\n\n"
        "def choose_sort_order(config):\n    order = config.sort_order\n    if order.is_named:\n"
        "        return by_name(order)\n    return order\n\n\n"
        "def by_name(order):\n    if order.name not in KNOWN:\n        raise OrderUnknown(order)\n"
        "    return fetch(order.name)\n\n\n"
        "def fetch(key):\n    if key not in TABLE:\n        raise KeyMissing(key)\n    return TABLE[key]\n",
    }
    report = Asked(files).ask("which errors can choose_sort_order raise?")
    assert drop_conditions(report.claim).startswith(
        "Errors that arise here: OrderUnknown (choosing.py:16) and KeyMissing (choosing.py:22). "
    )
    (below,) = (one for one in report.findings if one.name == "fetch")
    assert "raise KeyMissing(key)" in below.excerpt


def test_the_type_of_an_error_makes_none() -> None:
    files = {
        "Resolver.java": "class Resolver {\n    void resolvePlugins(Plugins plugins) {\n"
        "        if (plugins.isCyclic()) throw new Resolver.CyclicException();\n    }\n\n"
        "    static class CyclicException extends PluginException {\n"
        "        CyclicException() {\n            super(1);\n        }\n    }\n}\n"
    }
    claim = Asked(files).ask("which errors can resolvePlugins raise?").claim
    assert (
        claim
        == "Errors that arise here: Resolver.CyclicException (Resolver.java:3, `if (plugins.isCyclic())`)."
    )


def test_functions_that_make_or_ask_about_errors_are_none() -> None:
    assert find_errors("if (MustThrowConfigException(error))") == []
    assert find_errors('raise AttributeError("no #1 // 2")  # from KeyError') == ["AttributeError"]
    assert find_errors("throw Object.assign(new AxiosError('aborted'), { cause })") == ["AxiosError"]
    assert find_errors("raise Locale::Unknown.new(locale) unless known") == ["Locale::Unknown"]


def test_a_setting_spelled_otherwise_comes_after_those_spelled_alike() -> None:
    files = {
        "pyproject.toml": "[tool.other]\nline-length = 100\n",
        "app/profiles.py": "black = {'line_length': 88}\n",
        "app/settings.py": "class Config:\n    line_length: int = 79\n",
    }
    claim = Asked(files).ask("where is line_length configured?").claim
    assert claim.endswith("set at app/profiles.py:1 and pyproject.toml:2.")


def test_the_name_under_which_an_option_is_kept_declares_it() -> None:
    assert classify_use("line_length", 'dest="line_length",') is LineUse.OPTION


def test_what_overrides_a_user_does_not_override_the_subject() -> None:
    files = {
        "layouts/base.py": "class Layout:\n"
        "    def render(self, event):\n        return self.format(event)\n\n"
        "    def format(self, event):\n        return str(event)\n",
        "layouts/footer.py": "from layouts.base import Layout\n\n\nclass Footer(Layout):\n"
        "    def format(self, event):\n        return self.render(event)\n",
        "layouts/short.py": "from layouts.footer import Footer\n\n\nclass Short(Footer):\n"
        "    def format(self, event):\n        return 'short'\n",
    }
    claim = Asked(files).ask("what breaks if I change Layout.render?").claim
    assert "overridden" not in claim


def test_a_difference_says_which_function_calls_the_other() -> None:
    files = {
        "store.py": "def put(key, value):\n    return put_new(key, copy(value))\n\n\n"
        "def put_new(key, value):\n    cells[key] = value\n"
    }
    claim = Asked(files).ask("what is the difference between put and put_new?").claim
    assert claim.endswith(" put calls put_new (store.py:2).")
