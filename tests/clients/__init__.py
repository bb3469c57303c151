"""Real clients, each with a model of ours that calls the tools by a script."""
