"""Answer questions about the code: `research` makes the report, `investigations` has one function per form.

The rooms: `question` understands the text. `edges`, `words`, `kinds`, `settings` and `structure` look for the
answer, `findings` keeps what they note, and `claims` puts it into sentences.
"""
