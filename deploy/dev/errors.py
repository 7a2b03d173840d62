"""What can go wrong with development services, as one line that says what to do."""


class DevError(Exception):
    """A service cannot be had. The message is for a person and names the way out."""


class Missing(DevError):
    """Something has to be installed first, which this process may not do itself."""
