"""Real PostgreSQL, Redis and OpenSearch (and, through Docker, Qdrant) for development and tests.

`python -m deploy.dev start` starts them on free loopback ports and prints where they are; `stop` ends what it started.
Where a Docker engine answers they are containers, elsewhere processes from the system's packages. Not for production.
"""
