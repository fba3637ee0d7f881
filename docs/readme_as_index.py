"""Make README.md the front page of the site: links into docs/ lose the folder, links to other files become plain text."""

import re
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Called by mkdocs once it has collected the pages."""
    readme = Path(config.config_file_path).with_name("README.md").read_text(encoding="utf-8")
    files.append(File.generated(config, "index.md", content=as_page(readme)))
    return files


def as_page(readme: str) -> str:
    """Rewrite the links of the README.

    >>> as_page("[why](docs/decisions.md), [law](LICENSE), [paper](https://example.org/a)")
    '[why](decisions.md), law, [paper](https://example.org/a)'
    """
    return re.sub(r"\[([^\]]+)\]\(([^)]+)\)", _rewrite, readme)


def _rewrite(link: re.Match[str]) -> str:
    text, target = link.groups()
    if target.startswith(("https://", "#")):
        return link[0]
    return f"[{text}]({target.removeprefix('docs/')})" if target.startswith("docs/") else text
