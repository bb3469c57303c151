"""Line patterns: the language of a path, where its comments are, and which names its lines define."""
