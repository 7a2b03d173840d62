"""Embedding through any server that speaks OpenAI's `/v1/embeddings`."""
