"""Questions about languages without a symbol parser are answered from what the text shows."""

from __future__ import annotations

import pytest

from repo_mcp.research.findings.records import Form
from tests.repo_mcp.research.asking import Asked

STORES = {
    "src/BatchStore.php": """<?php declare(strict_types=1);

namespace Depot;

/**
 * Holds all parcels until it is closed
 *
 * The advantage is that none is lost.
 */
class BatchStore extends Store
{
    private array $parcels = [];

    public function __construct(private Shelf $shelf)
    {
        parent::__construct();
    }

    public function put(Parcel $parcel): void
    {
        $this->parcels[] = $parcel;
    }

    public function flush(): void
    {
        $this->shelf->takeAll($this->parcels);
    }
}
""",
    "src/DirectStore.php": """<?php

namespace Depot;

/** Hands each parcel on at once. */
class DirectStore extends Store
{
    public function put(Parcel $parcel): void
    {
        $this->shelf->take($parcel);
    }
}
""",
    "src/NullStore.php": """<?php

class NullStore extends Store
{
    public function put(Parcel $parcel): void
    {
    }
}
""",
    "src/Store.php": """<?php

/** A place for parcels. */
abstract class Store
{
    abstract public function put(Parcel $parcel): void;
}
""",
    "src/setup.py": "def install():\n    return 1\n",
    "doc/stores.md": "# Stores\n\nBatchStore waits and DirectStore does not.\n\n## Writing your own store\n\n"
    "Derive it and fill in put.\n\n## Parcels\n\nA parcel has a label.\n",
}


def test_two_types_are_told_apart_by_their_comments_and_members() -> None:
    report = Asked(STORES).ask("What is the difference between BatchStore and DirectStore?")
    assert report.claim == (
        "BatchStore (src/BatchStore.php:10-28): Holds all parcels until it is closed. DirectStore"
        " (src/DirectStore.php:6-12): Hands each parcel on at once. Only BatchStore declares __construct and"
        " flush. Nothing here parses PHP:"
        " references are not followed, and what is shown was found by its name alone."
    )


def test_of_a_long_declaration_those_lines_are_shown_that_decide() -> None:
    fields = "".join(f"    protected int $field{number} = {number};\n\n" for number in range(120))
    body = "        if ($this->isFull()) {\n            return;\n        }\n"
    method = f"    public function flush(): void\n    {{\n{body}    }}\n"
    texts = STORES | {
        "src/WideStore.php": f"<?php\n\nclass WideStore extends Store\n{{\n{fields}{method}}}\n"
    }
    report = Asked(texts).ask("What is the difference between WideStore and DirectStore?")
    wide = next(one for one in report.findings if one.symbol == "WideStore")
    assert "if ($this->isFull()) {" in wide.excerpt


@pytest.mark.parametrize(
    ("suffix", "declared"),
    [
        ("php", "class {0}Sorter extends ParcelSorter {{"),
        ("rb", "class {0}Sorter < ParcelSorter"),
        ("kt", "class {0}Sorter<T>(val x: Int) : ParcelSorter() {{"),
        ("scala", "class {0}Sorter private (x: Int) extends ParcelSorter {{"),
    ],
)
def test_the_base_of_a_kind_and_one_to_copy_are_found_by_how_types_are_declared(
    suffix: str, declared: str
) -> None:
    closing = "end" if suffix == "rb" else "}"
    texts = {"setup.py": "def install():\n    return 1\n"}
    for name, count in (("Near", 9), ("Far", 8), ("Light", 5), ("Empty", 0)):
        own = "".join(f"  turn({number})\n" for number in range(count))
        texts[f"src/{name}Sorter.{suffix}"] = f"{declared.format(name)}\n{own}{closing}\n"
    texts[f"src/base.{suffix}"] = f"class ParcelSorter{'' if suffix == 'rb' else ' {'}\n{closing}\n"
    report = Asked(texts).ask("Where would I add a sorter for heavy parcels?")
    assert report.claim == (
        f"Derive from ParcelSorter (src/base.{suffix}:1-2). An example is LightSorter"
        f" (src/LightSorter.{suffix}:1-7)."
    )


def test_a_type_parameter_is_no_base() -> None:
    texts = {"setup.py": "def install():\n    return 1\n"}
    for name in ("Near", "Far", "Light"):
        texts[f"src/{name}Sorter.kt"] = f"class {name}Sorter<T : Comparable<T>> : ParcelSorter<T>() {{\n}}\n"
    for name in ("Wide", "Tall", "Flat", "Long"):
        texts[f"src/{name}Sorter.kt"] = f"class {name}Sorter<Parcel> {{\n}}\n"
    texts["src/base.kt"] = "open class ParcelSorter<T> {\n}\n"
    texts["src/Parcel.kt"] = "class Parcel {\n}\n"
    report = Asked(texts).ask("Where would I add a sorter for heavy parcels?")
    assert report.claim.startswith("Derive from ParcelSorter (src/base.kt:1-2).")


def test_instructions_for_a_kind_are_cited_where_none_name_what_is_to_be_added() -> None:
    report = Asked(STORES).ask("Where would I add a store for frozen meals?")
    assert report.claim == (
        "Derive from Store (src/Store.php:4-7). An example is NullStore"
        " (src/NullStore.php:3-8). In the documentation, see"
        " Stores > Writing your own store (doc/stores.md:5-8)."
    )


def test_the_base_of_most_of_a_kind_comes_before_the_type_named_after_it() -> None:
    texts = dict(STORES) | {"src/ShelfStore.php": "<?php\n\nclass ShelfStore extends \\Depot\\Store\n{\n}\n"}
    for name in ("Cold", "Warm", "Dry"):
        texts[f"src/{name}Meal.php"] = f"<?php\n\nclass {name}Meal extends StoredMeal\n{{\n}}\n"
    texts["src/StoredMeal.php"] = "<?php\n\nabstract class StoredMeal implements Meal\n{\n}\n"
    texts["src/Meal.php"] = "<?php\n\ninterface Meal\n{\n}\n"
    report = Asked(texts).ask("Where would I add a meal?")
    assert report.claim == (
        "Derive from Meal (src/Meal.php:3-5), as most do by way of StoredMeal (src/StoredMeal.php:3-5)."
    )


def test_a_name_is_found_in_a_text_that_no_parser_reads_while_others_are_still_parsed() -> None:
    question = "which classes implement BatchStore?"
    first = Asked(STORES, unparsed=frozenset({"src/setup.py"})).ask(question)
    assert (first.reading, first.claim) == (
        Asked(STORES).ask(question).reading,
        Asked(STORES).ask(question).claim,
    )
    assert first.claim.startswith("BatchStore (src/BatchStore.php:10-28): Holds all parcels")


def test_a_name_in_a_file_that_is_parsed_later_is_not_said_to_be_in_a_language_without_a_parser() -> None:
    texts = {"a.py": "def known():\n    return 1\n", "b.py": "class LateStore:\n    pass\n"}
    report = Asked(texts, unparsed=frozenset({"b.py"})).ask("which classes implement LateStore?")
    assert "Nothing here parses" not in report.claim


KINDS = STORES | {
    "src/CountedStore.php": """<?php

namespace Depot;

use Depot\\Store;
use Depot\\Counting;

// class OldStore extends Store
final class CountedStore extends \\Depot\\Store implements
    \\Countable,
    Emptied
{
    use Counting;

    public function make(Store $from)
    {
        return new class ($from) extends Store {
        };
    }
}
""",
    "src/Counting.php": "<?php\n\ntrait Counting\n{\n}\n",
    "src/Emptied.php": "<?php\n\ninterface Emptied extends Closed\n{\n}\n",
    "tests/StoreTest.php": "<?php\n\nclass FakeStore extends Store\n{\n}\n",
    "lib/parcel.rb": "module Parcels\n  class Parcel < Crate\n    include Weighing\n\n"
    "    def weigh\n      scale.extend(Weighing)\n"
    "    end\n  end\nend\n",
    "lib/weighing.rb": "module Weighing\nend\n",
    "lib/crate.rb": "require 'set'\nrequire_relative 'weighing'\n\n"
    "# Holds things.\nclass Crate\nend\n\nclass Box < Crate\nend\n",
    "src/disk.kt": "class Disk<T>(\n    val path: Shelf,\n"
    "    val rest: List<Shelf>,\n) : Shelf(), Closed {\n}\n\nopen class Shelf\n",
}


@pytest.mark.parametrize(
    ("question", "derived"),
    [
        (
            "which classes extend Store?",
            "Store is extended, implemented or included by BatchStore (src/BatchStore.php:10), CountedStore"
            " (src/CountedStore.php:9), CountedStore.make (src/CountedStore.php:17) and 2 more and"
            " 1 place in tests.",
        ),
        (
            "what implements Emptied?",
            "Emptied is extended, implemented or included by CountedStore (src/CountedStore.php:11).",
        ),
        (
            "which classes include Counting?",
            "Counting is extended, implemented or included by CountedStore (src/CountedStore.php:13).",
        ),
        (
            "which classes include Weighing?",
            "Weighing is extended, implemented or included by Parcels.Parcel (lib/parcel.rb:3) and"
            " Parcels.Parcel.weigh (lib/parcel.rb:6).",
        ),
        (
            "type hierarchy of Crate",
            "Crate is extended, implemented or included by Box (lib/crate.rb:8) and Parcels.Parcel"
            " (lib/parcel.rb:2).",
        ),
        ("subclasses of Shelf", "Shelf is extended, implemented or included by Disk (src/disk.kt:4)."),
        (
            "which classes extend NullStore?",
            "No line says that anything extends, implements or includes NullStore.",
        ),
    ],
)
def test_what_derives_from_a_type_is_told_by_the_lines_that_say_so(question: str, derived: str) -> None:
    report = Asked(KINDS).ask(question)
    assert derived in report.claim
    assert report.claim.endswith("this is what lines of text say.")


@pytest.mark.parametrize("question", ["what overrides Store.put?", r"what overrides \Depot\Store::put"])
def test_members_of_what_derives_from_a_type_are_told_as_overrides(question: str) -> None:
    asked = Asked(STORES | {"src/Other.php": "<?php\nclass Other {\n  function put() {}\n}\n"})
    places = "BatchStore.put (src/BatchStore.php:19-22), DirectStore.put (src/DirectStore.php:8-11)"
    assert (
        f"put is declared again in {places} and NullStore.put (src/NullStore.php:5-7)."
        in asked.ask(question).claim
    )


def test_a_file_that_no_parser_reads_is_told_by_its_path() -> None:
    asked = Asked(KINDS)
    report = asked.ask("what does lib/crate.rb depend on?")
    assert report.claim == (
        "lib/crate.rb declares Crate (lib/crate.rb:5-6): Holds things. 2 lines of lib/crate.rb say what it"
        " imports. Nothing here parses Ruby: references are not followed."
    )
    assert report.findings[1].excerpt.splitlines() == ["1\trequire 'set'", "2\trequire_relative 'weighing'"]
    report = asked.ask("which files use weighing.rb?")
    assert report.claim.startswith(
        "weighing.rb declares Weighing (lib/weighing.rb:1-2). Nothing here parses Ruby"
    )
    assert [one.symbol for one in report.findings[1:]] == ["Parcels.Parcel", "Parcels.Parcel.weigh"]
    assert "Nothing here parses" not in asked.ask("what does src/setup.py depend on?").claim


def test_how_many_places_have_a_name_is_told_and_an_import_is_none_beside_another() -> None:
    uses = {
        f"src/use{number}.php": f"<?php\n\nuse Depot\\Store;\n\nfunction use{number}(Store $it)\n{{\n}}\n"
        for number in range(20)
    }
    report = Asked(STORES | uses).ask("who uses Store?")
    assert ("lines with the name Store", "12 of 43 are shown (43 in src)") in [
        (one.what, one.why) for one in report.limits
    ]
    assert len({one.path for one in report.findings}) == len(report.findings)


def test_a_qualified_name_means_the_members_of_its_own_type_alone() -> None:
    text = "module Depot\n  class {0}\n    # Of the {0}.\n    def reset\n    end\n  end\nend\n"
    texts = {f"lib/{name.lower()}.rb": text.format(name) for name in ("Site", "Ansi", "Store")}
    report = Asked(texts | {"setup.py": "def install():\n    return 1\n"}).ask(
        "what calls Depot::Site#reset?"
    )
    assert report.claim.startswith(
        "Depot::Site#reset (lib/site.rb:4-5): Of the Site. Nothing here parses Ruby"
    )


def test_the_heading_of_a_document_declares_nothing() -> None:
    texts = {
        "docs/settings.md": "# Settings\n\n## DEPOT_SHELVES\n\nHow many shelves a depot has.\n",
        "depot.py": "DEFAULTS = {\n    'DEPOT_SHELVES': 12,\n}\n\n\ndef count(settings):\n"
        "    return settings.DEPOT_SHELVES\n",
    }
    report = Asked(texts).ask("Where is the setting DEPOT_SHELVES read?")
    assert report.reading.form is Form.CONFIGURED
    assert [(one.path, one.start_line) for one in report.findings][:2] == [("depot.py", 6), ("depot.py", 2)]


GRAMMAR = (
    "%token NUMBER\n\n// Operators are listed with increasing precedence.\n"
    "%left ADD SUB\n%left MUL DIV\n%right POW\n\n"
    "%%\nsum : sum ADD sum | NUMBER ;\n"
)
MADE = (
    "// Code generated by goyacc -o calc.y.go calc.y. DO NOT EDIT.\npackage calc\n\n"
    "func Parse(operators []int) int {\n\tprecedence := 0\n\tfor _, left := range operators {\n"
    "\t\tprecedence += left // yacc precedence of the operators, left to right\n\t}\n\treturn precedence\n}\n"
)


def test_a_grammar_comes_before_what_was_made_of_it() -> None:
    files = {"calc/calc.y": GRAMMAR, "calc/calc.y.go": MADE}
    report = Asked(files).ask(
        "how is the precedence of the operators decided? (precedence, left, POW, Parse)"
    )
    assert report.findings[0].path == "calc/calc.y"
    assert report.claim.startswith("calc/calc.y:")
