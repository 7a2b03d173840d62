"""Where Lockstep meets vendors: one adapter per engine, chosen by `ingest.bootstrap` and by nobody else."""
