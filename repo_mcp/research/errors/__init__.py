"""Read how functions fail: on which condition, with which errors, and what handles these.

Which of this a question asks for is told by the room above, that of words.
"""
