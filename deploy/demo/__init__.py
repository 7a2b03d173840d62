"""The demonstration: the main job on the embedded default, through the real commands and their `--json` output."""
