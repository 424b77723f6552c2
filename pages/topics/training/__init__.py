"""The page on training: can a classifier be trained on noisy images and labels?"""

from pathlib import Path

from pages.kit import folds
from pages.kit.page import Chapter, Chapters, Page
from pages.topics.training import trade_off
from pages.topics.training.answer import Answer, print_scores
from pages.topics.training.chapters import (
    GUESS,
    all_numbers,
    classes,
    probabilities,
    scores,
    some_images,
    the_adversary,
    weights,
)
from pages.topics.training.nearest import labelled
from pages.topics.training.pixel_noise import DELTA
from pages.topics.training.question import EM_TRIALS, PEOPLE, Question
from privdemo.estimators import class_model
from privdemo.estimators.choose import FEW_LABELS
from privdemo.estimators.logistic import SpreadLogisticRegression
from privdemo.estimators.many_classes import MANY_NODES
from privdemo.experiments.results import N_TRIALS
from privdemo.experiments.training import N_SAMPLES, N_STEPS, N_TEST

_HERE = Path(__file__).parent


def standing_words(question: Question | str, _: Answer | None = None) -> dict[str, str]:
    """Return how it works, what the adversary sees, the caveats and the code, as Markdown by title."""
    model = SpreadLogisticRegression()
    found = folds.folds(
        folds.read(
            _HERE / "how.md",
            n_nodes=model.n_nodes,
            many_nodes=MANY_NODES,
            n_folds=model.cv,
            n_people=PEOPLE,
            n_samples=N_SAMPLES,
            n_steps=N_STEPS,
            em_trials=EM_TRIALS,
            n_em=class_model.N_STEPS,
            few_labels=FEW_LABELS,
        ),
        folds.read(_HERE / "adversary.md"),
        folds.read(_HERE / "caveats.md", n_test=N_TEST, n_trials=N_TRIALS, delta=f"{DELTA:g}"),
        "" if isinstance(question, str) else print_scores(question).markdown,
    )
    return (
        found if isinstance(question, str) else {title: question.in_its_words(words) for title, words in found.items()}
    )


CHAPTERS = Chapters(
    "look_at",
    (
        Chapter("Example images", some_images, fits=lambda question: not question.of_table),
        Chapter("Accuracy of each method", labelled(scores)),
        Chapter("Which classes are mixed up", labelled(classes), fits=lambda question: not question.of_two),
        Chapter("Accuracy by noise level", labelled(trade_off.panels), fits=lambda question: question.of_two),
        Chapter("Is the confidence right?", labelled(probabilities), title="Is it as sure as it should be?"),
        Chapter("What an adversary can guess", labelled(the_adversary), title="What others can guess"),
        Chapter("Weights that were learned", labelled(weights), for_specialists=True),
        Chapter("All results in a table", labelled(all_numbers), for_specialists=True),
    ),
    guess=GUESS,
)


PAGE = Page.from_folder(
    __name__,
    title="Training on noise",
    question="Can a computer learn from speckled images and wrong labels?",
    address="training",
    folds=standing_words,
    failed="Nothing can be trained here.",
    chapters=CHAPTERS,
    shows_images=True,
)
