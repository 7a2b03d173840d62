"""The running processes: command line, loopback API, the embedded loop."""
