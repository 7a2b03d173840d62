"""DESIGN §10: access files, moves of folders, cycles, late patches."""
