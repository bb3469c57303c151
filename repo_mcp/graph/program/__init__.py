"""The view of the repository that resolvers get, and the terms in which they state what a name means."""
