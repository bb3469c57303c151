"""Order files: `ranking` adds up the points that `signals` give each; `ranking_weights` has the weights."""
