"""The data directory: where it is, who wrote what lies there, and when an old part of it goes."""
