"""The system of record. Every SQL statement of Lockstep lives here, under its noun, with its locks and its index."""
