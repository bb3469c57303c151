"""Find how one more of a kind is added: its base type, what lists and registers its types, and one to copy.

A kind is what a question wants another one of: "how do I add a custom lookup". Here it is found by its name,
and by the types that derive from its base.
"""
