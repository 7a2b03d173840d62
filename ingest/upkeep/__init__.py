"""Upkeep: source against catalog (scan), directory against catalog, stores against catalog (audit), retention."""
