"""The accuracy of the graph: our resolvers beside precise indexers, on real packages."""
