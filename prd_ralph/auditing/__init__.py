"""What a task file claims against what can be proved: pure, but for the commands that `trial` runs by the process port.

`values` is what comes of it. `flags` says who set each flag, `suspicion` what is odd about how; `truth` says of each
story where it stands.
"""
