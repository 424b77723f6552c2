"""What the home page shows: two digits under rising noise, what an adversary makes of them, and what privacy costs."""

from __future__ import annotations

from dataclasses import dataclass

from pages.kit import cache, numbers
from pages.kit.draws import Draws
from pages.kit.panel import Markup, Panel
from pages.kit.snippet import Snippet
from pages.topics.home.controls import Question
from pages.topics.home.cost import cost
from privdemo import figures
from privdemo.experiments import images
from privdemo.experiments.images import Gallery, GalleryConfig

gallery = cache.shared(images.gallery, max_entries=64, spinner="Releasing two digits at rising noise levels…")


@dataclass(frozen=True)
class Answer:
    """A question, and two people's digits at rising noise levels with the adversary's guesses."""

    question: Question
    gallery: Gallery

    def takeaway(self) -> str:
        """The picture in two sentences, which stand under it."""
        return f"Each pixel is replaced with probability p. {self._found()}."

    def main(self) -> tuple[Panel, Panel]:
        """The releases with the guesses under them, and what privacy costs."""
        return self._picture(), cost(self.question.dataset)

    def _picture(self) -> Panel:
        made, summary = self.gallery, self._summary()
        columns = [f"p = {level:.3g}" for level in made.levels]
        names = [name for digit in made.class_names for name in (f"the {digit}, as sent", "adversary's guess")]
        sheet, alt = figures.contact_sheet(made.images), summary.replace("<b>", "").replace("</b>", "")
        picture = Markup(figures.picture_html(sheet, columns, names, alt))
        return Panel(
            "home",
            figure=picture,
            summary=summary,
            rows=lambda: images.strip_table(names, columns, made.images),
            snippet=snippet(self.question),
        )

    def _summary(self) -> str:
        names, levels = self.gallery.class_names, [f"{level:.3g}" for level in self.gallery.levels]
        return (
            f"A {names[0]} and a {names[1]}, released with flip probability {', '.join(levels)}: left to right, each "
            "pixel is replaced by another with rising probability. Under each, an adversary's best guess of the clean "
            f"digit. {self._found()}; at p = {levels[-1]} nothing is left."
        )

    def _found(self) -> str:
        """Say how often the sender is found at the last level that is not pure noise."""
        last = self.gallery.points[-2]
        return (
            f"At p = {last.level:.3g}, of {last.n_candidates} known people the sender is still found "
            f"<b>{numbers.share(last.linked.mean, 0)}</b> of the time (95 % interval "
            f"{numbers.interval(last.linked, numbers.SHARE._replace(digits=0))})"
        )


def answer(question: Question, _: Draws) -> Answer:
    """Release two people's digits at rising noise levels, and guess them."""
    return Answer(question, gallery(_config(question)))


def snippet(question: Question) -> Snippet:
    """The lines that make the picture."""
    return Snippet(
        (
            "from privdemo.experiments.images import GalleryConfig, gallery",
            "from privdemo.figures import contact_sheet, png",
        ),
        (
            f"picture = gallery({_config(question)!r})",
            'open("picture.png", "wb").write(png(contact_sheet(picture.images)))',
        ),
    )


def _config(question: Question) -> GalleryConfig:
    return GalleryConfig(question.dataset, seed=question.seed)
