"""The error tree, cut by what the caller can do.

`Transient`: nothing is wrong with the document, trying again later may work.
`Permanent`: trying again changes nothing; the message says what to change.
`Refused`: a question or a command that cannot be answered as asked.
`Superseded`: somebody newer won; there is nothing to do.
"""


class LockstepError(Exception):
    """The root. Messages name the thing and the way out, and never hold document text or a secret."""


class Transient(LockstepError):
    """Nothing is wrong with the document; trying again later may work."""


class StoreUnavailable(Transient):
    """A store does not answer, or answered that it is busy. What was sent may or may not have been applied."""

    def __init__(self, store: str, host: str, reason: str = "") -> None:
        detail = f" ({reason})" if reason else ""
        super().__init__(f"{store} does not answer at {host}{detail}: is it running, and may this machine reach it?")
        self.store = store
        self.host = host


class ModelBusy(Transient):
    """The embedding model asks to be called again in `retry_after_s` seconds."""

    def __init__(self, model: str, retry_after_s: float) -> None:
        super().__init__(f"the embedding model {model} is busy; it may be asked again in {retry_after_s:.0f} s")
        self.retry_after_s = retry_after_s


class SourceUnavailable(Transient):
    """A source could not be read just now; nothing follows from what it did not show."""


class SourceUnsettled(Transient):
    """A file changed while it was read."""


class Superseded(LockstepError):
    """Somebody newer won; nothing is left to do."""


class LeaseLost(Superseded):
    """The fencing token moved on: another worker holds this document now."""

    def __init__(self, document_id: int) -> None:
        super().__init__(f"document {document_id} is held by a newer lease")
        self.document_id = document_id


class Permanent(LockstepError):
    """Trying again changes nothing; the message says what to change."""


class InputRejected(Permanent):
    """The model refuses, or answers nonsense for, one input of a call: `row` counts from 0."""

    def __init__(self, row: int, reason: str) -> None:
        super().__init__(f"embedding input {row}: {reason}")
        self.row = row
        self.reason = reason


class RecordRejected(Permanent):
    """A store refuses one record for good."""


class ModelMissing(Permanent):
    """The weights or the tokenizer of an embedding model are not where the settings say."""


class ForeignIndex(Permanent):
    """An index of that name exists but was not made by this version of Lockstep for this generation."""


class GenerationGone(Permanent):
    """The physical index of a generation no longer exists."""


class ContentUnreadable(Permanent):
    """A document's bytes cannot be turned into text; its last good version stays searchable."""


class StoreFull(Permanent):
    """No space is left where a store keeps its files."""


class Refused(LockstepError):
    """A command or question that cannot be answered as it was asked."""


class SettingsInvalid(Refused):
    """A setting is unknown or does not fit; the message names it and the way out."""


class GenerationMismatch(Refused):
    """Settings of model or chunker do not fit the stored generation, or a write comes under another fingerprint."""


class TooManyGroups(Refused):
    """The caller belongs to more groups than the closure limit: refused, never cut short."""

    def __init__(self, limit: int) -> None:
        super().__init__(
            f"the caller belongs to more than {limit} groups, nested ones included; "
            f"raise search.closure_limit or ask as fewer principals"
        )


class AlreadyRunning(Refused):
    """The embedded directory is held by another process."""
