"""The command line: translate in, call one operation, render out."""
