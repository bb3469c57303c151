"""A text for each language with line patterns: those that `snippets.py` lacks, and none left out."""

from __future__ import annotations

import pytest

from repo_mcp.languages.patterns.landmarks import scan
from repo_mcp.languages.patterns.language_registry import LANGUAGES
from tests.repo_mcp.languages.patterns.snippets import SNIPPETS

# language -> a text, the names that it defines, and its comments; some have patterns for comments alone
TEXTS: dict[str, tuple[str, list[str], list[str]]] = {
    "assembly": (
        "/* Start. */\nENTRY(startup)\nloop_top:\n\tjmp loop_top\n"
        "TEXT engine·start(SB), NOSPLIT, $0\nTEXT ·stop<ABIInternal>(SB), $8-0\nTEXT _entry<>(SB), $0\n",
        ["startup", "loop_top", "start", "stop", "_entry"],
        ["/* Start. */"],
    ),
    "cmake": ("# Options\nfunction(add_part name)\nendfunction()\n", ["add_part"], ["# Options"]),
    "css": (
        "/* Colours */\n$card-gap: 1px;\n@mixin card($x) { }\n.card-title { color: red; }\n#main { }\n",
        ["card-gap", "card"],
        ["/* Colours */"],
    ),
    "devicetree": ("/* A board. */\nuart0: serial@1000 {\n};\n", ["uart0"], ["/* A board. */"]),
    "dockerfile": ("# Build\nFROM alpine AS builder\nARG VERSION=1\n", ["builder"], ["# Build"]),
    "clojure": (
        '; Greets.\n(ns ^{:doc "x"} app.core)\n(defn- ^String greet! [x]\n  (def y 1))\n(default x)\n'
        "#?(:clj (defmacro go-loop [] x))\n(s/def ::name string?)\n",
        ["app.core", "greet!", "y", "go-loop", "::name"],
        ["; Greets."],
    ),
    "common-lisp": (
        ";;; Greets.\n(defun greet (x) x)\n(define (square x) (* x x))\n(define-key map x)\n",
        ["greet", "square"],
        [";;; Greets."],
    ),
    "ocaml": (
        "(* Adds. *)\nlet add x y = x + y\nlet limit = 3\ntype 'a tree =\n  | Leaf\nmodule M = struct\n"
        "  let rec fold f = f\n  let inner = 1 in\n  let g x = x in\nend\nval ( >>= ) : int\n",
        ["add", "limit", "tree", "M", "fold", ">>="],
        ["(* Adds. *)"],
    ),
    "fsharp": (
        "// Adds.\nmodule App.Core\nlet add x y = x + y\ntype Client() =\n    member this.Send(x) = x\n"
        "    let local = 1\n",
        ["App.Core", "add", "Client", "Send"],
        ["// Adds."],
    ),
    "erlang": (
        "% Adds.\n-module(calc).\n-record(row, {id}).\n-spec add(A, B) -> C.\nadd(A, B) ->\n    sum(A, B).\n",
        ["calc", "row", "add"],
        ["% Adds."],
    ),
    "graphql": (
        "# Users\ntype User {\n  id: ID!\n}\nextend enum Role { ADMIN }\ndirective @cached on FIELD\n",
        ["User", "Role", "cached"],
        ["# Users"],
    ),
    "solidity": (
        "// A token.\ncontract Token is Base {\n  function send(uint x) public {}\n"
        "  event Sent(uint x);\n}\n",
        ["Token", "send", "Sent"],
        ["// A token."],
    ),
    "powershell": (
        "# Gets.\nfunction Get-Item {\n}\nfunction global:Set-Item {\n}\n",
        ["Get-Item", "Set-Item"],
        ["# Gets."],
    ),
    "groovy": (
        "/** A class. */\nclass Build {\n    def compile(x) {\n    }\n}\n",
        ["Build", "compile"],
        ["/** A class. */"],
    ),
    "html": ('<!-- A page. -->\n<h1 id="top">Title</h1>\n', [], ["<!-- A page. -->"]),
    "ini": ("; Servers\n[server]\nport = 1\n", ["server"], ["; Servers"]),
    "objective-c": ("/* A view. */\n@interface CardView : NSView\n@end\n", ["CardView"], ["/* A view. */"]),
    "svelte": (
        "<!-- A card. -->\n<script>\nexport function open() {}\n</script>\n",
        ["open"],
        ["<!-- A card. -->"],
    ),
    "terraform": ('# Network\nresource "aws_vpc" "main" {\n}\n', ["main"], ["# Network"]),
    "vue": (
        "<!-- A card. -->\n<script>\nexport function open() {}\n</script>\n",
        ["open"],
        ["<!-- A card. -->"],
    ),
    "xml": ('<!-- A list. -->\n<item name="one"/>\n', [], ["<!-- A list. -->"]),
    "yaml": ("# Jobs\njobs:\n  build: 1\n", [], ["# Jobs"]),
}


@pytest.mark.parametrize("language", TEXTS)
def test_a_text_gives_its_names_and_comments(language: str) -> None:
    text, names, comments = TEXTS[language]
    data = text.encode()
    found = scan(LANGUAGES[language], data)
    assert [data[first:last].decode() for first, last in found.definitions] == names
    assert [data[first:last].decode() for first, last in found.doc_spans] == comments


def test_every_language_with_a_pattern_has_a_text() -> None:
    with_pattern = {name for name, language in LANGUAGES.items() if language.pattern is not None}
    assert with_pattern == set(SNIPPETS) | set(TEXTS), "give each language with a pattern a text in TEXTS"
    assert not set(SNIPPETS) & set(TEXTS)


# language -> a text, and the names that it defines: what older patterns of these languages left out
FURTHER: dict[str, tuple[str, list[str]]] = {
    "elixir": ("  @type state :: map\n  @callback stop?(pid) :: atom\n", ["state", "stop?"]),
    "haskell": (
        "type instance Elem [a] = a\n(<+>) :: Int -> Int\nleft, right :: Int\n",
        ["Elem", "<+>", "left"],
    ),
    "julia": (
        "Base.size(x::A{T}, n) where T = 3\n@inline fill!(x) = x\nprimitive type Byte 8 end\n"
        'const TEXT = """\na(b) = c\n"""\nfunction after!()\nend\n',
        ["size", "fill!", "Byte", "TEXT", "after!"],
    ),
    "objective-c": (
        "@protocol Codec;\n@protocol Codec <NSObject>\n- (void (^)(int))handler;\n@end\n"
        "typedef NS_ENUM(NSInteger, CacheType) {\n};\n",
        ["Codec", "handler", "CacheType"],
    ),
    "perl": (
        "use constant LIMIT => 3;\nhas 'name' => 1;\nhas level => sub { 1 };\n",
        ["LIMIT", "name", "level"],
    ),
    "r": (
        'Mask <- R6Class("Mask",\n)\nsetClass("Row", x)\n`%||%` <- function(a, b) a\n'
        "`names<-.x` = function(x) 1\n",
        ["Mask", "Row", "%||%", "names<-.x"],
    ),
    "ruby": (
        "def ==(other)\nend\ndef name=(x)\nend\ndef -@ = 1\ndef !~(x)\nend\nPoint = Struct.new(:x)\n",
        ["==", "name=", "-@", "!~", "Point"],
    ),
    "sql": ("CREATE DOMAIN app.mail AS text;\nCREATE OR REPLACE FUNCTION a.b() AS $$\n", ["mail", "b"]),
    "zig": ("const A = struct {\n    pub const limit = 3;\n    const local = 1;\n};\n", ["A", "limit"]),
}


@pytest.mark.parametrize("language", FURTHER)
def test_forms_that_are_less_usual(language: str) -> None:
    text, names = FURTHER[language]
    data = text.encode()
    found = scan(LANGUAGES[language], data)
    assert [data[first:last].decode() for first, last in found.definitions] == names
