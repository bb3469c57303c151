"""Ranked search: `word_search` takes a query to hits; the rooms are its steps.

`query` reads the text, `scoring` finds the best units, `files` orders their files, and `page` shows them.
`direct_hits` finds what needs no ranking: names that are looked up, and messages word for word.
"""
