"""Values without input or output: what Lockstep talks about."""
