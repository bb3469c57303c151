"""How nine languages write the statements of generated programs of nested scopes."""

from __future__ import annotations

from tests.repo_mcp.graph.scoped_programs import MEMBERS, Form, Language


def _list_members(text: str) -> str:
    return " ".join(text.format(number) for number in range(MEMBERS))


BLOCK = Form("{{~{body}}}", "")

C = Language(
    path="a.c",
    head=f"struct Ant {{ {_list_members('int m{};')} }};\nstruct Bee {{ {_list_members('int m{};')} }};\n"
    "struct Ant x;\nstruct Bee y;\nvoid run(void) {",
    tail="}",
    declare=(
        Form("struct {type} {name} = {source};", untyped="__auto_type {name} = {source};"),
        Form("struct {type} *{name}, *z{name} = {source};", "typed"),
        Form("int more;~__auto_type {name} = {source};", "untyped"),
    ),
    inside=(
        BLOCK,
        Form("for (struct {type} {name} = {source};~more(); next()) {{~{body}}}", "typed"),
        Form("if (more()) {{~{body}}}", ""),
        Form("while (more()) {{~__auto_type {name} = {source};~{body}}}", "untyped", same=True),
        Form("do {{~struct {type} {name};~{body}}} while ({source});", "typed", same=True),
        Form("switch (more()) {{~case 1:~struct {type} {name};~{body}break; }}", "typed", same=True),
        Form("take(({{~struct {type} {name};~{body}1; }}));", "typed", same=True),
        Form("if (more()) {{~struct {type} {name};~{body}}}~else {{ next(); }}", "typed", same=True),
        Form(
            "if (more()) {{ next(); }}~else {{~__auto_type {name} = {source};~{body}}}", "untyped", same=True
        ),
    ),
)

CPP = Language(
    path="a.cc",
    head=C.head,
    tail="}",
    declare=(
        Form("{type} {name} = {source};", untyped="auto {name} = {source};"),
        Form("auto {name} = {type}();", "typed"),
        Form("auto [{name}, z{name}] = {source};", "untyped"),
        Form("const auto& {name} = {source};", "untyped"),
        Form("{type} {name}{{}}, *z{name};", "typed"),
    ),
    inside=(
        BLOCK,
        Form(
            "for ({type} {name} = {source};~more(); next()) {{~{body}}}",
            untyped="for (auto {name} = {source};~more();) {{~{body}}}",
        ),
        Form(
            "for ({type}& {name} : {source}) {{~{body}}}",
            untyped="for (const auto& {name} : {source}) {{~{body}}}",
            sees=True,
        ),
        Form("for (auto [{name}, z] : {source}) {{~{body}}}", "untyped", sees=True),
        Form(
            "if ({type} {name} = {source}; more()) {{~{body}}}",
            untyped="if (auto {name} = {source}) {{~{body}}}",
        ),
        Form("if ({type}* {name} = {source}) {{ next(); }}~else {{~{body}}}", "typed"),
        Form("while ({type}* {name} = {source}) {{~{body}}}", "typed"),
        Form("switch ({type} {name} = {source}; more()) {{~case 1:~{body}break; }}", "typed"),
        Form("take([&]({type} {name}) {{~{body}}});", untyped="take([&](auto {name}) {{~{body}}});"),
        Form("take([{name} = {source}] {{~{body}}});", "untyped", sees=True),
        Form("try {{ next(); }}~catch ({type}& {name}) {{~{body}}}", "typed"),
        Form("struct L {{ void go({type} {name}) {{~{body}}} }};", "typed", closed=True),
        Form("if (more()) {{~{body}}}", ""),
    ),
)

JAVA = Language(
    path="Run.java",
    head=f"class Ant {{ {_list_members('int m{};')} }}\nclass Bee {{ {_list_members('int m{};')} }}\n"
    "class Run {\nAnt x;\nBee y;\nvoid run() {",
    tail="}\n}",
    declare=(
        Form("{type} {name} = {source};", untyped="var {name} = {source};"),
        Form("var {name} = new {type}();", "typed"),
        Form("if (!(ext() instanceof {type} {name})) {{ return; }}", "typed"),
    ),
    inside=(
        BLOCK,
        Form(
            "for ({type} {name} = {source};~more(); next()) {{~{body}}}",
            untyped="for (var {name} = {source};~more();) {{~{body}}}",
        ),
        Form(
            "for ({type} {name} : {source}) {{~{body}}}",
            untyped="for (var {name} : {source}) {{~{body}}}",
            sees=True,
        ),
        Form("take(({type} {name}) -> {{~{body}}});", untyped="take({name} -> {{~{body}}});"),
        Form("take(({name}, z) -> {{~{body}}});", "untyped"),
        Form("try {{ next(); }}~catch ({type} {name}) {{~{body}}}", "typed"),
        Form("try ({type} {name} = {source}) {{~{body}}}", untyped="try (var {name} = {source}) {{~{body}}}"),
        Form("switch (more()) {{~case 1:~{type} {name} = null;~{body}break; }}", "typed"),
        Form("switch (more()) {{~case 1 -> {{~{type} {name} = null;~{body}}} }}", "typed"),
        Form("switch (ext()) {{~case {type} {name} -> {{~{body}}} }}", "typed"),
        Form("if (ext() instanceof {type} {name}) {{~{body}}}", "typed"),
        Form("new Thread() {{~void go({type} {name}) {{~{body}}} }};", "typed"),
        Form("if (more()) {{~{body}}}", ""),
    ),
    hides=False,
)

GO = Language(
    path="a.go",
    head="package a\ntype Ant struct { "
    + _list_members("m{} int;")
    + " }\ntype Bee struct { "
    + _list_members("m{} int;")
    + " }\nvar x Ant\nvar y Bee\nfunc run(things []interface{}, queue chan interface{}) {",
    tail="}",
    declare=(
        Form("var {name} {type} = {source}", untyped="{name} := {source}", sees=True),
        Form("{name} := {type}{{}}", "typed"),
        Form("{name} := &{type}{{}}", "typed"),
        Form("{name}, z := ext()", "untyped"),
        Form("{name} := ext().({type})", "typed"),
    ),
    inside=(
        BLOCK,
        Form("if {name} := new({type}); more() {{~{body}}}", "typed"),
        Form("if {name}, z := {source}; more() {{~next()~}} else {{~{body}}}", "untyped", sees=True),
        Form("for _, {name} := range {source} {{~{body}}}", "untyped", sees=True),
        Form("for {name} := range {source} {{~{body}}}", "untyped", sees=True),
        Form("for {name} := new({type}); more(); next() {{~{body}}}", "typed"),
        Form("take(func({name} {type}) {{~{body}}})", "typed"),
        Form("switch {name} := new({type}); more() {{~case true:~{body}}}", "typed"),
        Form("switch {name} := ext().(type) {{~case {type}:~{body}}}", "typed"),
        Form(
            "switch {{~case more():~{name} := new({type});~{body}~case false:~next()~}}", "typed", same=True
        ),
        Form("select {{~case {name} := <-queue:~{body}}}", "untyped"),
        Form("if more() {{~{body}}}", ""),
    ),
    use="take({name}.{member})",
    bare="take({name})",
    end=";",
)

RUST = Language(
    path="src/lib.rs",
    head=f"pub struct Ant {{ {_list_members('pub m{}: u8,')} }}\n"
    f"pub struct Bee {{ {_list_members('pub m{}: u8,')} }}\n"
    "static x: Ant = make();\nstatic y: Bee = make();\nfn run() {",
    tail="}",
    declare=(
        Form("let {name}: {type} = {source};", untyped="let {name} = {source};", sees=True),
        Form("let mut {name} = {type} {{ ..ext() }};", "typed"),
        Form("let ({name}, z) = {source};", "untyped", sees=True),
        Form("let Some({name}) = {source} else {{ return; }};", "untyped", sees=True),
        Form("let {name}: &mut {type} = {source};", "typed", sees=True),
    ),
    inside=(
        BLOCK,
        Form("if let Some({name}) = {source} {{~{body}}}", "untyped", sees=True),
        Form("if let Some({name}) = {source} {{ next(); }}~else {{ next(); }}~{{ {body}}}", "", sees=True),
        Form("while let Some({name}) = {source} {{~{body}}}", "untyped", sees=True),
        Form("for {name} in {source} {{~{body}}}", "untyped", sees=True),
        Form("for (z, {name}) in {source} {{~{body}}}", "untyped", sees=True),
        Form("take(|{name}: {type}| {{~{body}}});", untyped="take(|{name}| {{~{body}}});"),
        Form("match {source} {{~Some({name}) => {{~{body}}}~_ => {{}} }}", "untyped", sees=True),
        Form("match {source} {{~{name} => {{~{body}}} }}", "untyped", sees=True),
        Form("match {source} {{~P {{ {name}, .. }} => {{~{body}}} _ => {{}} }}", "untyped", sees=True),
        Form("fn inner({name}: {type}) {{~{body}}}", "typed", closed=True),
        Form("let z = {{~let {name}: {type} = ext();~{body}1 }};", "typed"),
        Form("loop {{~{body}}}", ""),
    ),
    again=True,
    other={"Cargo.toml": '[package]\nname = "app"\n'},
)

SWIFT = Language(
    path="Sources/App/a.swift",
    head="struct Ant { "
    + _list_members("var m{}: Int;")
    + " }\nstruct Bee { "
    + _list_members("var m{}: Int;")
    + " }\nlet x: Ant = make()\nlet y: Bee = make()\nfunc run() {",
    tail="}",
    declare=(
        Form("let {name}: {type} = {source}", untyped="let {name} = {source}"),
        Form("var {name} = {type}()", "typed"),
        Form("let ({name}, z) = {source}", "untyped"),
        Form("guard let {name} = ext() as? {type} else {{ return }}", "typed"),
        Form("guard let {name} = ext() else {{ return }}", "untyped"),
    ),
    inside=(
        Form("do {{~{body}}}", ""),
        Form("if let {name} = ext() as? {type} {{~{body}}}", "typed"),
        Form("if let {name} = {source} {{~{body}}}", "untyped", sees=True),
        Form("if let {name}: {type} = ext(), more() {{~{body}}}", "typed"),
        Form("if case .some(let {name}) = {source} {{~{body}}}", "untyped", sees=True),
        Form("while let {name} = {source} {{~{body}}}", "untyped", sees=True),
        Form("for {name} in {source} {{~{body}}}", "untyped", sees=True),
        Form("for ({name}, z) in {source} {{~{body}}}", "untyped", sees=True),
        Form("for case let {name} as {type} in {source} {{~{body}}}", "typed", sees=True),
        Form("take {{ ({name}: {type}) in~{body}}}", untyped="take {{ {name} in~{body}}}"),
        Form("take {{ ({name}, z) in~{body}}}", "untyped"),
        Form("do {{ next() }}~catch let {name} as {type} {{~{body}}}", "typed"),
        Form("do {{ next() }}~catch let {name} {{~{body}}}", "untyped"),
        Form("switch {source} {{~case let {name} as {type}:~{body}~default: next() }}", "typed", sees=True),
        Form("switch {source} {{~case .one(let {name}):~{body}~default: next() }}", "untyped", sees=True),
        Form("func inner(_ {name}: {type}) {{~{body}}}", "typed"),
        Form("if more() {{~{body}}}", ""),
    ),
    use="take({name}.{member})",
    bare="take({name})",
    end=";",
)

CSHARP = Language(
    path="a.cs",
    head="class Ant { "
    + _list_members("public int m{};")
    + " }\nclass Bee { "
    + _list_members("public int m{};")
    + " }\nclass Run {\nAnt x;\nBee y;\nvoid run() {",
    tail="}\n}",
    hoists=True,
    declare=(
        Form("{type} {name} = {source};", untyped="var {name} = {source};"),
        Form("var {name} = new {type}();", "typed"),
        Form("var ({name}, z{name}) = {source};", "untyped"),
        Form("if (!(ext() is {type} {name})) {{ return; }}", "typed"),
        Form("ext(out {type} {name});", untyped="ext(out var {name});"),
        Form("using var {name} = new {type}();", "typed"),
    ),
    inside=(
        BLOCK,
        Form(
            "for ({type} {name} = {source};~more(); next()) {{~{body}}}",
            untyped="for (var {name} = {source};~more();) {{~{body}}}",
        ),
        Form(
            "foreach ({type} {name} in {source}) {{~{body}}}",
            untyped="foreach (var {name} in {source}) {{~{body}}}",
            sees=True,
        ),
        Form("take(({type} {name}) => {{~{body}}});", untyped="take({name} => {{~{body}}});"),
        Form("take(({name}, z) => {{~{body}}});", "untyped"),
        Form("try {{ next(); }}~catch ({type} {name}) {{~{body}}}", "typed"),
        Form(
            "using ({type} {name} = {source}) {{~{body}}}",
            untyped="using (var {name} = {source}) {{~{body}}}",
        ),
        Form("switch (ext()) {{~case {type} {name}:~{body}break; }}", "typed"),
        Form("switch (ext()) {{~case 1:~{type} {name} = null;~{body}break; }}", "typed"),
        Form("while (ext() is {type} {name}) {{~{body}}}", "typed"),
        Form("void inner({type} {name}) {{~{body}}}", "typed"),
        Form("if (more()) {{~{body}}}", ""),
    ),
    hides=False,
)

TYPESCRIPT = Language(
    path="a.ts",
    head="class Ant { "
    + _list_members("m{}: number;")
    + " }\nclass Bee { "
    + _list_members("m{}: number;")
    + " }\nconst x: Ant = make();\nconst y: Bee = make();\nfunction run() {",
    tail="}",
    hoists=True,
    declare=(
        Form("let {name}: {type} = {source};", untyped="let {name} = {source};"),
        Form("const {name} = new {type}();", "typed"),
        Form("const {{ {name}, z: z{name} }} = {source};", "untyped"),
        Form("const [{name}] = {source};", "untyped"),
    ),
    inside=(
        BLOCK,
        Form("for (let {name}: {type} = {source};~more();) {{~{body}}}", "typed"),
        Form("for (const {name} of {source}) {{~{body}}}", "untyped"),
        Form("for (const [{name}, z] of {source}) {{~{body}}}", "untyped"),
        Form("for (const {name} in {source}) {{~{body}}}", "untyped"),
        Form("take(({name}: {type}) => {{~{body}}});", untyped="take({name} => {{~{body}}});"),
        Form("take(function ({name}: {type}) {{~{body}}});", untyped="take(function ({name}) {{~{body}}});"),
        Form("take(({{ {name} }}) => {{~{body}}});", "untyped"),
        Form("try {{ next(); }}~catch ({name}) {{~{body}}}", "untyped"),
        Form("switch (more()) {{~case 1:~let {name}: {type} = ext();~{body}break; }}", "typed", same=True),
        Form("class L {{ go({name}: {type}) {{~{body}}} }}", "typed"),
        Form("if (more()) {{~{body}}}", ""),
    ),
)

PYTHON = Language(
    path="a.py",
    head="class Ant:\n"
    + "\n".join(f"    m{one}: int" for one in range(MEMBERS))
    + "\nclass Bee:\n"
    + "\n".join(f"    m{one}: int" for one in range(MEMBERS))
    + "\nx: Ant = make()\ny: Bee = make()\ndef run():",
    tail="",
    declare=(
        Form("{name}: {type} = {source}", untyped="{name} = {source}"),
        Form("{name} = {type}()", "typed"),
        Form("{name}, z{name} = {source}", "untyped"),
    ),
    inside=(
        Form("def inner({name}: {type}):{body}", untyped="def inner({name}, *, z=1):{body}", same=True),
        Form("def other():{body}", ""),
        Form("async def third(*{name}):{body}", "untyped", same=True),
        Form("take(lambda {name}: {name}.{member})", "untyped"),
    ),
    use="take({name}.{member})",
    bare="take({name})",
    indents=True,
)

LANGUAGES = {
    "c": C,
    "cpp": CPP,
    "java": JAVA,
    "go": GO,
    "rust": RUST,
    "swift": SWIFT,
    "csharp": CSHARP,
    "typescript": TYPESCRIPT,
    "python": PYTHON,
}
