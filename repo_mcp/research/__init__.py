"""Research: answering a question about the code over several hops of the graph and the text."""
