"""Search by meaning: an embedding model of the operator's, the vectors of chunks, their part in a ranking.

It is off unless a folder with a model is named. Numpy and the standard library alone do inference, tokens
and the model file: no compiled code of ours, no network client, no pickle.
"""
