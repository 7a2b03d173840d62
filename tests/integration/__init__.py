"""The whole line on real input: from files and groups to answers."""
