"""Calls by a text: of members whose names are put together, of events and of stored functions."""

from __future__ import annotations

from tests.repo_mcp.research.asking import Asked, find_one

HOOKS = {
    "shop/hooks.py": "class Hook:\n    def before_send_parcel(self, parcel):\n        pass\n\n\n"
    "class Weigh(Hook):\n    def before_send_parcel(self, parcel):\n        parcel.weigh()\n",
    "shop/post.py": "class Post:\n    def emit_before(self, name, *rest):\n        name = 'before_' + name\n"
    "        for hook in self.hooks:\n            getattr(hook, name)(*rest)\n\n"
    "    def send(self, parcel):\n        self.emit_before('send_parcel', parcel)\n\n"
    "    def drop(self, parcel):\n        self.emit_before('drop_parcel', parcel)\n",
}


def test_a_member_whose_name_is_put_together_is_called_by_what_hands_on_the_rest() -> None:
    report = Asked(HOOKS).ask("what breaks if I change Hook.before_send_parcel?")
    assert report.claim == (
        "Hook.before_send_parcel (shop/hooks.py:2-3) is overridden or implemented by"
        " Weigh.before_send_parcel (shop/hooks.py:7-8). It is used by Post.emit_before (shop/post.py:2-5) and"
        " Post.send (shop/post.py:7-8)."
    )
    assert find_one(report, "post.Post.send").confidence == "probable"


def test_a_text_that_no_member_is_named_by_calls_nothing() -> None:
    texts = dict(HOOKS)
    texts["shop/post.py"] = texts["shop/post.py"].replace(
        "getattr(hook, name)(*rest)", "log(hook, name, rest)"
    )
    claim = Asked(texts).ask("what breaks if I change Hook.before_send_parcel?").claim
    assert claim.endswith("Nothing in the repository is known to use it.")


EVENTS = {
    "post.js": "function onSent (parcel) {\n  mark(parcel)\n}\n\nfunction listen (post) {\n"
    "  post.on('parcel-sent', onSent)\n}\n",
    "send.js": "function send (post, parcel) {\n  post.emit('parcel-sent', parcel)\n}\n\n"
    "function print () {\n  return 'parcel-sent'\n}\n",
}


def test_what_emits_an_event_calls_what_is_registered_for_it() -> None:
    report = Asked(EVENTS).ask("who calls onSent?")
    assert report.claim.startswith("onSent (post.js:1-3) is called by send (send.js:1-3).")
    assert find_one(report, "send").why == 'emits "parcel-sent", for which onSent is registered'


def test_an_event_is_asked_for_by_its_name() -> None:
    for question in ("what handles the event `parcel-sent`?", "who listens to the 'parcel-sent' event?"):
        assert Asked(EVENTS).ask(question).claim == (
            '"parcel-sent" is given, with onSent (post.js:1-3), to `post.on` in listen (post.js:6).'
            " It is emitted by `post.emit` (send.js:2)."
        )
    texts = {path: text.replace("parcel-sent", "sent") for path, text in EVENTS.items()}  # a single word
    claim = Asked(texts).ask("what handles the event `sent`?").claim
    assert claim.startswith('"sent" is given, with onSent (post.js:1-3), to `post.on` in listen (post.js:6).')


def test_what_calls_a_member_that_stores_a_function_may_call_that() -> None:
    texts = {
        "command.js": "function runOnce (row) {\n  return row\n}\n\nfunction build (command) {\n"
        "  command.execute = runOnce\n}\n",
        "loop.js": "function loop (command, rows) {\n  for (const row of rows) command.execute(row)\n}\n",
    }
    claim = Asked(texts).ask("who calls runOnce?").claim
    assert "perhaps by loop (loop.js:1-3)" in claim or "perhaps called by loop (loop.js:1-3)" in claim


STORES = (
    "class Store:\n    def load(self, key):\n        raise NotImplementedError\n\n\n"
    "class Empty(Store):\n    def load(self, key):\n        return None\n\n\n"
    "class Disk(Store):\n    def load(self, key):\n        path = find(key)\n        return path.read()\n"
)


def test_a_function_without_a_body_works_by_what_overrides_it_and_the_longest_leads() -> None:
    report = Asked({"store.py": STORES}).ask("how does Store.load work?")
    assert report.claim.startswith(
        "Store.load (store.py:2-3) leaves its work to what overrides it: Disk.load (store.py:12-14) and"
        " Empty.load (store.py:7-8)."
    )
    assert [one.symbol for one in report.findings[1:3]] == ["store.Disk.load", "store.Empty.load"]


def test_of_several_declarations_of_one_name_the_one_that_the_others_override_is_asked_for() -> None:
    texts = {
        "base.py": "class Post:\n    def send(self):\n        raise NotImplementedError\n",
        "fast.py": "import base\n\n\nclass Post(base.Post):\n    def send(self):\n        return 1\n",
    }
    claim = Asked(texts).ask("what breaks if I change `Post.send`?").claim
    assert claim.startswith(
        "Post.send (base.py:2-3) is overridden or implemented by Post.send (fast.py:5-6)."
    )


def test_an_event_that_is_emitted_where_another_is_handled_is_told() -> None:
    text = "function pass (from, to) {\n  from.on('sent', (row) => {\n    to.emit('sent', row)\n  })\n}\n"
    claim = Asked({"pass.js": text}).ask("what handles the event `sent`?").claim
    assert claim.endswith(" It is emitted by `to.emit` (pass.js:3).")


def test_what_sends_a_signal_calls_what_is_connected_to_it() -> None:
    texts = {
        "hooks.py": "from signals import saved\n\n\ndef mark_row(row):\n    row.mark()\n\n\n"
        "saved.connect(mark_row)\n",
        "signals.py": "saved = Signal()\n\n\ndef save(row):\n    row.write()\n    saved.send(row)\n",
    }
    report = Asked(texts).ask("who calls mark_row?")
    assert find_one(report, "signals.save").why == "sends saved, to which mark_row is connected"


def test_what_raises_an_event_of_csharp_calls_what_was_added_to_it() -> None:
    texts = {
        "Shop.cs": "class Shop {\n  Shop(Rows rows) {\n    rows.Saved += OnSaved;\n  }\n"
        "  void OnSaved(Row row) { row.Mark(); }\n}\n",
        "Rows.cs": "class Rows {\n  public event Action<Row> Saved;\n"
        "  void Save(Row row) {\n    Saved?.Invoke(row);\n  }\n}\n",
    }
    claim = Asked(texts).ask("who calls Shop.OnSaved?").claim
    assert "Rows.Save (Rows.cs:3-5)" in claim


def test_what_calls_an_entry_of_a_table_may_call_what_is_put_there() -> None:
    texts = {
        "table.py": "class Table:\n    def add(self, key):\n        self.handlers[key] = run_row\n\n"
        "    def run(self, key, row):\n        return self.handlers[key](row)\n\n\n"
        "def run_row(row):\n    return row\n",
    }
    claim = Asked(texts).ask("who calls run_row?").claim
    assert "Table.run (table.py:5-6)" in claim


def test_of_many_that_override_a_method_the_nearest_come_first() -> None:
    base = "class Post:\n    def send(self):\n        raise NotImplementedError\n"
    derived = "from shop.post.base import Post\n\n\nclass {}(Post):\n    def send(self):\n        return 1\n"
    texts = {
        "shop/post/base.py": base,
        "extra/drone.py": derived.format("Drone"),
        "shop/post/rail.py": derived.format("Rail"),
    }
    claim = Asked(texts).ask("what breaks if I change Post.send?").claim
    assert " by Rail.send (shop/post/rail.py:5-6) and Drone.send (extra/drone.py:5-6). " in claim
