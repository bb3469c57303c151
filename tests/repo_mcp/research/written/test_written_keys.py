"""A route, an event or another key of a question leads to what the program does with it, in quotes."""

from __future__ import annotations

import pytest

from repo_mcp.research.findings.handed_on import KeyUse
from repo_mcp.research.findings.records import Form
from repo_mcp.research.written.key_uses import MOST_NAMES, is_imported, read_use
from tests.growth import assert_linear
from tests.repo_mcp.research.asking import Asked, find_one, list_found

TEXTS = {
    "server/routes/parcels.ts": """import { send } from "../parcels.send";

router.post(
  "parcels.send",
  auth(),
  async (ctx) => {
    if (!ctx.body.weight) {
      throw ValidationError("a parcel has a weight");
    }
    ctx.body = await post(ctx.body);
  }
);

router.get("/parcels/:id", showParcel);
""",
    "server/show.ts": "export function showParcel(ctx) {\n  return ctx.id;\n}\n",
    "server/listeners/BillListener.ts": """export class BillListener {
  static events = ["parcels.send"];
  handle(event) {
    bill(event);
  }
}
""",
    "server/listeners/SocketListener.ts": """export class SocketListener {
  handle(event) {
    switch (event.name) {
      case "parcels.drop":
        return drop(event);
      case "parcels.pick":
      case "parcels.send": {
        return emit(event);
      }
    }
  }
}
""",
    "app/client.ts": """export function post(url) {
  return fetch(url);
}
export function sendParcel(parcel) {
  // "parcels.send" is slow
  return post("/parcels.send", { parcel });
}
""",
    "server/API.ts": "export enum API {\n  POST,\n}\n",
    "server/parcels.test.ts": 'it("parcels.send", () => sendParcel());\n',
}
HANDLER = "server/routes/parcels.ts"


@pytest.fixture(scope="module")
def asked() -> Asked:
    return Asked(TEXTS)


@pytest.mark.parametrize(
    "question",
    [
        "what happens when POST parcels.send is called?",
        "Where is the API endpoint parcels.send handled?",
        "which errors can parcels.send raise?",
    ],
)
def test_the_function_that_a_key_is_given_comes_before_what_has_only_other_words(
    asked: Asked, question: str
) -> None:
    report = asked.ask(question)
    assert report.reading.form is Form.WRITTEN
    assert f'"parcels.send" is given, with a function, to `router.post` ({HANDLER}:3-12).' in report.claim
    shown = next(one.excerpt for one in report.findings if one.path == HANDLER)
    assert '4\t  "parcels.send",' in shown
    assert 'throw ValidationError("a parcel has a weight");' in shown


def test_the_errors_of_the_function_that_a_key_is_given_are_told_where_they_are_asked_for(
    asked: Asked,
) -> None:
    claim = asked.ask("which errors can parcels.send raise?").claim
    error = f'ValidationError "a parcel has a weight" ({HANDLER}:8)'
    assert f"({HANDLER}:3-12). Errors that arise there: {error}." in claim
    assert "Errors" not in asked.ask("where is parcels.send handled?").claim


def test_what_is_called_by_the_noun_of_the_question_comes_first_and_a_branch_is_shown_to_its_end(
    asked: Asked,
) -> None:
    report = asked.ask("which listeners handle the event parcels.send?")
    assert report.claim.startswith(
        '"parcels.send" decides a branch in SocketListener.handle (server/listeners/SocketListener.ts:7).'
        " It also occurs in BillListener.events (server/listeners/BillListener.ts:2)."
    )
    assert list_found(report)[:2] == ["SocketListener.handle", "BillListener.events"]
    shown = find_one(report, "SocketListener.handle").excerpt
    assert "switch (event.name)" in shown
    assert "return emit(event);" in shown
    assert "drop(event)" not in shown


def test_tests_and_comments_and_imports_have_no_key(asked: Asked) -> None:
    report = asked.ask("where is parcels.send handled?")
    assert [one.lines for one in report.findings if one.path in (HANDLER, "app/client.ts")] == [(4,), (6,)]
    assert not any(one.path.endswith(".test.ts") for one in report.findings)


def test_a_named_function_is_given_as_well_and_a_route_may_be_mounted_below_another(asked: Asked) -> None:
    report = asked.ask("what happens on GET /api/parcels/:id?")
    assert report.claim == (
        f'"/parcels/:id" is given, with showParcel (server/show.ts:1-3), to `router.get` ({HANDLER}:14).'
    )
    assert "return ctx.id;" in find_one(report, "showParcel").excerpt


def test_a_path_is_found_below_what_it_is_mounted_at_and_though_symbols_have_parts_of_it() -> None:
    texts = {
        "go.mod": "module m\n",
        "web/api/v1/api.go": """package v1

func (api *API) Register(r *Router) {
\tr.Get("/query_range", wrap(api.queryRange))
\tr.Post("/-/reload", api.reload)
}

func (api *API) queryRange(r *Request) Result {
\treturn api.run(r)
}

func (api *API) reload(r *Request) {
\tapi.again <- r
}
""",
        "web/page.js": "const queryRange = 3;\n",
    }
    asked = Asked(texts)
    report = asked.ask("where is /api/v1/query_range handled?")
    place = "`r.Get` in API.Register (web/api/v1/api.go:4)"
    assert report.claim == (
        f'"/query_range" is given, with API.queryRange (web/api/v1/api.go:8-10), to {place}.'
    )
    assert any("return api.run(r)" in one.excerpt for one in report.findings)
    assert asked.ask("what handles /-/reload?").claim.startswith('"/-/reload" is given, with API.reload ')


def test_a_name_from_outside_that_code_uses_is_no_key_though_a_text_has_it() -> None:
    text = 'import os\n\n\ndef size(path):\n    log("os.path.getsize")\n    return os.path.getsize(path)\n'
    assert Asked({"size.py": text}).ask("who calls os.path.getsize?").reading.form is Form.CALLERS


def test_what_uses_a_constant_that_holds_a_key_is_named() -> None:
    texts = {
        "keys.ts": 'export enum ParcelEvent {\n  Sent = "parcels.sent",\n  Lost = "parcels.lost",\n}\n',
        "bill.ts": """import { ParcelEvent } from "./keys";

export function bill(event) {
  if (event.name === ParcelEvent.Sent) {
    charge(event);
  }
}
""",
    }
    report = Asked(texts).ask("what happens when parcels.sent is emitted?")
    assert report.claim == (
        '"parcels.sent" occurs in ParcelEvent.Sent (keys.ts:2). What holds it is used by bill (bill.ts:3-7).'
    )


FILE_READERS = """package kiln

func (k *Kiln) heat() {
\tk.conf = readHeats("/etc/kiln/heats.conf")
}

func readHeats(name string) *Heats {
\tconf := &Heats{}
\treturn conf
}
"""


@pytest.mark.parametrize(
    "question",
    [
        "where is /etc/kiln/heats.conf parsed?",
        "where is `/etc/kiln/heats.conf` read?",
        "where is /etc/kiln/heats.conf parsed? (readHeats, kilnConf)",
    ],
)
def test_the_path_of_a_file_outside_is_a_text_and_its_ending_no_name(question: str) -> None:
    checker = "package check\n\ntype Checker struct {\n\tconf *Config // what is parsed\n}\n"
    texts = {"go.mod": "module m\n", "kiln/kiln.go": FILE_READERS, "check/check.go": checker}
    report = Asked(texts).ask(question)
    assert report.claim == (
        '"/etc/kiln/heats.conf" occurs in Kiln.heat (kiln/kiln.go:4).'
        " It is handed to kiln.readHeats (kiln/kiln.go:7-10)."
    )
    assert list_found(report) == ["kiln.Kiln.heat", "kiln.readHeats"]


def test_where_no_parser_reads_a_file_its_text_tells_the_function_around_a_key() -> None:
    texts = {
        "lib/sender.rb": """class Sender
  def send(parcel)
    Notifications.instrument("send.parcels", parcel: parcel) do |payload|
      payload[:sent] = deliver(parcel)
    end
  end
end
"""
    }
    report = Asked(texts).ask("what instruments send.parcels?")
    place = "`Notifications.instrument` in Sender.send (lib/sender.rb:3)"
    assert report.claim == f'"send.parcels" is given, with a function, to {place}.'
    assert "deliver(parcel)" in find_one(report, "Sender.send").excerpt


def test_a_decorated_function_is_shown_for_the_key_of_its_decorator() -> None:
    texts = {"app.py": '@app.route("/parcels/sent")\ndef sent(box):\n    """List."""\n    return box.sent\n'}
    report = Asked(texts).ask("what happens on GET /parcels/sent?")
    assert (
        report.claim == '"/parcels/sent" is given, with a function, to `@app.route` in app.sent (app.py:1).'
    )
    assert "return box.sent" in find_one(report, "app.sent").excerpt


@pytest.mark.parametrize(
    "question",
    [
        "what does SocketListener.handle do?",
        "how is app/client.ts used?",
        "how do the client/server parts work?",
        "which tests cover parcels.send?",
        "what happens when parcels.lost is called?",
    ],
)
def test_names_and_files_and_prose_and_what_no_line_has_are_no_keys(asked: Asked, question: str) -> None:
    assert asked.ask(question).reading.form is not Form.WRITTEN


@pytest.mark.parametrize(
    ("text", "use", "last"),
    [
        ('@app.route("KEY")\ndef show():\n    pass\n', KeyUse.GIVEN, 1),
        ('@GetMapping("KEY")\npublic Parcel show() {\n}\n', KeyUse.GIVEN, 1),
        ('mux.HandleFunc("KEY", func(w Writer) {\n\tshow(w)\n})\n', KeyUse.GIVEN, 3),
        ('get "KEY" do\n  show\nend\n', KeyUse.GIVEN, 3),
        ('post("KEY") { ctx ->\n    show()\n}\n', KeyUse.GIVEN, 3),
        ('app.on("KEY", |event| {\n    show();\n});\n', KeyUse.GIVEN, 3),
        ('if name == "KEY":\n    show()\n    send()\nelse:\n    drop()\n', KeyUse.DECIDES, 3),
        ('    "KEY" => show(),\n    _ => drop(),\n', KeyUse.DECIDES, 1),
        ('return { "KEY": parcel }\n', KeyUse.HAS, 1),
        ('emit("KEY", event);\n', KeyUse.HAS, 1),
        ('client.post("KEY", { id }).then((row) => row);\n', KeyUse.HAS, 1),
        ('names = ["KEY", other]\n', KeyUse.HAS, 1),
    ],
)
def test_what_code_does_with_a_key_is_told_by_the_call_or_the_branch(
    text: str, use: KeyUse, last: int
) -> None:
    lines = text.split("\n")
    used = read_use(lines, 1, lines[0].index('"'), len('"KEY"'))
    assert (used.use, used.last) == (use, last)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ('import { send } from "KEY";', True),
        ('} from "KEY";', True),
        ('export * from "KEY";', True),
        ('require_relative "KEY"', True),
        ('const send = await import("KEY");', True),
        ('#include "KEY"', True),
        ('export const SENT = "KEY";', False),
        ('export default router.get("KEY", send);', False),
        ('requirePermission("KEY");', False),
        ('from("KEY").to(box);', False),
    ],
)
def test_only_the_name_of_a_module_is_imported(line: str, expected: bool) -> None:
    assert is_imported(line, line.index('"')) is expected


@pytest.mark.parametrize("words", ["an event, e.g. parcels.send", "and/or drop parcels.send"])
def test_prose_beside_a_key_is_none(asked: Asked, words: str) -> None:
    assert asked.ask(f"which listeners handle {words}?").reading.form is Form.WRITTEN


def test_only_the_first_arguments_may_be_functions() -> None:
    names = [f"send{at}" for at in range(30)]
    line = f'post("KEY", {", ".join(names)});'
    assert read_use([line], 1, line.index('"'), len('"KEY"')).names == tuple(names[:MOST_NAMES])


@pytest.mark.parametrize("piece", ["a", "a.", " ", "a, do ", "$", "f(", '"\\'])
def test_a_generated_line_with_a_key_takes_no_longer(piece: str) -> None:
    assert_linear(
        lambda size: [f'{piece * size} "KEY"{piece * size}', piece * size],
        lambda lines: read_use(lines, 1, lines[0].index('"KEY"'), len('"KEY"')),
        1_000,
    )


def test_the_path_of_a_package_of_go_is_found_where_it_is_imported() -> None:
    texts = {"go.mod": "module m\n", "a.go": 'package a\n\nimport (\n\t"fmt"\n\n\t"acme.org/go/locks"\n)\n'}
    claim = Asked(texts).ask("what imports acme.org/go/locks?").claim
    assert claim == '"acme.org/go/locks" occurs in a (a.go:6).'
