"""Solution to the exercise of notebook 03; tools/refresh.py copies it into its folded cell."""

# A number says two things: what its noise was, and that T̂ lies below it. Step (b) has the first.
which_step = "b"
