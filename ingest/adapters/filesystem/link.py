"""Where a reader finds a document: on this machine, or wherever the tree is published."""

from pathlib import Path
from urllib.parse import quote

from ingest.errors import SettingsInvalid


class Links:
    """Makes links from keys: `file://` URIs, or a template in which {key} stands for the quoted key."""

    def __init__(self, root: Path, template: str | None = None) -> None:
        if template is not None and "{key}" not in template:
            raise SettingsInvalid(f"link_template: {template!r} needs {{key}}, as in https://docs.example.com/{{key}}")
        self._template = template or f"{root.absolute().as_uri().rstrip('/')}/{{key}}"

    def to(self, key: str) -> str:
        return self._template.replace("{key}", quote(key))
