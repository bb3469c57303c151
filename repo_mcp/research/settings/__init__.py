"""Find where a setting or a field is declared and set, and what reads it."""
