"""Research: a question about the code, followed over several hops of the graph and the text."""
