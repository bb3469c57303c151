"""Find the seeds of a question: declarations with its words, named by them, or the base of an asked kind.

A seed is a declaration that a question finds by its words; edges are followed from the best of them.
"""
