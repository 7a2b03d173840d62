"""The embedded vector index: Qdrant's engine inside the process, one shard per directory, one opener per machine."""
