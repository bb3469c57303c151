"""How right the graph is: our resolvers beside precise indexers, on real packages."""
