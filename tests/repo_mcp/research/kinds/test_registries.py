"""What keeps one of a kind that a function takes, and what looks it up."""

from __future__ import annotations

from tests.repo_mcp.research.asking import Asked

BASE = "class View:\n    def render(self, text):\n        raise NotImplementedError\n"
VIEWS = "".join(
    f"\n\nclass {name}View(View):\n    def render(self, text):\n        lines = text.split('{name}')\n"
    "        first = lines[0]\n        rest = lines[1:]\n        return [first, *rest]\n"
    for name in ("Hex", "Css", "Raw")
)
ADDING = '''from shop.registry import Registry
from shop.views import View

registry = Registry()


def add(view: View) -> None:
    """Add a view."""
    registry.register(view)
'''
REGISTRY = """from shop.views import View


class Registry:
    def __init__(self) -> None:
        self._by_name: dict[str, View] = {}

    def register(self, view: View) -> None:
        name = view.name.lower()
        self._by_name[name] = view

    def has_view(self, name: str) -> bool:
        return name in self._by_name

    def find(self, name: str) -> View:
        return self._by_name[name.lower()]
"""


def test_what_hands_one_on_leads_to_what_keeps_it_and_to_what_looks_it_up() -> None:
    files = {"shop/views.py": BASE + VIEWS, "shop/__init__.py": ADDING, "shop/registry.py": REGISTRY}
    report = Asked(files).ask("How do I register a custom view?")
    assert "Registry.register (shop/registry.py:8-10) " in report.claim
    assert "Registry.find (shop/registry.py:15-16) looks one up in _by_name." in report.claim
    assert "has_view" not in report.claim


CACHE = """namespace Shop;

public interface IConverter
{
    string Convert(object value);
}

public class DateConverter : IConverter
{
    public string Convert(object value)
    {
        var date = (System.DateTime)value;
        return date.ToString("u");
    }
}

public class NumberConverter : IConverter
{
    public string Convert(object value)
    {
        var number = (int)value;
        return number.ToString();
    }
}

public class ConverterCache
{
    private readonly Dictionary<Type, IConverter> converters = new Dictionary<Type, IConverter>();

    public void AddConverter(Type type, IConverter converter)
    {
        converters[type] = converter;
    }

    public IConverter GetConverter(Type type)
    {
        if (converters.TryGetValue(type, out var converter))
        {
            return converter;
        }
        return new NumberConverter();
    }
}
"""


def test_what_keeps_it_itself_is_followed_to_what_looks_it_up() -> None:
    report = Asked({"src/Converters.cs": CACHE}).ask("How do I register a custom converter?")
    assert "ConverterCache.AddConverter (src/Converters.cs:30-33) registers it." in report.claim
    assert "GetConverter (src/Converters.cs:35-42) looks one up in converters." in report.claim
    assert "keeps it" not in report.claim
