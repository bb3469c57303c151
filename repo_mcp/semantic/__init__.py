"""Search by meaning: an embedding model of the operator's, the vectors of chunks, what they add to a ranking.

Off unless a folder with a model is named. Inference, tokens and the model's file are read by numpy and the
standard library alone: no compiled code of ours, no network client, no pickle.
"""
