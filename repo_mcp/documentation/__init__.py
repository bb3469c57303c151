"""Search in documentation: sections of documents, comments of declarations, and the media they refer to."""
