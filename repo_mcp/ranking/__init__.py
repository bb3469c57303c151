"""Ranked search: a query to posting lists, scores to units, signals to an order of files, hits to snippets.

`word_search` answers a query, `ranking` orders the files, `ranking_weights` holds every number that decides.
"""
