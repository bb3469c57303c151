"""Answer without a ranking: a name looked up, names within a question, the origin of a copied message."""
