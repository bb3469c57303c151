"""The beginnings of reasons. Claims tell by them what a finding is. Pure."""

from __future__ import annotations

BY_EXTENSION = "by an extension"  # in the reason of a finding for a type that an extension makes conform
NAMED_IN_QUESTION = 'what "'  # begins the reason of a finding for a symbol that the question names
BOTH_DECLARE = "is declared by both of the types that are compared"
DECIDES = "decides for "  # begins the reason of a finding for what another one leaves the decision to
FAILS = "fails, and "  # begins the reason of a finding for a function that fails and that a subject uses
# These begin the reasons of findings for a question on how to add something.
NAMED_SO = "has the verb and the noun of the question in its name"
DERIVE, LISTS, MODEL = "others of the kind derive from it", "names", "one of the kind"
HAS_ROWS = "lists"  # a table of values
BELONG = "others of the kind are members of it"
REGISTERS, MOST_DERIVE = "takes one of the kind", "most of the kind derive from it"
TAKES = "can be given one of the kind"  # to what makes something with it
IMPLEMENTERS = "implementers"  # the name of a group
FILLS = "overrides or implements "  # begins the reason of a finding that overrides or implements a subject
IN_DOCUMENTS = "in a document or example"  # ends the reason of a finding there
LAST_PART = ", the last part of "  # in the reason of a finding for a part of a setting's name
OPTION = "declares the option"  # begins the reason of a finding that declares one by its name
DECLARES = "declares or "  # begins the reason of a finding for a line that declares a name, or documents it
# Begins the reason of a finding for what a subject calls where its callers are asked for.
CALLED_AND_ASKED = "has a word of the question, and is called by "
MENTIONS, HOLDS = "mentions ", "declares "  # begin reasons: a subject is used as a value, or declared inside
MAKES_OWN = (
    "has a value with the name of "  # begins the reason of a key of an object: `{ validate: () => true }`
)
FEW_HAVE = "is one of few places with the word "  # begins the reason of one with a word that the best lacks
READS = "reads the field "  # begins the reason of a finding that reads a field which a subject sets
WRITTEN = "has a line written as a call of "  # begins the reason of a finding where no parser sees a call
# These begin the reasons of findings that are named after a setting, or read it through what is.
SETS_BY, READS_BY, DEFAULTS = "lets callers set ", "reads it through ", "by its name holds the default of "
PASSES = "passes the name "  # begins the reason of a finding that hands on the name of a setting
GIVEN = "is the value given to "  # begins the reason of a finding that a setting is declared with
# A warning: the findings depend on a subject, and do not implement it.
UNIMPLEMENTED = "Nothing is known to implement or extend it; what depends on it is shown instead."
