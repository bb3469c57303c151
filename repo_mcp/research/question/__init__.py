"""Understand a question: its form by its grammar, and what its phrases name in this repository."""
