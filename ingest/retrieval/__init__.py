"""The reader: both searches propose, one statement in the catalog decides."""
