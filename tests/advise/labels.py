"""The privacy label of each decision in docs/advice.md. `python -m tests.advise.labels` writes them there."""

from __future__ import annotations

import re

from privdemo.advise import Advice, label
from tests.documents import ROOT, run

DOCUMENT = ROOT / "docs/advice.md"
SUMMARY = "<summary>Its privacy label</summary>"
_DECISION = re.compile(r"```python\n(advice = advise\(.*?)```\n(?:\n<details>.*?</details>\n)?", re.DOTALL)


def markdown(advice: Advice) -> str:
    """Return the label of an advice as a folded table."""
    rows = "\n".join(f"| {line.title} | {line.text} |" for line in label(advice))
    return f"<details>{SUMMARY}\n\n| | |\n|---|---|\n{rows}\n\n</details>\n"


def with_labels(text: str) -> str:
    """Return the document with the label of each decision below its code."""
    names: dict[str, object] = {}
    run("from privdemo.advise import Question, advise, simulated_half_width", names)
    before, heading, decisions = text.partition("## Ten decisions\n")

    def labelled(match: re.Match[str]) -> str:
        run(match[1], names)
        advice = names["advice"]
        assert isinstance(advice, Advice)
        return f"```python\n{match[1]}```\n\n{markdown(advice)}"

    return f"{before}{heading}{_DECISION.sub(labelled, decisions)}"


if __name__ == "__main__":
    DOCUMENT.write_text(with_labels(DOCUMENT.read_text(encoding="utf-8")), encoding="utf-8")
