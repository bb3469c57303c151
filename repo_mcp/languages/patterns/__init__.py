"""Line patterns: the language of a path, where its comments are, and the names that its lines define."""
