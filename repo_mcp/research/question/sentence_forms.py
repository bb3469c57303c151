"""The sentences in which people ask, each with its form: "what calls X", "how does X reach Y".

Expressions are matched against at most the characters that grammar.py allows. Each has at most two parts of
arbitrary length, so none takes more than quadratic time.
"""

from __future__ import annotations

import re

from repo_mcp.research.findings.records import Form

# Phrases that may stand for one another. `_` is a space, and an ending in brackets is optional.
_LISTS: dict[str, str] = {
    "lead": """please can_you could_you i_want_to i_need_to help_me let_me tell_me show_me show give_me
        explain describe list find get identify know understand see me to about out all every each
        exactly the""",
    "who": "what who which all any",
    "thing": """code function(s) method(s) class(es) types module(s) file(s) places parts component(s)
        structs things else symbol(s) caller(s) protocol(s)""",
    "type": "type(s) class(es) struct(s) enum(s) things symbol(s) module(s) protocol(s) interface(s)",
    "is": "is are was were get gets being",
    "that": "that which is are was were directly indirectly ever eventually would will could",
    "flows": """flow(s) get(s) got travel(s) propagate(s) propagated passed make(s)_its_way
        make(s)_their_way lead(s) go goes end(s)_up arrive(s) sent delivered routed dispatched
        handed handed_over turned converted transformed connected""",
    "reached": "reached called invoked triggered fed made filled",
    "way": "path(s) route(s) chain(s) flow(s) way",
    "of_what": "call(s) data control execution path flow the",
    "implementations": """implementation(s) implementor(s) implementer(s) subclass(es)
        sub-class(es) subtype(s) conformance(s) conformers descendants override(s) heirs extensions
        child_classes children""",
    "implementing": "implementing conforming derived extending inheriting",
    "implements": """implement(s) implementing extend(s) extending inherit(s) inheriting inherit(s)_from
        inheriting_from derive(s)_from derived_from subclass(es) subclassing subclass(es)_of
        conform(s) conform(s)_to conforming_to override(s) overriding adopt(s)""",
    "subclassed": "subclassed extended overridden inherited",
    "calls": """call(s) calling invoke(s) invoking trigger(s) triggering execute(s) instantiate(s)
        construct(s) create(s) create(s)_a create(s)_an create(s)_instances_of raise(s) throw(s)
        run(s)""",
    "raises": "raise(s) throw(s) raising throwing rethrow(s)",
    "raised": "raised thrown rethrown",
    "callers": """caller(s) call_site(s) calls invocation(s) call_chain(s) caller_chain(s) call_graph
        call_hierarchy call_tree call_stack instantiation(s)""",
    "called": """called invoked triggered instantiated constructed created executed raised thrown run
        get_called made""",
    "callees": """callees functions_called functions_invoked functions_used methods_called code_called
        calls_made calls""",
    "depends": """depend(s)_on depend(s)_upon use(s) import(s) need(s) require(s) rely_on relies_on
        reference(s) contain""",
    "dependencies": """dependency dependencies imports requirements base_class(es) bases superclass(es)
        supertype(s) parent(s) ancestor(s)""",
    "users": """usage(s) use(s) reference(s) user(s) consumer(s) dependent(s) dependant(s) client(s)
        importer(s) reverse_dependencies reader(s) mention(s)""",
    "depending": """depend(s)_on depend(s)_upon depending_on dependent_on use(s) using import(s) importing
        need(s) reference(s) referencing relies_on rely_on consume(s) read(s) accept(s) take(s)
        return(s) listen(s)_to listen(s)_for subscribe(s)_to react(s)_to affected_by be_affected_by
        break(s)_if break(s)_when""",
    "reacting": """handle(s) handling listen(s)_to listen(s)_for receive(s) react(s)_to subscribe(s)_to
        emit(s) fire(s) send(s) dispatch(es) trigger(s) publish(es) raise(s)""",
    "used": "used imported referenced consumed needed mentioned read relied_on relied_upon",
    "changed": "change changed remove removed rename renamed delete deleted",
    "impact": "impact effect(s) consequences blast_radius",
    "configured": """configured set set_up initialised initialized customised customized enabled disabled
        controlled defaulted assigned wired wired_up""",
    "configures": """configure(s) set(s) set(s)_up control(s) enable(s) disable(s) register(s) assign(s)
        initialise(s) initialize(s) customise(s) customize(s)""",
    "settings": """config(s) configuration(s) setting(s) option(s) default(s) default_value(s) setup
        environment_variable(s) registration(s)""",
    "setting": """setting config_setting config_key configuration_key config_option configuration_option
        option command-line_option flag command-line_flag environment_variable env_var preference
        property""",
    "defined": "defined declared implemented located live(s) found coded written come(s)_from stored",
    "definition": "definition(s) declaration(s) location source source_code signature",
    "structure": """architecture structure design organisation organization layout layers layering module(s)
        component(s) building_blocks overview map big_picture""",
    "may": """would_i should_i do_i can_i could_i must_i would_we should_we do_we can_we would_you do_you
        can_you should_one does_one can_one would_one to would should can""",
    "extend": "add plug_in introduce hook_in add_support_for support extend register",
    "make": "implement write define create build provide make use",
    "own": "a_new a_custom another my_own your_own our_own new custom",
    "another": "a an the a_new a_custom another my_own your_own our_own new custom",
    "tests": """test(s) unit_test(s) integration_test(s) test_case(s) test_file(s) test_class(es)
        test_suite(s)""",
    "tested": "tested covered_by_test(s) covered_by_a_test exercised_by_test(s) unit_tested",
    "test": "test(s) cover(s) exercise(s) check(s) verify verifies call(s) use(s)",
    "errors": "error(s) exception(s) failure(s) panic(s)",
    "fail": "fail(s) raise(s) throw(s) panic(s)",
    "fails": """raise(s) raised throw(s) thrown produce(s) produced cause(s) return(s) returned give(s)
        lead(s)_to""",
    "faulty": "bad broken faulty ill-formed illegal incorrect invalid malformed unparsable unparseable wrong",
    "comes": "occur(s) arise(s) happen(s) appear(s) come(s)_up",
    "who_asks": "i we you one someone",
    "taking": "use call take choose prefer pick need want write",
    "overall": "a an the brief short overall general high-level system software main big core code",
    "tree": "code_base codebase repository repo project",  # other words are often names: `App`
    "whole": "code_base codebase repository repo project library package program application app",
    "organised": """organised organized structured layered laid_out built architected designed put_together
        split_up""",
}  # fmt: skip


def join_phrases(name: str) -> str:
    """Return the expression that matches any phrase of a list."""
    listed = [word.replace("_", " ") for word in _LISTS[name].split()]
    listed.sort(key=len, reverse=True)  # "conform to" before "conform"
    endings = [re.sub(r"\((\w+)\)", r"(?:\1)?", word) for word in listed]
    return f"(?:{'|'.join(endings)})"


# A name that is not a plain word: "the option parser" has none.
_KEY = r"\S*(?:[-_.`'\"]|(?-i:[a-z][A-Z]))\S*"
# The name of a type or module, which others include: "what includes stdio.h" asks for files.
_TYPE = r"`?(?-i:[A-Z]\w*(?:(?:::|\.)[A-Z]\w*)*)`?"

# Each form with one way to ask it. <name> is a phrase of that list, <name?> an optional one, <name*> any
# number of them. X and Y are the phrases asked about; "X.." is matched lazily, because other words follow.
_FORMS: tuple[tuple[Form, str], ...] = (
    (Form.FLOW, "how (?:does|do|can|is|are|did|will) [^,;:]+? <flows> from X.. (?:to|into) Y"),
    (Form.FLOW, "how (?:does|do|can|is|are|did|will) X.. <flows>(?: down| up| through| over)? "
     "(?:to|into|in|at) Y"),
    (Form.FLOW, "how (?:does|do|can|is|are|did|will) X.. (?:ever )?(?:reach(?:es)?|ends? "
     "in|calls?|triggers?) Y"),
    (Form.FLOW, "how (?:is|are) Y.. <reached> (?:from|by|out of) X"),
    (Form.FLOW, "how (?:does|do) Y.. (?:gets?|receives?|obtains?) (?:called )?from X"),
    (Form.FLOW, "(?:the )?<of_what*><way> (?:of calls )?(?:from|between) X.. (?:to|and|into) Y"),
    (Form.FLOW, "(?:trace|follow) <of_what*>(?:from |of )?X.. (?:down to|up to|to|into) Y"),
    (Form.FLOW, "(?:does|do|can|will) X.. (?:ever )?(?:reach|call|use|invoke|lead to|depend on|end up in) Y"),
    (Form.FLOW, "X.. (?:flows? (?:in)?to|reaches|leads to|ends up in) Y"),
    (Form.FLOW, "(?:what connects|relation(?:ship)? between|connection between) X.. (?:and|with|to) Y"),
    (Form.FLOW, "how (?:is|are|do|does) X.. (?:and|with|to) Y.. "
     "(?:related|connected|linked|interact|work together)"),
    (Form.FLOW, "(?:from )?(?P<x>[^ ]+) ?(?:->|=>|→|-->|to) ?(?P<y>[^ ]+)"),
    (Form.DIFFERENCE, "(?:(?:what is|what's|what are) )?(?:the )?differences? between X.. and Y"),
    (Form.DIFFERENCE, "how (?:do|does|is|are) X.. (?:differ|different) from Y"),
    (Form.DIFFERENCE, "how do X.. and Y.. differ"),
    (Form.DIFFERENCE, "(?:compare )?X.. (?:vs\\.?|versus|compared (?:with|to)) Y"),
    (Form.DIFFERENCE, "how (?:does|do) X.. compare (?:with|to) Y"),
    (Form.DIFFERENCE, "which [^,:]+[,:] X.. or Y"),
    (Form.DIFFERENCE, "which of X.. (?:and|or) Y.. (?:should|do|does|is|are|can|must) .+"),
    (Form.DIFFERENCE, "(?:should|must|can|do) <who_asks> <taking> X.. or Y"),
    (Form.DIFFERENCE, "when (?:(?:should|must|can|do) <who_asks>|to) <taking> "
     "X.. (?:instead of|rather than|over|or|and (?:when|not)(?: (?:should|do) <who_asks>)?(?: <taking>)?) Y"),
    (Form.DIFFERENCE, "when (?:is|are) X.. <called> and when(?: (?:is|are))? Y..(?: <called>)?"),
    (Form.EXTENSION, "(?:where|how) <may> <extend> <another*>X"),
    (Form.EXTENSION, "(?:where|how) <may> <make> <own> X"),
    (Form.EXTENSION, "(?:where|how) <may> <make> <another*>X.. of (?:my|your|our) own"),
    (Form.RAISED, "<who>(?: other)?(?: <thing>)? <that*><raises> X"),
    (Form.RAISED, "(?:from )?(?:where|when|why|how|by whom|by what|how often|who|under (?:what|which) \\w+)"
     " (?:does |do |can |could )?<is?>X.. <is?>(?:be )?<raised>"
     "(?: from| by| (?:for|if|in|on|when|while) .+)?"),
    (Form.RAISED, "where (?:do|does) (?:we|it|they|one|the code|you) (?:raise|throw) X"),
    (Form.ERRORS, "(?:what|which) (?:(?-i:[a-z-]+) )?<errors> (?:(?:or|and) <errors> )?"
     "(?:is|are|(?:can|could|may|might|will|would) be) <fails> (?:when|if|for|by) X"),
    (Form.ERRORS, "(?:what|which) (?:(?-i:[a-z-]+) )?<errors> (?:(?:or|and) <errors> )?"
     "(?:can |do |does |could |may |might |will |would )?<comes> (?:when|if|for|by) X"),
    (Form.ERRORS, "(?:what|which) (?:(?-i:[a-z-]+) )?<errors> (?:(?:or|and) <errors> )?"
     "(?:can |does |do |could |might |will |may |is |are )?X.. <fails>(?: (?P<y>.+))?"),
    (Form.ERRORS, "(?:what|which) (?:(?-i:[a-z-]+) )?<errors> (?:(?:or|and) <errors> )?"
     "(?:can |does |do |could |might |will |may |is |are )?X"),
    (Form.ERRORS, f"what happens (?:when|if) (?P<x>{_KEY}) "
     "(?:is (?:given|passed|handed|called with)|gets|receives) (?:an? |the )?<faulty> .+"),
    (Form.ERRORS, f"what happens (?:when|if) <who_asks> (?:pass|give|hand)(?:e?s)? (?:an? |the )?<faulty> .+ "
     f"to (?P<x>{_KEY})"),
    (Form.ERRORS, "(?:when|why) (?:does|do|can|could|will|would|might) X.. <fail>"),
    (Form.IMPLEMENTATIONS, "(?:known |concrete |possible |direct |different )*<implementations> "
     "(?:of|for|to|from) X"),
    (Form.IMPLEMENTATIONS, "<implementing> <type> (?:of|for|to|from) X"),
    (Form.IMPLEMENTATIONS, "<type> (?:derived|inheriting|conforming|deriving) (?:from|to) X"),
    (Form.IMPLEMENTATIONS, "(?:<who>(?: other)?(?: <thing>)?|<type>) <that*><implements> X"),
    (Form.IMPLEMENTATIONS, "(?:how|where|who) (?:many )?<is?>X.. <is?><subclassed>"),
    (Form.IMPLEMENTATIONS, "(?:implementations|implementers|subclasses) (?P<x>[^ ]+)"),
    (Form.IMPLEMENTATIONS, "(?:<who> )?(?:class(?:es)?|modules?|types?) <that*>"
     "(?:includes?|including|prepends?|mix(?:es)? in) X"),
    (Form.IMPLEMENTATIONS, "(?:what|who) (?:includes|prepends|mixes in) (?:the )?(?:module )?"
     f"(?P<x>{_TYPE})"),
    (Form.IMPLEMENTATIONS, "(?:type |class |inheritance )?hierarchy (?:of|below|under) X"),
    (Form.IMPLEMENTATIONS, "X.. "
     "(?:implementations|implementors|implementers|subclasses|conformances|subtypes)"),
    (Form.TESTS, "(?:<who> )?<tests> (?:should i run|to run|must i run|do i run|need to run) "
     "(?:if|when|after|before|for)(?: (?:i|we|you))?(?: (?:changing|<changed>))? X"),
    (Form.TESTS, "(?:(?:<who>|are there|is there)(?: a| any)? )?<tests> "
     "(?:<that*>(?:<test>|exist for)|of|for|covering|exercising) X"),
    (Form.TESTS, "what (?:tests|covers|exercises) X"),
    (Form.TESTS, "(?:where|how|by what) (?:is|are) X.. <tested>"),
    (Form.CALLERS, "<who>(?: other)?(?: <thing>)? <that*><calls> X"),
    (Form.CALLERS, "(?:direct |indirect |transitive )*<callers> (?:of|to|for|leading to|into) X"),
    (Form.CALLERS, "callers (?P<x>[^ ]+)"),
    (Form.CALLERS, "(?:from )?(?:where|when|by whom|by what|how often|who) (?:does |do )?<is?>X.. "
     "<is?><called>(?: from| by)?"),
    (Form.CALLERS, "where (?:do|does) (?:we|it|they|one|the code|you) "
     "(?:call|invoke|create|instantiate|raise|run) X"),
    (Form.CALLERS, "what (?:happens|becomes)(?: to .+?| of .+?)? (?:when|if|after) X.. "
     "(?:raises?|throws?|fails?|panics?|returns? .+|gives? .+)"),
    (Form.CALLERS, "how (?:does|do) (?:the code |execution |control |we |one )?(?:reach|get to) X"),
    (Form.CONFIGURED, "(?:what|how) (?:does|is) (?:the |a )?<setting> (?P<x>" + _KEY + ") "
     "(?:do|mean|control|change|affect|work|for|used for)"),
    (Form.CALLEES, "(?:what|which)(?: other)?(?: <thing>)? (?:does|do|will) X.. "
     "(?:call|invoke|run|execute|trigger)(?: directly)?"),
    (Form.CALLEES, "(?:what|which)(?: other)?(?: <thing>)? (?:is|are) (?:called|invoked|run) by X"),
    (Form.CALLEES, "<callees> (?:by|from|in|inside|within|of) X"),
    (Form.CALLEES, "callees (?P<x>[^ ]+)"),
    (Form.CALLEES, "what (?P<x>[^ ]+) (?:calls|invokes|runs|executes|does)"),
    (Form.CALLEES, "what happens (?:in|inside|during) X"),
    (Form.CALLEES, "what happens (?:when|if|after)(?: (?:i|we|you|someone|one|a user|it) "
     "(?:calls?|runs?|uses?))? X.. (?:is|gets|are) <called>"),
    (Form.CALLEES, "what happens (?:when|if|after) (?:i|we|you|someone|one|a user|it) "
     "(?:calls?|invokes?|runs?|uses?) X"),
    (Form.CALLEES, "what (?:does|do) X.. do(?: internally)?"),
    (Form.CALLEES, "how (?:does|do) X.. (?:work|function|operate)(?: internally)?"),
    (Form.DEPENDENCIES, "what (?:does|do) X.. (?:<depends>|inherit(?: from)?|extend|implement|consist of)"),
    (Form.DEPENDENCIES, "what (?P<x>[^ ]+) (?:depends (?:up)?on|uses|imports|needs|requires|relies on)"),
    (Form.DEPENDENCIES, "(?:what (?:is|are) (?:all )?(?:the )?)?(?:direct |transitive |internal "
     "|external |outgoing |module |package )*<dependencies>(?: graph| tree| map)? (?:of|for|in) X"),
    (Form.DEPENDENCIES, "(?:what (?:is|are) )?X..(?:'s)? (?:dependencies|imports|dependency "
     "(?:graph|map|tree))"),
    # "a record" is one of many, which the program deletes, not a name.
    (Form.DEPENDENTS, "what (?:would |will |could |might )?(?:breaks?|happens?|changes?) (?:if|when) (?:i "
     "|we |you )?<changed> (?!an? )X"),
    (Form.DEPENDENTS, "what (?:would |will |could |might )?(?:breaks?|happens?|changes?) (?:if|when) X.. "
     "(?:is|gets|were|was|changes) ?(?:<changed>)?"),
    (Form.DEPENDENTS, "<who>(?: other)?(?: <thing>)? <that*><reacting> (?:the |an? )?"
     "(?:event|signal|hook|message|topic) (?P<x>[`'\"][^ ]+[`'\"])"),
    (Form.DEPENDENTS, "<who>(?: other)?(?: <thing>)? <that*><reacting> (?:the |an? )?"
     "(?P<x>[`'\"][^ ]+[`'\"]) (?:event|signal|hook|message|topic)"),
    (Form.DEPENDENTS, "<who>(?: other)?(?: <thing>)? <that*><depending> X"),
    (Form.DEPENDENTS, "(?:usages?|references|dependents) (?P<x>[^ ]+)"),
    (Form.DEPENDENTS, "(?:all |direct |transitive )*<users> (?:of|to|on|for) X"),
    (Form.DEPENDENTS, "(?:where|how|by whom|by what|who) (?:does |do )?<is?>X.. <is?><used>(?: by| from| "
     "in)?"),
    (Form.DEPENDENTS, "(?:the )?<impact> of (?:changing |removing |renaming |deleting |a change "
     "(?:in|to|of) )?X"),
    (Form.CONFIGURED, "(?:where|how|when) (?:can i |do i |do you |do we |does one |to |can one |should i "
     ")?<is?>X.. (?<!\\bi )(?<!\\bwe )(?<!\\byou )<is?>(?:be )?<configured>(?: (?:(?:at|after|before|by|for|"
     "from|in|on|to|under|until|with) which|that|which) .+)?"),  # "the limit configured at which it stops"
    (Form.CONFIGURED, "(?:where|how) is it <configured>,? "
     "(?:how(?: (?:big|far|large|long|many|much|often))?|if|that|what|whether|which) X"),
    (Form.CONFIGURED, "(?:where|when) <is?>X.. <is?>(?:be )?registered"),  # how is a flow
    (Form.CONFIGURED, "(?:where|how) (?:do|can|does|should|to)(?: (?:i|we|you|one))? <configures> X"),
    (Form.CONFIGURED, "(?:default |possible )*<settings> (?:of|for|that controls?|behind) X"),
    (Form.CONFIGURED, "<who>(?: <thing>)? <configures> X"),
    (Form.CONFIGURED, "(?:what (?:is|are) )?X.. (?:config|configuration|settings?)(?: (?:file|location|"
     "options?))?"),
    (Form.DEFINED, "where (?:do we |can i find |does |do |can one find )?<is?>X.. <is?><defined>"),
    (Form.DEFINED, "<definition> (?:of|for) X"),
    (Form.OVERVIEW, "(?:(?:what is|what's|how is) )?<overall*><structure>(?: (?:and|or|of)(?: the)?(?: "
     "main| core)? <structure>)*"),
    (Form.OVERVIEW, "(?:(?:what is|what's|how is) )?<overall*><structure>(?: (?:and|or|of)(?: the)?(?: "
     "main| core)? <structure>)* (?:of|in|for) X"),
    (Form.OVERVIEW, "(?:(?:what is|what's|what does|how does|about|summari[sz]e) )?"
     "(?:(?:this|your|our) <whole>|(?:the )?<tree>)(?: (?:about|all about|do|for|work))?"),
    (Form.OVERVIEW, "what (?:does|do) (?:the )?<structure>(?: of X..)? look like"),
    (Form.OVERVIEW, "how (?:is|are) (?:the )?<structure> of X.. <organised>"),
    (Form.OVERVIEW, "how (?:is|are) X.. <organised>"),
    (Form.DEFINED, "(?:where|what|who)(?: is|'s| are) X"),
)  # fmt: skip

_SLOT = re.compile(r"<(\w+)([?*]?)>|\b([XY])(\.\.)?(?![\w<])")


def build_pattern(text: str) -> re.Pattern[str]:
    """Compile the expression of a form, whose slots stand for lists (`<who>`) and for phrases (X, "Y..")."""

    def fill(match: re.Match[str]) -> str:
        name, count = match[1], match[2]
        if name in ("x", "y"):
            return match[0]
        if name:
            return f"(?:{join_phrases(name)} ){count}" if count else join_phrases(name)
        lazy = "?" if match[4] else ""
        return f"(?P<{match[3].lower()}>.+{lazy})"

    return re.compile(_SLOT.sub(fill, text), re.IGNORECASE)


SENTENCE_FORMS = tuple((form, build_pattern(text)) for form, text in _FORMS)
