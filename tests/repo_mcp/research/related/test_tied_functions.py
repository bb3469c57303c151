"""Functions that a call ties to the best declarations come behind these, and others do not."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from repo_mcp.research.findings.reasons import Reason, Role
from repo_mcp.research.findings.records import ResearchRequest, RunControl
from repo_mcp.research.findings.research_state import ResearchState
from repo_mcp.research.related.tied_functions import put_tied
from repo_mcp.research.seeds.seed import Seed, build_seed
from tests.repo_mcp.research.asking import Asked

HAS_WORDS = Reason("has words", Role.HAS_WORDS)


def put(texts: Mapping[str, str], *leading: str, words: str, shown: int) -> list[Seed]:
    """Return leading functions, found by their words, and those tied to them; all words weigh the same."""
    asked = Asked(texts)
    control = RunControl(lambda: False)
    state = ResearchState(asked.open_source(), ResearchRequest(words), control, wants_tests=False)
    nodes = {node.name_inside: node for path in texts for node in state.graph.outline(path)}
    seeds = [build_seed(state, nodes[name], 1.0, HAS_WORDS) for name in leading]
    return put_tied(state, seeds, dict.fromkeys(words.split(), 1.0), shown)


def order(texts: Mapping[str, str], *leading: str, words: str, shown: int) -> list[str]:
    tied = put(texts, *leading, words=words, shown=shown)
    return [seed.node.name_inside for seed in tied if seed.node is not None]


LONG = "\n".join(
    ["            lot.open()", *(f"        lot.mark({at})" for at in range(10)), "        return lot"]
)
DEPOT = """from sorting import Clock, Sorter


class Depot:
    def __init__(self):
        self._sorter = Sorter()
        self._clock = Clock()

    def take(self, parcel):
        lane = self._sorter.pick(parcel)
        self._clock.tick(parcel)
        return lane

    def give(self, parcel):
        return self._sorter.pick(parcel)

    def wait(self, parcel):
        return self._clock.tick(parcel)
"""


def write_type(name: str, member: str, body: str = LONG) -> str:
    return f"class {name}:\n    def {member}(self, lot):\n        if lot is not None:\n{body}\n\n\n"


SORTER, CLOCK = write_type("Sorter", "pick"), write_type("Clock", "tick")


def order_depot(depot: str = DEPOT, sorter: str = SORTER, *, leading: tuple[str, ...] = ()) -> list[str]:
    texts = {"depot.py": depot, "sorting.py": sorter + CLOCK}
    return order(texts, "Depot.take", *leading, words="sorter belt", shown=1)


def test_what_is_called_on_what_the_question_names_follows_its_caller() -> None:
    assert order_depot() == ["Depot.take", "Sorter.pick"]
    assert order_depot(leading=("Depot.wait", "Sorter.pick")) == ["Depot.take", "Sorter.pick", "Depot.wait"]


def test_the_reason_is_the_call_if_only_words_led_to_it() -> None:
    texts = {"depot.py": DEPOT, "sorting.py": SORTER + CLOCK}
    seeds = put(texts, "Depot.take", "Depot.wait", "Sorter.pick", words="sorter belt", shown=1)
    assert [seed.reason.text for seed in seeds] == ["has words", "called by Depot.take", "has words"]


def test_what_is_shown_anyway_stays_in_its_place() -> None:
    texts = {"depot.py": DEPOT, "sorting.py": SORTER + CLOCK}
    leading = ["Depot.take", "Depot.wait", "Sorter.pick"]
    assert order(texts, *leading, words="sorter belt", shown=3) == leading


@pytest.mark.parametrize(
    ("depot", "sorter"),
    [
        (DEPOT.replace("_sorter", "_machine"), SORTER),
        (DEPOT.replace("self._sorter.pick", "Sorter.pick"), SORTER),
        (DEPOT, write_type("Sorter", "pick", "            return lot")),
    ],
    ids=["called on something else", "called on the type itself", "short"],
)
def test_what_is_called_otherwise_or_does_little_is_not_added(depot: str, sorter: str) -> None:
    assert order_depot(depot, sorter) == ["Depot.take"]


def test_one_of_many_that_override_what_is_called_is_not_added() -> None:
    base = "class Sorter:\n    def pick(self, lot):\n        raise NotImplementedError\n\n\n"
    one, *others = (write_type(f"Sorter{at}(Sorter)", "pick") for at in range(3))
    assert order_depot(sorter=base + one) == ["Depot.take", "Sorter0.pick"]
    assert order_depot(sorter=base + one + "".join(others)) == ["Depot.take"]


WEIGHED = (
    '''def weigh(crate):
    return round_up(crate)


def round_up(crate):
    """Round up the weight of a crate."""
    if crate is None:
        return 0
'''
    + "".join(f"    crate.tare({at})\n" for at in range(8))
    + "    return crate.pallet + 1\n"
)


def test_what_is_called_by_one_function_alone_is_added_if_its_code_has_most_of_the_words() -> None:
    assert order({"w.py": WEIGHED}, "weigh", words="pallet crate", shown=1) == ["weigh", "round_up"]
    assert order({"w.py": WEIGHED}, "weigh", words="weight slip bill", shown=1) == ["weigh"]
    other = "\n\ndef bill(crate):\n    return round_up(crate)\n"
    assert order({"w.py": WEIGHED + other}, "weigh", words="pallet crate", shown=1) == ["weigh"]


STORE = """export interface ParcelStore {
    find(key: string): string | null
}

export class MemoryStore implements ParcelStore {
    private kept: Record<string, string> = {}

    find(key: string): string | null {
        return this.kept[key] ?? null
    }
}
"""
FETCHER = """import { ParcelStore } from './store'

export class Fetcher {
    constructor(private depot: { store: ParcelStore }) {}

    load(key: string): string {
        const kept = this.depot.store.find(key)
        if (kept !== null && !this.isOld(kept)) {
            return kept
        }
        const parcel = this.route(key)
        this.count = this.count + 1
        this.depot.last = parcel
        this.depot.size = parcel.length
        this.depot.isOpen = true
        return parcel
    }
}
"""


def test_the_only_caller_of_what_a_function_overrides_is_added() -> None:
    texts = {"src/store.ts": STORE, "src/fetcher.ts": FETCHER}
    found = order(texts, "MemoryStore.find", words="old parcel", shown=1)
    assert found == ["MemoryStore.find", "Fetcher.load"]
    peek = (
        "import { ParcelStore } from './store'\n\n"
        "export function peek(store: ParcelStore) {\n    return store.find('first')\n}\n"
    )
    found = order({**texts, "src/peek.ts": peek}, "MemoryStore.find", words="old parcel", shown=1)
    assert found == ["MemoryStore.find"]
