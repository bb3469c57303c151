"""Openings that say no more than is known: of guessed names, further parts, tables and settings."""

from __future__ import annotations

from repo_mcp.research.findings.records import Form
from repo_mcp.toolsets.research.other_places import group_others
from tests.repo_mcp.research.asking import Asked, find_one, list_found

LOADERS = {
    "setup/loaders.py": """def load_ini(path):
    return parse_sections(path)


def load_toml(path):
    return parse_tables(path)


LOADERS_BY_NAME = {
    "setup.cfg": load_ini,
    "tox.ini": load_ini,
    "project.toml": load_toml,
}


def find_setup(folder):
    for name, load in LOADERS_BY_NAME.items():
        if (folder / name).exists():
            return load(folder / name)
    return None
""",
    "setup/shelf.py": """class Shelf:
    def hold(self):
        self.is_held = True


def keep(shelf: Shelf):
    shelf.hold()
""",
}


def test_a_table_that_a_good_function_reads_is_where_one_more_may_belong() -> None:
    report = Asked(LOADERS).ask(
        "Where would I support one more format of project files? (find_setup, load_ini)"
    )
    assert report.claim.endswith(
        " loaders.LOADERS_BY_NAME (setup/loaders.py:9-13) is a table that find_setup reads."
    )
    assert '"tox.ini": load_ini,' in find_one(report, "loaders.LOADERS_BY_NAME").excerpt
    found = list_found(report)
    assert found.index("loaders.LOADERS_BY_NAME") == found.index("loaders.find_setup") + 1


def test_a_value_of_one_line_is_no_table() -> None:
    short = LOADERS["setup/loaders.py"].replace(
        '{\n    "setup.cfg": load_ini,\n    "tox.ini": load_ini,\n    "project.toml": load_toml,\n}',
        "dict(read_entries())",
    )
    report = Asked(LOADERS | {"setup/loaders.py": short}).ask(
        "Where would I support one more format of project files? (find_setup, load_ini)"
    )
    assert "is a table" not in report.claim


def test_of_a_further_part_that_only_the_guesses_answer_the_closest_is_named() -> None:
    asked = "Who calls find_setup, and when does the elevator explode? (find_setup, Shelf, hold)"
    claim = Asked(LOADERS).ask(asked).claim
    assert claim.endswith(
        "When does the elevator explode? Nothing found has the words of this part; closest are"
        " shelf.Shelf (setup/shelf.py:1-3) and shelf.keep (setup/shelf.py:6-7)."
    )


def test_what_a_value_does_is_what_those_do_that_read_it() -> None:
    texts = {"limits.py": "DEPTH = 3\n\n\ndef dive(at):\n    return at if at < DEPTH else dive(at - DEPTH)\n"}
    claim = Asked(texts).ask("what does DEPTH do?").claim
    assert claim == "limits.DEPTH (limits.py:1) is used by limits.dive (limits.py:4-5)."


def test_what_stands_beside_the_users_of_a_subject_is_no_user() -> None:
    report = Asked(LOADERS).ask("What breaks if I change Shelf.hold? (Shelf, hold, find_setup, load_toml)")
    beside = [one for one in report.findings if one.symbol.startswith("loaders.")]
    assert beside
    groups = dict(group_others(report, report.findings, 1))
    users = " ".join(groups.get("other direct users", ()))
    assert "keep" in users
    assert "find_setup" not in users


SETTINGS = {
    "app/options.py": """SETTINGS = (
    Setting(
        "worker_threads",
        3,
        "Number of threads",
    ),
)
""",
    "app/run.py": """class Server:
    def start(self):
        if self.setting("worker_threads") == 0:
            return self.run_alone()
        return self.run_pool(self.setting("worker_threads"))
""",
    "test-in-a-browser.sh": "serve --with worker_threads=0\n",
}


def test_a_record_of_a_setting_declares_it_and_a_function_asked_for_it_reads_it() -> None:
    claim = Asked(SETTINGS).ask("Where is the setting worker_threads read?").claim
    assert claim.startswith(
        "worker_threads is read at app/run.py:3. It is declared as an option at app/options.py:3."
    )
    assert ".sh" not in claim


def test_a_variable_named_like_the_setting_that_it_takes_reads_it() -> None:
    files = {
        "settings.py": "DEFAULTS = {\n    'MAX_PROXIES': None,\n}\n",
        "throttle.py": "def find_client(request):\n    max_proxies = api_settings.MAX_PROXIES\n"
        "    if max_proxies is None:\n        return request.sender\n    return request.all[-max_proxies]\n",
    }
    claim = Asked(files).ask("Where is MAX_PROXIES configured?").claim
    assert "It is read at throttle.py:2." in claim


def test_a_base_with_two_types_is_the_one_if_one_of_them_is_guessed_as_well() -> None:
    files = {
        "filters.py": """class Filter:
    key = None

    def where_clause(self, column, value):
        raise NotImplementedError


class InFilter(Filter):
    key = "in"

    def where_clause(self, column, value):
        return f"{column} in ({value})"


class GlobFilter(Filter):
    key = "glob"

    def where_clause(self, column, value):
        return f"{column} glob {value}"


class Filters:
    known = [InFilter(), GlobFilter()]

    def build(self, request):
        return [one.where_clause(*request[one.key]) for one in self.known]
""",
    }
    asked = Asked(files)
    claim = asked.ask(
        "Where would I add a new comparison that people can pick? (Filter, InFilter, build)"
    ).claim
    assert claim.startswith("Derive from filters.Filter (filters.py:1-5).")
    assert "Filters.known (filters.py:23) lists existing ones." in claim
    assert "Filters.build (filters.py:25-26) reads Filters.known." in claim
    alone = asked.ask("Where would I add a new comparison that people can pick? (Filter, build)").claim
    assert not alone.startswith("A new one")


PARSER = {
    "lib/errors.js": "const codes = {\n  APP_ERR_TOO_LARGE: createError('APP_ERR_TOO_LARGE', 'too large'),\n"
    "  APP_ERR_NO_TYPE: createError('APP_ERR_NO_TYPE', 'no type'),\n}\nmodule.exports = codes\n",
    "lib/parser.js": """const { APP_ERR_TOO_LARGE, APP_ERR_NO_TYPE } = require('./errors')

function readBody (request, limit, done) {
  if (request.length > limit) {
    done(new APP_ERR_TOO_LARGE(), undefined)
    return
  }
  done(null, request.body)
}

function addParser (type, parser) {
  if (!type) throw new APP_ERR_NO_TYPE()
  parsers.set(type, parser)
}
""",
}


def test_an_error_class_in_capitals_is_an_error_wherever_it_is_made() -> None:
    claim = (
        Asked(PARSER)
        .ask("Which errors can a client get while a body is read? (APP_ERR_TOO_LARGE, readBody)")
        .claim
    )
    assert claim.startswith("Errors that arise in readBody (lib/parser.js:3-9): APP_ERR_TOO_LARGE (:5)")


REPLY = {
    "lib/reply.js": """function Reply (raw) {
  this.raw = raw
  this[kReplyTaken] = false
}

Reply.prototype.take = function () {
  this[kReplyTaken] = true
  return this
}

Reply.prototype.send = function (text) {
  if (this[kReplyTaken]) return this
  this.raw.end(text)
  return this
}
""",
}


def test_what_breaks_with_a_method_is_also_what_reads_the_field_that_it_sets() -> None:
    claim = Asked(REPLY).ask("What breaks if I change Reply.take?").claim
    assert "What it sets is read by Reply.send (lib/reply.js:11-15)." in claim


def test_a_part_of_a_header_is_no_name_that_is_declared_outside() -> None:
    files = {
        "ip.go": 'package web\n\nimport "net"\n\nfunc trust(ip net.IP) bool {\n\treturn ip != nil\n}\n\n'
        "func FromRealHeader(header string) string {\n\tif trust(net.ParseIP(header)) {\n\t\treturn header\n"
        "\t}\n"
        '\treturn ""\n}\n',
    }
    asked = "What is the difference between the address in the X-Real-IP header and that in X-Forwarded-For?"
    claim = Asked(files).ask(f"{asked} (FromRealHeader, trust)").claim
    assert "net.IP is used by" not in claim
    assert "FromRealHeader" in claim


def test_a_guess_does_not_stand_for_a_sentence() -> None:
    asked = "How does the folder find out in the end that some loader that I set up for it was never needed?"
    report = Asked(LOADERS).ask(f"{asked} (find_setup, load_toml)")
    assert report.reading.form is Form.OPEN
    brief = Asked(LOADERS).ask("Who calls the loader of tables? (load_toml)")
    assert brief.reading.form is Form.CALLERS


GATES = {
    "gates.py": (
        "class Gate:\n"
        "    def enter_visitor(self, name):\n        self._enter_visitor(name)\n\n"
        "    def _enter_visitor(self, name):\n        if name in self.names:\n            self.warn(name)\n"
        "        self.names[name] = name\n"
    )
}


def test_an_ordinary_verb_is_not_said_to_be_missing() -> None:
    claim = Asked(GATES).ask("what does Gate.enter_visitor do when the name already exists?").claim
    assert claim.startswith(
        "Gate.enter_visitor (gates.py:2-3) fits the question best. It calls Gate._enter_visitor"
    )
