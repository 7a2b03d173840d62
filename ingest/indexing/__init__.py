"""The write path: accept, look, plan, embed, stage, publish, vacuum; one module each."""
