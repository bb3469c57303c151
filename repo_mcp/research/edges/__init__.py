"""Follow edges from what a question names: callers, callees, implementers, tests, paths between symbols."""
