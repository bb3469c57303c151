"""The weights by which blocks are rated and spent on, in one table for each kind of prompt.

They are few and round. They were tuned on questions about development repositories whose answering functions
were named in advance, and on the changed lines of commits; bench/quality/README.md gives the results.
"""

from __future__ import annotations

from repo_mcp.record_classes import dataclass, replace


@dataclass(frozen=True, slots=True)
class Weights:
    """Weights of evidence. A block that holds every term of the prompt once or twice is worth about 1."""

    # terms of the prompt
    symbol_term: float = 1.0  # a term that is a whole symbol of the prompt
    rarity: float = 1.5  # power of a term's rarity
    joined_term: float = 0.0  # a term of the index that two words form together; at 0 none is looked for
    part_term: float = 0.7  # a term that is a part of a longer word
    inflected: float = 0.3  # a word as it is written, beside its stem
    form: float = 1.0  # factor of another form of an irregular word: `chosen` for "choose"
    pasted: float = 0.5  # factor of a term that only pasted code holds
    synonym: float = 0.5  # a word that means much the same as one of the prompt
    stand_in: float = 0.5  # a word that means much the same as one that the index lacks
    plain: float = 0.5  # a word that programs use for an idiom of the prompt: `timeout` for "takes too long"
    asking: float = 1.0  # factor of a word that occurs in any question: `another`, `known`

    # what a block holds
    name: float = 1.0  # the terms in its name, beside those in its text: names are chosen with care
    owner: float = 0.3  # the terms in the name of the class around it
    comment: float = 0.3  # a term in a comment or docstring, compared with one in code
    far_comment: float = 1.0  # factor of a term in a comment after MANY_COMMENTS lines of comments
    lead: float = 0.8  # a term in the comment above a declaration, which says what all of it is for
    no_body: float = 0.4  # factor of a single line, and of lines outside functions: they seldom answer alone
    deciding: float = 1.5  # factor of a body with branches: it says how things work
    least_branches: int = 1  # of such a body
    trivial: float = 0.5  # factor of a short body without branches: it passes something on
    inner_test: float = 0.2  # factor of a test in a file of the program, unless tests are asked for
    repeats: float = 1.0  # repetitions at which a term in a block of usual length reaches half its weight
    usual_lines: float = 25.0  # of a block
    length: float = 0.5  # how many more repetitions a longer block needs; a shorter one needs no fewer

    # what the prompt names
    named: float = 3.0  # more than all terms together: what is named comes first
    unsure: float = 1.0  # factor of a capitalised word, which may be no name
    joined: float = 0.0  # factor of words that form a name together, which may be chance

    members: bool = True  # a name may also mean a member inside of a small file or class that is one block

    # names that are followed
    callee: float = 0.35  # of the worth of the block that calls it
    named_use: float = 0.2  # of the worth of a block that hands the name on, or reads it
    caller: float = 0.1  # of the worth of a block that it calls, in the same file
    follows_shown: bool = True  # what a shown block calls gains as well, not only what the best blocks call

    # the file
    any_declaration: float = 0.05  # added to each declaration of a file that holds terms of the prompt
    other_role: float = 0.2  # factor of a test, a document or data, unless asked for: code answers first
    side_file: float = 0.3  # factor of an example, a benchmark and the like
    older: float = 0.3  # factor of a file of an older version that is kept beside the newer one
    rank: float = 1.0  # power of the file's score in the search, as a share of the best one
    mention: float = 1.5  # a file that the prompt names, as a share of the best score
    next_frame: float = 0.8  # factor for each frame of a traceback, from the innermost outwards

    # spending
    lines: float = 0.3  # power of the lines that a block costs
    base_lines: float = 60.0  # added to the lines of an excerpt that touches no other
    ends_below: float = 0.02  # of the worth per line of the best block: less is noise, and ends the bundle
    left_below: float = 0.0  # of the same: less is left out, and the best of it named in a warning
    enough_lines: int = 60
    left_below_then: float = 0.0  # takes the place of `left_below` when so many lines are shown
    names_first: bool = True  # what is named comes first, however little it is worth
    repeat_lines: float = 450.0  # of one file: when so many are shown, its next block counts half
    held_term: float = 0.0  # of a block's worth, added to it for each of the prompt's terms that it holds
    straight: float = 1.0  # factor of a block without branches that is not trivial
    title_term: float = 0.0  # of a block's worth, added to it for each term of the title that it holds
    worth_power: float = 1.0  # of a block's worth: more lets the best blocks stand out
    share_power: float = 0.0  # of the file's score as a share of the best one, a further factor
    share_if_not_found: float = 0.3  # instead of that share, for a file that only declares a name
    leads: bool = True  # the comment above a declaration is shown with it


WEIGHTS = Weights()
# For reports and descriptions of changes, of which a few places are wanted. They have so many words that any
# block holds some: what holds many of them, in the files that were found first, is where to look. The title
# says what is wrong. Names say what was used, which is seldom what is at fault. Chosen on 205 issues.
REPORT_WEIGHTS = replace(
    WEIGHTS,
    symbol_term=2.0,
    joined_term=2.0,
    named=0.3,
    unsure=0.5,
    joined=0.5,
    members=False,
    held_term=1.0,
    title_term=2.0,
    worth_power=1.3,
    share_power=1.0,
    least_branches=3,
    straight=0.7,  # what decides nothing is seldom at fault
    named_use=0.0,  # what is read or handed on is seldom at fault
    left_below=0.3,
    left_below_then=0.4,
    names_first=False,
    repeat_lines=120.0,
    follows_shown=False,
    leads=False,  # a fix seldom touches them
)
# For questions in sentences, where declarations are compared with each other and not packed. Chosen on 78
# such questions: in one of eight, a name that their words formed by chance came first.
QUESTION_WEIGHTS = replace(
    WEIGHTS,
    symbol_term=2.0,
    joined_term=0.5,
    name=0.7,
    owner=0.6,
    named=1.0,
    members=False,
    rarity=2.0,
    inflected=1.0,
    form=0.0,
    synonym=0.0,
    plain=0.0,  # who asks such a question adds them to it
    asking=0.5,
    unsure=0.5,
    lead=0.3,
    far_comment=0.2,
    no_body=0.5,
    deciding=1.0,  # these four are weighed by the callers that order such declarations
    trivial=1.0,
    inner_test=1.0,
    side_file=1.0,
)
# For a search, which compares declarations of many files. A file's score already reflects the words by which
# its declarations are rated, so here it counts for less.
SEARCH_WEIGHTS = replace(QUESTION_WEIGHTS, rank=0.6)
