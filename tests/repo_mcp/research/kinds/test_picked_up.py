"""Where one of a kind is added: what picks it up, what belongs to it, and the one that the question names."""

from __future__ import annotations

from tests.repo_mcp.research.asking import Asked

NAMES = ("Air", "Rail", "Sea")
BODY = (
    "    def carry(self, parcel):\n        parcel.move()\n        parcel.stamp()\n"
    "        parcel.weigh()\n        return parcel\n\n\n"
)
IMPORT = "from ways.base import BaseCarrier\n\n\n"
PICKING = "    def __init_subclass__(cls):\n        CARRIERS[cls.__name__] = cls\n\n\n"
CARRIERS = "".join(f"class {name}Carrier(Carrier):\n{BODY}" for name in NAMES)
REGISTERED = f"class Carrier:\n{PICKING}{CARRIERS}"
ADD = "Where would I add another carrier, for example one by rail?"


def test_a_base_that_registers_what_derives_from_it_picks_it_up() -> None:
    claim = Asked({"carriers.py": REGISTERED}).ask(ADD).claim
    assert claim.startswith(
        "Others of the kind derive from carriers.Carrier (carriers.py:1-3)."
        " Carrier.__init_subclass__ (carriers.py:2-3) picks each up by itself."
        " One to copy is carriers.RailCarrier (carriers.py:14-19)."
    )


def test_a_metaclass_picks_up_the_types_that_it_makes() -> None:
    maker = "class Maker(type):\n    def __init__(cls, name, bases, own):\n        CARRIERS[name] = cls\n\n\n"
    text = f"{maker}class Carrier(metaclass=Maker):\n    pass\n\n\n{CARRIERS}"
    claim = Asked({"carriers.py": text}).ask(ADD).claim
    assert " Maker.__init__ (carriers.py:2-3) picks each up by itself." in claim


def test_each_of_a_kind_may_have_a_counterpart() -> None:
    servers = "".join(f"class {name}Server(Server[{name}Carrier]):\n    speed = 1\n\n\n" for name in NAMES)
    names = ", ".join(f"{name}Carrier" for name in NAMES)
    text = f"from carriers import {names}\n\n\nclass Server:\n{PICKING}{servers}"
    claim = Asked({"carriers.py": REGISTERED, "servers.py": text}).ask(ADD).claim
    assert (
        " Several also have a counterpart that derives from servers.Server (servers.py:4-6), such as"
        " servers.RailServer (servers.py:13-14), which Server.__init_subclass__ (servers.py:5-6) picks up."
    ) in claim
    few = text[: text.index("class SeaServer")]
    assert "counterpart" not in Asked({"carriers.py": REGISTERED, "servers.py": few}).ask(ADD).claim


def test_a_table_of_texts_lists_the_modules_of_a_kind() -> None:
    texts = {f"ways/{name.lower()}.py": f"{IMPORT}class Carrier(BaseCarrier):\n{BODY}" for name in NAMES}
    texts["ways/base.py"] = "class BaseCarrier:\n    pass\n"
    rows = "".join(f"    '{name.lower()}': 'ways.{name.lower()}:Carrier',\n" for name in NAMES)
    texts["ways/__init__.py"] = f"CARRIER_ALIASES = {{\n{rows}}}\n"
    claim = Asked(texts).ask("Where would I add another carrier?").claim
    assert " ways.CARRIER_ALIASES (ways/__init__.py:1-5) names some of them." in claim


def test_a_table_of_texts_lists_the_types_of_one_module() -> None:
    rows = "".join(f"    '{name.lower()}': 'ways.{name}Carrier',\n" for name in NAMES)
    texts = {
        "ways.py": f"class Carrier:\n    pass\n\n\n{CARRIERS}",
        "defaults.py": f"CARRIERS = {{\n{rows}}}\n",
    }
    claim = Asked(texts).ask("Where would I add another carrier?").claim
    assert " defaults.CARRIERS (defaults.py:1-5) names some of them." in claim


def test_a_decorator_of_most_of_a_kind_registers_them() -> None:
    kind = "".join(f"@register('{name}')\nclass {name}Carrier(Carrier):\n{BODY}" for name in NAMES)
    text = f"def register(name):\n    return CARRIERS.add(name)\n\n\nclass Carrier:\n    pass\n\n\n{kind}"
    claim = Asked({"carriers.py": text}).ask(ADD).claim
    assert " carriers.register (carriers.py:1-2) registers most of them." in claim


def test_the_type_that_lists_the_others_is_not_the_one_to_copy() -> None:
    makes = "".join(f"        made = {name}Carrier() if made is None else made\n" for name in NAMES)
    lists = f"class AnyCarrier(Carrier):\n    def __init__(self, made):\n{makes}\n\n"
    text = f"class Carrier:\n    pass\n\n\n{lists}"
    claim = Asked({"carriers.py": text + CARRIERS}).ask("Where would I add another carrier?").claim
    assert "AnyCarrier.__init__ (carriers.py:6-9) names some of them." in claim
    assert "One to copy is carriers.AirCarrier" in claim


def test_what_fits_the_words_shows_the_kind_if_no_type_is_named_after_it() -> None:
    kind = "".join(
        f"class {name}Notifier(Notifier):\n    def send_alert(self, user):\n        user.tell()\n\n\n"
        for name in NAMES
    )
    text = f"from abc import ABC\n\n\nclass Notifier(ABC):\n    pass\n\n\n{kind}"
    claim = Asked({"notifiers.py": text}).ask("Where would I add a new way of sending alerts to users?").claim
    assert claim.startswith(
        "By what fits the words, the kind may be that of notifiers.Notifier (notifiers.py:4-5), from which"
        " others derive."
    )


def test_the_kind_is_that_of_the_uppermost_base() -> None:
    inner = "class PlainNotifier(Notifier, ABC):\n    pass\n\n\n"
    kind = "".join(
        f"class {name}Notifier(PlainNotifier):\n    def send_alert(self, user):\n        user.tell()\n\n\n"
        for name in NAMES
    )
    text = f"from abc import ABC\n\n\nclass Notifier(ABC):\n    pass\n\n\n{inner}{kind}"
    claim = Asked({"notifiers.py": text}).ask("Where would I add a new way of sending alerts to users?").claim
    assert "that of notifiers.Notifier (notifiers.py:4-5)" in claim
    assert "most of them from notifiers.PlainNotifier (notifiers.py:8-9)" in claim


def test_a_decorator_may_give_those_of_a_kind_their_counterparts() -> None:
    runs = "".join(
        f"@runs({name}Carrier)\ndef run_{name.lower()}(row):\n    return row\n\n\n" for name in NAMES
    )
    text = f"class Carrier:\n    pass\n\n\n{CARRIERS}def runs(kind):\n    return kind\n\n\n{runs}"
    claim = Asked({"carriers.py": text}).ask(ADD).claim
    assert "counterpart that is decorated by carriers.runs (carriers.py:" in claim
    assert "such as carriers.run_rail (carriers.py:" in claim


def test_a_base_that_keeps_none_of_its_types_picks_none_up() -> None:
    text = REGISTERED.replace("CARRIERS[cls.__name__] = cls", "cls.speed = cls.speed or 1")
    assert "picks each up" not in Asked({"carriers.py": text}).ask(ADD).claim


def test_a_guessed_type_with_others_below_it_is_the_base() -> None:
    text = REGISTERED.replace("Carrier", "Freight")
    claim = Asked({"carriers.py": text}).ask("Where would I add another way to travel? (Freight)").claim
    assert claim.startswith(
        "By what fits the words, the kind may be that of carriers.Freight (carriers.py:1-3)"
    )
