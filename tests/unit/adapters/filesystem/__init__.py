"""Tests of the file source: what is pure, what is on disk, and what inotify tells."""
