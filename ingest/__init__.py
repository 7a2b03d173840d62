"""Lockstep's library: everything but the running processes. Importing it opens nothing."""
