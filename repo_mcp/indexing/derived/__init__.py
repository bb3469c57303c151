"""The index of what is derived from files, such as their symbols."""
