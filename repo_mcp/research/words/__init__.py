"""Find what a question in words is about, and the errors that this makes.

A seed is a declaration that a question finds by its words; edges are followed from the best of them.
"""
