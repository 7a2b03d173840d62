"""The loopback API: other commands of the same user reach the process that holds the data folder."""
