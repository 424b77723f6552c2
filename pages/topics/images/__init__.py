"""The page on noise on images: what does it do to an image, and what does it hide?"""

from functools import partial
from pathlib import Path

from pages.kit import folds, numbers
from pages.kit.page import Chapter, Chapters, Page
from pages.topics.images.answer import Answer, paper_figure, snippet
from pages.topics.images.question import (
    CHANGED,
    CHAPTER,
    DIAL,
    GAUSS,
    LOST,
    PROMISED,
    Question,
)
from privdemo import datasets
from privdemo.estimators import low_rank
from privdemo.experiments import images
from privdemo.intervals import Estimate
from privdemo.verdict import Verdict, judge

_HERE = Path(__file__).parent
# A learned prior counts as stopped early if its log-likelihood could still rise by more than this, in nats a pixel.
EARLY = 0.01


def standing_words(_: Question | str, answer: Answer | None) -> dict[str, str]:
    """Return how it works, what the adversary sees, the caveats and the code, as Markdown; empty without an answer."""
    if answer is None:
        return {}
    mechanism = folds.read(_HERE / f"how_{answer.question.family.name}.md")
    code = f"These lines compute the numbers above with the `privdemo` package.\n{snippet(answer.question).markdown}"
    how = folds.read(_HERE / "how.md", mechanism=mechanism)
    return dict(folds.folds(how, _adversary(answer), _caveats(answer), code))


def _adversary(answer: Answer) -> str:
    """Return what the adversary sees, as Markdown with the answer’s numbers."""
    result, own_point = answer.result, answer.own_point
    chance = 1 / len(result.class_names)
    return folds.read(
        _HERE / "adversary.md",
        n_people=f"{result.n_people:,}",
        n_releases=images.N_RELEASES,
        n_candidates=own_point.n_candidates,
        linked=numbers.with_range(own_point.linked),
        chance_of_linking=numbers.share(1 / own_point.n_candidates),
        label_guess=numbers.with_range(result.label_guess),
        n_learners=images.N_LEARNERS,
        at_most=f" of {images.AT_A_TIME:,} people" if result.n_people > images.AT_A_TIME else "",
        chance_of_label=numbers.share(chance, 0),
        verdict=label_verdict(result.label_guess, chance),
    )


def label_verdict(guessed: Estimate, chance: float) -> str:
    """Say whether the image reveals the label, by how often the label is `guessed` right from it."""
    if judge(guessed, images.N_LEARNERS, than=chance) is Verdict.BETTER:
        return "A lie about the label does not protect against that: **the image betrays the label.**"
    return "That is no better than chance: here the image does not give the label away."


def _caveats(answer: Answer) -> str:
    """Return the caveats, as Markdown with those that apply to this answer only."""
    more = []
    if answer.guesses.prior_gap > EARLY:
        more.append(
            "- The guesses of *each pixel by itself* stopped learning early: for the worst pixel the log-likelihood "
            f"could rise by up to {answer.guesses.prior_gap:.3f} nats a person."
        )
    labels = answer.question.labels
    if len(answer.result.class_names) == 2 and labels.epsilon < 1e-12:
        more.append("- These two lies add up to 1: a reported label says nothing, and nothing can be learned from it.")
    source = datasets.load(answer.question.data)
    words = folds.read(
        _HERE / "caveats.md", source=source.source, licence=source.licence, most_factors=low_rank.MOST_FACTORS
    )
    return "\n".join([words.rstrip(), *more])


PAGE = Page.from_folder(
    __name__,
    title="Noise on images",
    question="Can random speckles hide who sent an image?",
    address="image_noise",
    folds=standing_words,
    chapters=Chapters(
        CHAPTER.key,
        (
            Chapter(DIAL, Answer.main),
            Chapter(LOST, Answer.lost, title="How many speckles hide the sender"),
            Chapter(PROMISED, Answer.promised, title="What is guaranteed"),
            Chapter(
                CHANGED,
                partial(paper_figure, kind="randomised_response"),
                shows_main_control=False,
                for_specialists=True,
                title="Barber’s images: replaced pixels",
            ),
            Chapter(
                GAUSS,
                partial(paper_figure, kind="gaussian"),
                shows_main_control=False,
                for_specialists=True,
                title="Barber’s images: Gaussian noise",
            ),
        ),
    ),
    shows_images=True,
)
