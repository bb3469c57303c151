"""What resolvers see of the repository, and the words in which they say what a name means."""
