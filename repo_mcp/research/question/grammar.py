"""Parse the text of a question into a form and its phrases. Pure, without knowledge of a repository.

A question may fit several forms ("how does X get to Y" also looks like an open one). All that fit are
returned, the narrowest first, and the caller takes the first whose subjects exist in the repository. A
question that fits no form is an open question.

Expressions are matched against at most MAX_CHARS characters. Each has at most two parts of arbitrary length,
so none takes more than quadratic time.
"""

from __future__ import annotations

import re

from repo_mcp.record_classes import dataclass
from repo_mcp.research.findings.records import Form
from repo_mcp.research.question.additions import read_addition
from repo_mcp.research.question.compared_phrases import (
    leave_out_circumstance,
    leave_out_noun,
    list_compared,
    share_words,
)
from repo_mcp.research.question.named_forms import read_named_form
from repo_mcp.research.question.phrase_names import is_one_name
from repo_mcp.research.question.phrases import Phrase, leave_out_tail, read_phrase
from repo_mcp.text.question_words import leave_out_kind

# Forms whose phrases are words to search for, and no names.
DESCRIBED_FORMS = frozenset({Form.EXTENSION, Form.ERRORS})
_OF_ONE_NAME = frozenset({Form.CALLERS, Form.DEFINED, Form.DEPENDENTS, Form.IMPLEMENTATIONS, Form.RAISED})
_OVER_ADDITION = frozenset({Form.DEPENDENTS, Form.DIFFERENCE, Form.ERRORS})  # though something is to be added
MAX_CHARS = 400  # of a question that may have a form; longer questions are open


@dataclass(frozen=True, slots=True)
class Parsed:
    """One way to understand a question."""

    form: Form
    phrases: tuple[Phrase, ...] = ()


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
    "overall": "the overall general high-level system software main big core code",
    "organised": """organised organized structured layered laid_out built architected designed put_together
        split_up""",
}  # fmt: skip


def _join(name: str) -> str:
    """Return the expression that matches any phrase of a list."""
    listed = [word.replace("_", " ") for word in _LISTS[name].split()]
    listed.sort(key=len, reverse=True)  # "conform to" before "conform"
    endings = [re.sub(r"\((\w+)\)", r"(?:\1)?", word) for word in listed]
    return f"(?:{'|'.join(endings)})"


# A name that is no plain word: "the option parser" is none.
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
    # "a record" is one of many, which the program deletes, and no name.
    (Form.DEPENDENTS, "what (?:would |will |could |might )?(?:breaks?|happens?|changes?) (?:if|when) (?:i "
     "|we |you )?<changed> (?!an? )X"),
    (Form.DEPENDENTS, "what (?:would |will |could |might )?(?:breaks?|happens?|changes?) (?:if|when) X.. "
     "(?:is|gets|were|was|changes) ?(?:<changed>)?"),
    (Form.DEPENDENTS, "<who>(?: other)?(?: <thing>)? <that*><depending> X"),
    (Form.DEPENDENTS, "<who>(?: other)?(?: <thing>)? <that*><reacting> (?:the |an? )?"
     "(?:event|signal|hook|message|topic) (?P<x>[`'\"][^ ]+[`'\"])"),
    (Form.DEPENDENTS, "<who>(?: other)?(?: <thing>)? <that*><reacting> (?:the |an? )?"
     "(?P<x>[`'\"][^ ]+[`'\"]) (?:event|signal|hook|message|topic)"),
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
     "(?:how (?:big|far|large|long|many|much|often)|if|that|what|whether|which) X"),
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
    (Form.OVERVIEW, "what (?:does|do) (?:the )?<structure>(?: of X..)? look like"),
    (Form.OVERVIEW, "how (?:is|are) (?:the )?<structure> of X.. <organised>"),
    (Form.OVERVIEW, "how (?:is|are) X.. <organised>"),
    (Form.DEFINED, "(?:where|what|who)(?: is|'s| are) X"),
)  # fmt: skip

_SLOT = re.compile(r"<(\w+)([?*]?)>(?=(.?))|\b([XY])(\.\.)?(?![\w<])")


_STRUCTURE = re.compile(rf"\b(?:{_join('structure')}|{_join('organised')})\b", re.IGNORECASE)


def _build_pattern(text: str) -> re.Pattern[str]:
    """Compile the expression of a form."""

    def fill(match: re.Match[str]) -> str:
        name, count = match[1], match[2]
        if name in ("x", "y"):
            return match[0]
        if name:
            return f"(?:{_join(name)} ){count}" if count else _join(name)
        lazy = "?" if match[5] else ""
        return f"(?P<{match[4].lower()}>.+{lazy})"

    return re.compile(_SLOT.sub(fill, text), re.IGNORECASE)


_COMPILED = tuple((form, _build_pattern(text)) for form, text in _FORMS)
# "A or B: which should I use": what comes behind the two, and the two alone.
_CHOICE = re.compile(
    r"[:,;?.]\s+(?:and\s+)?(?:which\b|(?:when|what|why)\b(?=[^:;?]*\b(?:which|each|either|use|choose|better|differences?)\b))"
    r"[^:;?]*$",
    re.IGNORECASE,
)
_SIDES = _build_pattern("(?:compare )?X.. (?:or|vs\\.?|versus|against|compared (?:with|to)) Y")
# "used and configured", "read or set": the first of these lists with either verb covers both. Where something
# is set, it is also said what reads it, and where it is declared, also what uses it.
_COVERING = ("configured", "defined", "used", "called")
_VERB = "|".join(map(_join, _COVERING))
_TWO_VERBS = re.compile(
    rf"((?:where|how|when) .+?) ({_VERB}),? (?:and|or) (?:(?:is|are) )?({_VERB})", re.IGNORECASE
)
_LEAD = re.compile(rf"(?:{_join('lead')}\s+)+", re.IGNORECASE)
# "how are labels parsed into" names nothing, though "configuration" follows it, and neither does "it decided
# whether the lid is open or the oven" before "is used".
_ASKS = re.compile(
    r"(?:how|what|where|which|who|whose|why|when|do|does|did|is|are|can|should) "
    r"|it \w+ (?:how|if|what|when|where|whether|which|who|why) ",
    re.IGNORECASE,
)
# "where are jobs dropped when the queue is full": what is described by a clause is no name.
_CLAUSE = re.compile(
    r"\w[,;]? (?:although|because|how|if|unless|until|when|whether|which|while) \w", re.IGNORECASE
)
# "save of Store", "the method save() in Store": a member, and not its type.
_MEMBER_OF = re.compile(
    r"^(?:the )?(?:method |function )?[`'\"]?([a-z_$][\w$]*)[!?]?(?:\(\))?[`'\"]? (?:of|in|on) "
    r"(?:the )?(?:class |type )?[`'\"]?([A-Z][\w$]*(?:(?:\.|::)[\w$]+)*)[`'\"]?$"
)
# "the default of maxPots is configured" asks for maxPots.
_DEFAULT_OF = re.compile(
    r"^(?:the )?defaults?(?: values?)? (?:of|for) (?=(?:the )?[`'\"]?[\w.-]+[`'\"]?$)", re.IGNORECASE
)
_NAMESPACED = re.compile(r"\\?\b[A-Z]\w*(?:\\[A-Z]\w*)+")  # Illuminate\Queue\Queue


def parse_question(query: str) -> tuple[Parsed, ...]:
    """Return the ways to understand a question, the narrowest first; the last is always the open one."""
    text = " ".join(_join_namespaces(leave_out_kind(query)).split())
    found: dict[Parsed, None] = {}
    if len(text) <= MAX_CHARS:
        plain, whole = _strip(text), leave_out_lead(text.strip().rstrip("?!. "))
        sides = _CHOICE.sub("", whole)
        asked = [(Form.DIFFERENCE, _SIDES.fullmatch(sides))] if sides != whole else []
        asked += [(form, pattern.fullmatch(plain)) for form, pattern in _COMPILED]
        for form, match in asked:
            if match is not None and not _is_prose(form, match):
                found.update(dict.fromkeys(_list_ways(form, match)))
    loose = _read_loosely(text)
    if loose is not None and all(one.form is not loose.form or one.form in _OF_ONE_NAME for one in found):
        found = dict.fromkeys((*filter(_is_sure, found), loose, *found))
    return (*found, Parsed(Form.OPEN, (Phrase(text),)))


def _is_prose(form: Form, match: re.Match[str]) -> bool:
    """Return True if a phrase is a question itself, or of a declaration, if a clause describes it."""
    phrases = [one for one in match.groupdict().values() if one]
    return any(map(_ASKS.match, phrases)) or (form is Form.DEFINED and any(map(_CLAUSE.search, phrases)))


def _list_ways(form: Form, match: re.Match[str]) -> list[Parsed]:
    """Return the ways to understand a question of a form, the narrowest first."""
    if form is not Form.DIFFERENCE:
        return [_build(form, match)]
    x, y = match["x"], leave_out_circumstance(match["y"])
    shared = [Parsed(form, one) for one in share_words(x, y)]
    rest = leave_out_noun(x, y)
    if several := list_compared(x, y):
        shared.append(Parsed(form, several))
    pair = Parsed(form, (read_phrase(x), read_phrase(y)))
    return [*shared, pair, *([Parsed(form, rest)] if rest is not None else [])]


def _join_namespaces(text: str) -> str:
    """Return a question with dots where names have the backslashes of PHP."""
    return _NAMESPACED.sub(lambda name: name[0].lstrip("\\").replace("\\", "."), text)


def _read_loosely(text: str) -> Parsed | None:
    """Return what the words around a name ask for, or what is to be added; None for neither."""
    around, kind = read_named_form(text), read_addition(text)
    if around is None or (kind and around[0] not in _OVER_ADDITION):
        return Parsed(Form.EXTENSION, (Phrase(kind),)) if kind else None
    form, names = around
    return Parsed(form, tuple(map(Phrase if form in DESCRIBED_FORMS else read_phrase, names)))


def _is_sure(parsed: Parsed) -> bool:
    """Return False for a form that has prose beside the name: the words around the name alone say more."""
    return parsed.form not in _OF_ONE_NAME or all(is_one_name(one.text) for one in parsed.phrases)


def asks_for_tests(query: str) -> bool:
    """Return True for a question for the tests of something."""
    return any(one.form is Form.TESTS for one in parse_question(query))


def _join_verbs(text: str) -> str:
    """Return a question with one verb in place of two: "used and configured"."""
    found = _TWO_VERBS.fullmatch(text)
    if found is None:
        return text
    verbs = [
        verb
        for name in _COVERING
        for verb in (found[2], found[3])
        if re.fullmatch(_join(name), verb, re.IGNORECASE)
    ]
    return f"{found[1]} {verbs[0]}"


def asks_for_structure(query: str) -> bool:
    """Return whether a question has a word such as architecture or layers."""
    return _STRUCTURE.search(query) is not None


def leave_out_lead(text: str) -> str:
    """Return a question without a polite opening, such as "please tell me"."""
    lead = _LEAD.match(text)
    return text if lead is None or lead.end() == len(text) else text[lead.end() :]


def _strip(text: str) -> str:
    """Return a question without a polite opening, a closing "in this repository" and end punctuation.

    A closing "and its default" is left out, too.
    """
    text = leave_out_lead(text.strip().rstrip("?!. ").strip())
    for _ in range(2):
        text = leave_out_tail(text)
    return _join_verbs(text)


def _build(form: Form, match: re.Match[str]) -> Parsed:
    groups = match.groupdict()
    named = [groups[name] for name in ("x", "y") if groups.get(name)]
    if form is Form.CONFIGURED:
        named = [_DEFAULT_OF.sub("", text) for text in named]
    if form in (Form.CALLERS, Form.CALLEES):  # types are not called
        named = [_MEMBER_OF.sub(r"\2.\1", text) for text in named]
    return Parsed(form, tuple(map(Phrase if form in DESCRIBED_FORMS else read_phrase, named)))
