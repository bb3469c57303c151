"""What questions to unknown repositories showed: kinds of two words, verbs as stems, words that lead."""

from __future__ import annotations

import pytest

from repo_mcp.research.findings.records import Form
from repo_mcp.research.question.grammar import parse_question
from tests.repo_mcp.research.asking import Asked, list_found

VIEWS = {
    "views/api.py": "class Contentview:\n    def prettify(self, data):\n        raise NotImplementedError\n",
    "views/old.py": "from typing_extensions import deprecated\n\n\n"
    '@deprecated("Use Contentview instead.")\nclass View:\n    def show(self):\n        return self\n\n\n'
    "class Legacy(View):\n    pass\n",
    "views/kinds.py": "from views.api import Contentview\n\n\n"
    "class Css(Contentview):\n    def prettify(self, data):\n        return data.strip()\n",
    "views/registry.py": "from views.api import Contentview\n\n\n"
    "def add(view: Contentview) -> None:\n    KNOWN.append(view)\n",
    "focus.py": "class Focus:\n    def view_add(self, flow):\n        self.flow = flow\n",
}


def test_a_kind_of_two_words_is_found_by_its_joined_name_and_not_by_a_deprecated_one() -> None:
    report = Asked(VIEWS).ask("Where would I add a new content view?")
    assert report.claim.startswith("Derive from api.Contentview (views/api.py:1-3).")
    assert "registry.add (views/registry.py:4-5) registers it" in report.claim
    assert list_found(report)[0] == "api.Contentview"


def test_a_backend_is_of_the_kind_that_is_named_before_it() -> None:
    kinds = "".join(f"\n\nclass {name}Storage(Component):\n    pass\n" for name in ("Disk", "Cloud", "Tape"))
    files = {
        "component.py": "class Component:\n    def store(self, span):\n        raise NotImplementedError\n",
        "kinds.py": f"from component import Component\n{kinds}",
    }
    report = Asked(files).ask("Where would I add a new storage backend?")
    assert report.claim.startswith("Derive from component.Component (component.py:1-3)")


def test_a_base_is_found_though_it_is_used_in_many_places_before_it_is_derived_from() -> None:
    uses = {
        f"src/Use{at:02}.cs": f"namespace Shop {{\n  public class Use{at:02} {{\n"
        f"    public int Count(JobStorage one) {{\n      return one.Count() + {at};\n    }}\n  }}\n}}\n"
        for at in range(40)
    }
    files = uses | {
        "src/JobStorage.cs": "namespace Shop {\n  public abstract class JobStorage {\n"
        "    public abstract int Count();\n  }\n}\n",
        "src/ZSqlStorage.cs": "namespace Shop {\n  public class SqlStorage : JobStorage {\n"
        "    public override int Count() {\n      return 1;\n    }\n  }\n}\n",
        "src/Old.cs": "namespace Shop {\n  public class Configuration {\n"
        '    [Obsolete("Use another.")]\n    public void UseStorage(JobStorage storage) {\n'
        "      storage.Count();\n    }\n"
        "    public void UseShopServer(JobStorage storage) {\n      storage.Count();\n    }\n  }\n}\n",
    }
    report = Asked(files).ask("Where would I add a new storage backend?")
    assert report.claim.startswith("Derive from Shop.JobStorage (src/JobStorage.cs:2-4).")
    assert "registers it" not in report.claim  # one is deprecated, the other registers a server
    assert report.findings[0].why == "the type to derive from or to implement"


def test_an_error_that_is_given_one_of_a_kind_is_no_place_to_add_one() -> None:
    files = {
        "driver.ts": "export abstract class Driver {\n  abstract connect(): void\n}\n",
        "mongo.ts": 'import { Driver } from "./driver"\n\n'
        "export class MongoDriver extends Driver {\n  connect(): void {\n    open()\n  }\n}\n",
        "errors.ts": 'import { Driver } from "./driver"\n\n'
        "export class TreeError extends Error {\n  constructor(driver: Driver) {\n    super()\n  }\n}\n",
    }
    claim = Asked(files).ask("Where would I add a new driver?").claim
    assert "TreeError" not in claim


def test_the_stem_of_a_verb_finds_the_names_that_have_the_verb() -> None:
    runners = {
        f"{name}.py": f"class {name.title()}Runner:\n    def change_column(self, column):\n"
        f"        if column.kind:\n            self.run(column)\n"
        for name in ("oracle", "postgres", "spanner")
    }
    report = Asked(runners).ask("How are enum columns changed in Postgres?")
    assert list_found(report)[0] == "postgres.PostgresRunner.change_column"


def test_the_words_of_an_errors_question_place_no_function_that_is_named_by_chance() -> None:
    files = {
        "grid.py": "def read_file(name):\n    try:\n        return open(name)\n"
        "    except OSError as error:\n        raise CommandError(error)\n",
        "flows.py": "def load_flows(file):\n    for flow in file:\n        if flow is None:\n"
        '            raise FlowReadError("the dump has no flow")\n        yield flow\n',
    }
    report = Asked(files).ask("Which errors can reading a flow dump file raise?")
    assert list_found(report)[0] == "flows.load_flows"


def test_a_bare_keyword_is_no_word_of_a_question() -> None:
    files = {
        "layer.py": "def on_error(connection):\n    if connection.failed:\n        pass\n"
        "    elif connection.lost:\n        pass\n    else:\n        pass\n    return connection\n",
        "next.py": "def pass_on(connection, ignored):\n    if connection.host in ignored:\n"
        "        return connection\n    return None\n",
    }
    report = Asked(files).ask("When does it pass a connection through?")
    assert list_found(report)[0] == "next.pass_on"


def test_a_participle_finds_its_verb() -> None:
    files = {
        "filter.py": "def authorize(dashboard):\n    if dashboard.local:\n        return 1\n    return 2\n",
        "compiler.py": "def compile_access(dashboard):\n    if dashboard.access:\n        return 1\n"
        "    return 2\n",
    }
    report = Asked(files).ask("How is access to the dashboard authorized?")
    assert list_found(report)[0] == "filter.authorize"


def test_what_belongs_to_the_type_with_the_most_telling_word_leads() -> None:
    jar = "    def {0}(self, flow):\n        if flow.{0}:\n            self.jar.update(flow.cookies)\n"
    parse = (
        "def parse_{0}_cookies(cookies):\n    if cookies:\n        return [cookies]\n    return cookies\n\n\n"
    )
    files = {
        "cookies.py": "".join(parse.format(name) for name in ("set", "get", "all", "raw")),
        "addon.py": "class StickyCookie:\n" + "\n".join(jar.format(name) for name in ("request", "response")),
    }
    files["addon.py"] += "\n" + "\n".join(
        f"    def option_{at}(self):\n        return {at}\n" for at in range(40)
    )
    claim = Asked(files).ask("How are cookies made sticky?").claim
    assert claim.startswith("StickyCookie.")


@pytest.mark.parametrize(
    ("query", "form"),
    [
        ("How are container labels parsed into configuration?", Form.OPEN),
        ("How does the bundler resolve imports?", Form.OPEN),
        ("What is the retry configuration?", Form.CONFIGURED),
        ("How are plugins registered?", Form.OPEN),
        ("Where is the plugin loader registered?", Form.CONFIGURED),
        ("worker pool settings", Form.CONFIGURED),
        ("What are the dependencies of Store?", Form.DEPENDENCIES),
    ],
)
def test_no_name_begins_as_a_question_does(query: str, form: Form) -> None:
    assert parse_question(query)[0].form is form


def test_types_that_implement_a_kind_count_before_interfaces_that_extend_it() -> None:
    files = {
        "entities.ts": "export interface BaseProvider { id: string }\n"
        "export interface AdminProvider extends BaseProvider { name: string }\n"
        "export interface StoreProvider extends BaseProvider { name: string }\n"
        "export interface ShopProvider extends BaseProvider { name: string }\n",
        "abstract.ts": "export abstract class AbstractProvider {\n  abstract pay(): void\n}\n",
        "card.ts": 'import { AbstractProvider } from "./abstract"\n\n'
        "export class Card extends AbstractProvider {\n  pay(): void {\n    charge()\n  }\n}\n"
        "export class Cash extends AbstractProvider {\n  pay(): void {\n    take()\n  }\n}\n",
    }
    claim = Asked(files).ask("Where would I add a new provider?").claim
    assert claim.startswith("Derive from AbstractProvider (abstract.ts:1-3)")
