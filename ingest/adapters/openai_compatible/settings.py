"""What there is to say about a remote embedding model."""

from dataclasses import dataclass, field
from urllib.parse import urlsplit

from ingest.adapters.weights.file import ModelFile
from ingest.errors import SettingsInvalid


@dataclass(frozen=True, slots=True)
class OpenAICompatibleModelSettings:
    """A server that speaks `/v1/embeddings`, the model it is asked for, and how hard it is asked."""

    base_url: str
    """With the version, without `/embeddings`, such as `https://api.example.com/v1`."""
    model: str
    """The server's name for the model; the fingerprint goes by it, as the weights cannot be seen."""
    tokenizer: ModelFile
    """The model's own `tokenizer.json`: chunks are sized with it."""
    dimension: int
    max_tokens: int
    """The most tokens of one input, special tokens included."""
    revision: str = ""
    """Change it when the server has got other weights under the same name."""
    key: str = field(default="", repr=False)
    """Sent as a bearer token; empty = none. Never logged, never in an error."""
    passage_prompt: str = ""
    query_prompt: str = ""
    request_inputs: int = 64
    """The most inputs of one request."""
    request_tokens: int = 16_384
    """The most tokens of one request; a longer input goes alone."""
    timeout_s: float = 60.0
    attempts: int = 4
    """How often a request is sent before the caller hears that it failed."""
    first_wait_s: float = 0.5
    """The pause after the first failure; doubled after each further one."""
    longest_wait_s: float = 20.0
    """The longest pause. A server that asks for more gets its way through ModelBusy, not by a sleeping thread."""

    def __post_init__(self) -> None:
        """Raises SettingsInvalid; addresses show up in logs, so none may carry a secret."""
        try:
            parts = urlsplit(self.base_url)
            usable = parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
        except ValueError:  # a port that is no number, a bracket that stays open
            usable = False
        if not usable:
            raise SettingsInvalid(f"base_url of the embedding model {self.model} is no http(s) address")
        if parts.username or parts.password or parts.query or parts.fragment:
            raise SettingsInvalid(
                f"base_url of the embedding model {self.model} carries a user, password or query: "
                "put the secret into `key`"
            )
        if any(not "!" <= character <= "~" for character in self.key):
            raise SettingsInvalid(
                f"the key of the embedding model {self.model} has a space, line break or other sign in it"
            )

    @property
    def host(self) -> str:
        """Host and port, for messages."""
        return urlsplit(self.base_url).netloc
