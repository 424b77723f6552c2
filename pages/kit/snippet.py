"""The Python that reproduces a figure, built from imports and lines."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Snippet:
    """Code to show: `imports`, each once, those of the standard library first; then `lines`."""

    imports: tuple[str, ...]
    lines: tuple[str, ...] = ()

    def then(self, *lines: str, imports: tuple[str, ...] = ()) -> Snippet:
        """Return the same code with more lines at its end, and what they import."""
        return Snippet((*self.imports, *imports), (*self.lines, *lines))

    def __str__(self) -> str:
        unique = sorted(dict.fromkeys(self.imports), key=lambda line: (line.split()[1], line))
        ours = [line for line in unique if line.split()[1].startswith("privdemo")]
        others = [line for line in unique if line not in ours]
        blocks = ["\n".join(block) for block in (others, ours, self.lines) if block]
        return "\n\n".join(blocks)

    @property
    def markdown(self) -> str:
        """The code as a Markdown block."""
        return f"```python\n{self}\n```"
