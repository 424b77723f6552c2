"""The chapters of the training page: one pure function each."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from html import escape
from typing import Any

from pages.kit import cache, numbers
from pages.kit.numbers import LOSS, SHARE, count_trials, with_range
from pages.kit.panel import Chart, KnownNumber, Markup, Panel, Prediction, Scale, Table
from pages.topics.training.answer import (
    Answer,
    chosen_words,
    compare,
    print_scores,
    released,
    score_words,
    snippet,
)
from pages.topics.training.pixel_noise import noise_of
from pages.topics.training.question import AS_THEY_COME, DISPUTED, words_of
from privdemo import datasets, figures
from privdemo.experiments import training
from privdemo.figures import training as charts
from privdemo.intervals import gap_interval
from privdemo.mechanisms.pixels import level_of
from privdemo.methods import CLEAN, NAIVE, PUBLISHED, RECONSTRUCTION, SPREAD, TRAINING, TRUE
from privdemo.verdict import Verdict, clearly_below, judge

# The name of the guess that the page begins with.
GUESS = "noisy-training"
# Test images that are shown, and columns of a visitor's table whose weights are.
N_IMAGES, N_COLUMNS = 4, 12
# So many people’s images and labels are shown before the guess, or one of each class.
_N_LEARNED_FROM = 6
# The probability of its own answer above which a model is called very sure, and fairly sure.
VERY_SURE, FAIRLY_SURE = 0.9, 0.7
# What the picture says of a method that predicts nearly the same for all images.
_SAME_ANSWER = "gives nearly every image the same answer: too little shows through the noise"
# A model is about as sure as it is right if both differ by less than this on average.
_ABOUT = 0.01
# How methods learn, in the picture; those without an entry correct for the noise.
_LEARNS = {
    CLEAN: "for comparison: learned without noise",
    NAIVE: "learns from noisy images as if they were clean",
    RECONSTRUCTION: "guesses them, then learns from its guesses",
    TRUE: "corrects for the noise, knows clean pixels",
}
_CORRECTS = "knows how the noise is made, corrects for it"

test_images = cache.shared_or_private(training.test_images, max_entries=64)
released_images = cache.shared_or_private(training.released_images, max_entries=64)


def panel_of(
    answer: Answer, name: str, question: str, words: str, figure: Chart | Markup | Table, summary: str, **more: Any
) -> Panel:
    """Return a panel; if the records are rows of a table, its words say so instead of “image”."""
    in_its_words = answer.question.in_its_words
    return Panel(name, in_its_words(question), in_its_words(words), figure, in_its_words(summary), **more)


# --- some images ---------------------------------------------------------------------------------


def some_images(answer: Answer) -> list[Panel]:
    """Return the panel of test images with every model’s prediction: agreed on and in dispute, or the first ones."""
    trial, picked = answer.trials[0], answer.question.picked
    discriminating = training.informative_methods(trial)
    tried = [name for name in answer.methods if name in trial.fits]
    # Another chapter says why this method gives nearly all images the same answer.
    names = [name for name in tried if name != RECONSTRUCTION or name in discriminating] or tried
    groups = (
        _agreed_and_disputed(trial, names) if picked == DISPUTED else [("", training.first_images(trial, N_IMAGES))]
    )
    chosen = [int(i) for _, images in groups for i in images]
    predictions = {name: _predictions(trial, name, chosen) for name in names}
    truths = [trial.config.classes[c] for c in trial.y[chosen]]
    wrong = "; ".join(f"{TRAINING[name].title} {sum(not one.right for one in predictions[name])}" for name in names)
    rule = _RULES_OF_CHOICE[picked]
    if not answer.question.of_two:
        rule = rule.replace("of each class", "of each of the classes most in dispute")
    summary = (
        f"{released(answer)} Test images of {numbers.join_words(tuple(truths))}, of the first trial{rule}. Wrong of "
        f"{len(chosen)} images: {wrong}. {numbers.HOW_FAR_WORDS.format(least='blind guessing')}"
    )
    rows = [
        (
            (_scored_title(answer, name), _LEARNS.get(name, _CORRECTS)),
            predictions[name] if name in discriminating else _SAME_ANSWER,
        )
        for name in names
    ]
    picture = partial(charts.digits_html, test_images(trial.config)[chosen], truths, alt=summary)
    counted = [(title, len(images)) for title, images in groups if title]
    learned = released_images(trial.config)
    released_two, labels_sent = learned.images[:2], learned.labels[:2]
    n_learnt = f"{len(trial.config.classes) * trial.config.n_train:,}"
    learnt_from = f"Two of the {n_learnt} images that it learned from"
    on_slide = [row for row in rows if not isinstance(row[-1], str)] or rows
    return [
        panel_of(
            answer,
            "images-in-dispute" if picked == DISPUTED else "images-as-they-come",
            "",
            "",
            Markup(
                picture(
                    rows,
                    groups=[(f"New images on which {title}", n) for title, n in counted],
                    trained_on=(f"{learnt_from}, {_labels_words(trial.config, labels_sent)}:", released_two),
                    legend=_legend(answer),
                )
            ),
            summary,
            on_slide=Markup(
                picture(
                    on_slide,
                    groups=[(numbers.capital(title), n) for title, n in counted],
                    trained_on=(f"{learnt_from}:", released_two),
                )
            ),
            rows=lambda: training.digit_table(trial, chosen),
            snippet=print_scores(answer.question).then(f"print(training.digit_table(trials[0], {chosen}))"),
            prediction=_prediction(answer),
        )
    ]


def _labels_words(config: training.TrainingConfig, sent: Sequence[str]) -> str:
    """Say which labels were sent with two images, and whether all labels are true."""
    labelled = numbers.join_words(tuple(f"“{label}”" for label in sent))
    if _wrong(config):
        return f"labelled {labelled}"
    return f"labelled {labelled}. {'All labels are true' if level_of(config.pixels) else 'Nothing was changed'}"


def _scored_title(answer: Answer, name: str) -> str:
    """Return a method’s title with its mean accuracy: “ignore the noise: 92 of 100”."""
    return f"{TRAINING[name].title}: {numbers.out_of_100(answer.score(name, 'accuracy').mean)}"


def _prediction(answer: Answer) -> Prediction | None:
    """Return the guess of how many images a model names correctly, with noisy ones in place of the figure."""
    if not answer.compared:
        return None
    first, *_ = answer.compared
    config = answer.trials[0].config
    return Prediction(
        GUESS,
        f"{_protection(config)}. A computer learned from these. <b>Of 100 new, unchanged images, how many will it "
        "label correctly?</b>",
        100 * answer.score(first, "accuracy").mean,
        Scale(0, 100, unit=" images"),
        _before_the_guess(config),
        _why_learned(config),
        "Your guess: how many of 100 images it labels correctly",
        sorted([KnownNumber(100 / len(config.classes), "pure guessing"), *_without_changes(answer)]),
    )


def _before_the_guess(config: training.TrainingConfig) -> Markup:
    """Return some people’s images and labels, as they are and as they are sent."""
    found = released_images(config, max(1, _N_LEARNED_FROM // len(config.classes)))
    images = {"image, before": found.true_images}
    if level_of(config.pixels):
        images["image the computer gets"] = found.images
    true, sent = ([f"“{label}”" for label in labels] for labels in (found.true_labels, found.labels))
    labels = {"label, before": true, "label the computer gets": sent}
    table = figures.labelled_html({words: figures.contact_sheet(grey[None]) for words, grey in images.items()}, labels)
    title = f"<b>{len(true)} of the {len(config.classes) * config.n_train:,} that the computer learns from</b>"
    dashed = ". Dashed label: switched by chance." if true != sent else ""
    return Markup(f"<p>{title}{dashed}</p>{table}")


def _without_changes(answer: Answer) -> list[KnownNumber]:
    """Return how many images a computer labels correctly that learned from unchanged data, with what that is.

    None where nothing was changed, as it is the answer then.
    """
    config = answer.trials[0].config
    if not level_of(config.pixels) and not _wrong(config):
        return []
    return [KnownNumber(100 * answer.score(CLEAN, "accuracy").mean, "if nothing had been changed")]


def _why_learned(config: training.TrainingConfig) -> str:
    """Say why noise leaves something to learn from; nothing where there is none."""
    if len(config.classes) == 2 and _wrong(config) >= 0.5:
        return ""
    if level_of(config.pixels):
        return "Each image is noisy, but many together show what a single one hides."
    return "More labels are right than wrong." if _wrong(config) else ""


def _protection(config: training.TrainingConfig) -> str:
    """Say what was done to the images and labels, to protect the people."""
    labels = numbers.join_words(tuple(f"“{name}”" for name in config.classes), "or")
    is_image = words_of(config.dataset)[2] == "pixel"
    sent = f"a private {'image' if is_image else 'record'} and a label saying which it is, {labels}"
    if isinstance(config.dataset, str):
        sent = f"something private, here a handwritten {labels}, with a label saying which it is"
    who = f"{len(config.classes) * config.n_train:,} people each sent {sent}"
    share = _wrong(config)
    did = [noise_of(config.pixels).done(config.pixels, is_image)] if level_of(config.pixels) else []
    did += [f"about {numbers.percent(share)} of the labels were switched{_switched_words(config)}"] if share else []
    if not did:
        return f"{who}, without any noise"
    first, *more = did
    return f"{who}. To protect them, {first}{''.join(f'. Also, {one}' for one in more)}"


def _switched_words(config: training.TrainingConfig) -> str:
    """Say how labels of two classes are switched, if one is and the other is not; nothing of more classes."""
    if len(config.classes) > 2:
        return ""
    channel = config.labels.channel_matrix  # [sent, true]
    ways = ((channel[1, 0], config.classes), (channel[0, 1], config.classes[::-1]))
    switched = [f"“{true}” to “{sent}”" for chance, (true, sent) in ways if chance > 0]
    return f" ({switched[0]})" if len(switched) == 1 else ""


def _wrong(config: training.TrainingConfig) -> float:
    """Return which share of labels is wrong, on average over the classes."""
    return float(1 - config.labels.channel_matrix.diagonal().mean())


# How the shown test images are chosen.
_RULES_OF_CHOICE = {
    DISPUTED: ": first of each class one on which all methods that tell images apart, clean data aside, name the same "
    "label, as sure as they mostly are, then the first on which they name different labels and clean data the true "
    "one, or else the first of those, or the one on which their probabilities differ most",
    AS_THEY_COME: ", the first of each class",
}


def _agreed_and_disputed(trial: training.Trial, shown: Sequence[str]) -> list[tuple[str, Sequence[int]]]:
    """Return images on which the methods `shown` agree and those in dispute, each group with a title."""
    n, disagree = N_IMAGES // 2, training.methods_disagree(trial)
    disputed = training.disputed(trial, n)
    compared = _in_dispute(trial)
    are_first = {*shown[: len(compared)]} == {*compared}
    noisy = f"the first {len(compared)} methods" if are_first else "the methods that learned from noisy images"
    if len(compared) == 2:
        noisy = " and ".join(f"“{TRAINING[name].title}”" for name in compared)
    who = "the methods" if CLEAN in compared else noisy
    differing = int(disagree[disputed].sum())
    if differing == n:
        two = "the two methods" if are_first else "two methods"
        title = f"{two if len(compared) == 2 else who} disagree ({disagree.sum():,}\u00a0of\u00a0{len(disagree):,})"
    elif differing:
        title = f"{who} disagree, or are not as sure"
    else:
        title = f"{who} differ most in how sure they are"
    agreed = training.agreed(trial, n)
    named = {tuple(trial.fits[name].named[agreed]) for name in (*compared, CLEAN) if name in trial.fits}
    same = "all methods agree" if len(named) == 1 else f"{who} agree"
    if len(compared) == 2 and are_first:
        same = "the two methods agree"
    return [(title, images) for title, images in ((same, agreed), (title, disputed)) if len(images) == n]


def _in_dispute(trial: training.Trial) -> list[str]:
    """Return the methods whose answers are compared, clean data only where it is one of two."""
    informative = training.informative_methods(trial)
    noisy = [name for name in informative if name != CLEAN]
    return noisy if len(noisy) > 1 else informative


def _legend(answer: Answer) -> str:
    """Say what the words of confidence mean, and of which trial the picture is."""
    marks = (
        f"Very sure: the model gives its answer a chance of over {100 * VERY_SURE:.0f} %; fairly sure: over "
        f"{100 * FAIRLY_SURE:.0f} %; unsure: less."
    )
    if len(answer.trials) > 1:
        marks += f" Numbers “of 100” are averages of {count_trials(answer.trials)}; the images shown are from trial 1."
    return f"{marks}{_disputes_words(answer)}"


def _disputes_words(answer: Answer) -> str:
    """Say of how many images two methods name different labels, if no more than two are compared."""
    trial = answer.trials[0]
    compared, disagree = _in_dispute(trial), training.methods_disagree(trial)
    if answer.question.picked != DISPUTED or len(compared) != 2 or not disagree.any():
        return ""
    right = [f"“{TRAINING[name].title}” on {training.n_right(trial, name, disagree):,}" for name in compared]
    found = f"two methods disagree on {int(disagree.sum()):,} of {len(disagree):,} new images"
    return f" In trial 1, {found}: right are {numbers.join_words(right)}."


def _predictions(trial: training.Trial, name: str, chosen: Sequence[int]) -> list[charts.Said]:
    """Return a method’s predictions of the chosen images."""
    predictions = []
    fit = trial.fits[name]
    for named, proba, truth in zip(fit.named[chosen], fit.class_proba[chosen], trial.y[chosen], strict=True):
        sure = float(proba.max())
        words = "very sure" if sure > VERY_SURE else "fairly sure" if sure > FAIRLY_SURE else "unsure"
        predictions.append(charts.Said(trial.config.classes[named], words, bool(named == truth)))
    return predictions


# --- scores --------------------------------------------------------------------------------------


def scores(answer: Answer) -> list[Panel | tuple[Panel, ...]]:
    """Return the panels of every method’s accuracy and log loss."""
    words = [_loss(answer), compare(answer)] if len(answer.compared) > 1 else [answer.takeaway()]
    panels = tuple(
        panel_of(
            answer,
            name,
            "",
            "",
            Chart(charts.scores(answer.trials, answer.methods, metric)),
            summary,
            rows=lambda: training.score_table(answer.trials),
            snippet=print_scores(answer.question),
        )
        for name, metric, summary in (
            ("accuracy", "accuracy", f"{released(answer)} {score_words(answer)} {chosen_words(answer)}".rstrip()),
            ("log-loss", "log_loss", "The same models by their log loss."),
        )
    )
    question = "How much is lost by training on noise?"
    return [Panel("", question, answer.question.in_its_words(" ".join(filter(None, words)))), panels]


def _loss(answer: Answer) -> str:
    """Say how much accuracy the first of the methods compared loses beside clean data."""
    name, *_ = answer.compared
    lost = answer.score(CLEAN, "accuracy").mean - answer.score(name, "accuracy").mean
    much = f"<b>{numbers.absolute_points(lost)}</b>" if lost > 0 else "<b>nothing</b>"
    right, known = answer.accuracy(name), answer.accuracy(CLEAN)
    return f"“{numbers.capital(TRAINING[name].title)}” loses {much}: {right} right, {known} with clean data."


# --- classes, where there are more than two ------------------------------------------------------


def classes(answer: Answer) -> list[Panel | tuple[Panel, ...]]:
    """Return the panels of which classes are confused with which, and of every class’s recall and precision."""
    names, trials = answer.question.config.classes, answer.trials
    methods = answer.compared or (CLEAN,)
    words = []
    for method in methods:
        true, named = training.most_confused(trials, method)
        share = float(training.confusion(trials, method)[true, named])
        words.append(
            f"“{TRAINING[method].title}” most often takes a “{names[true]}” for a “{names[named]}”: "
            f"<b>{numbers.share(share)}</b> of the time."
        )
    return [
        Panel("", "Which classes are mixed up?", answer.question.in_its_words(" ".join(words))),
        tuple(_confusion_panel(answer, method) for method in methods),
        tuple(_class_scores_panel(answer, method) for method in methods),
    ]


def _confusion_panel(answer: Answer, method: str) -> Panel:
    """Return the panel of a method’s confusion matrix."""
    trials = training.having(answer.trials, method)
    return panel_of(
        answer,
        f"confusion-{method.replace(' ', '-')}",
        "",
        "",
        Chart(charts.confusion(trials, method)),
        f"The share of clean test images of each class, the rows, to which “{TRAINING[method].title}” gives each "
        f"class, the columns; mean over {count_trials(trials)}.",
        rows=lambda: training.class_table(answer.trials),
        snippet=snippet(answer.question).then(f'print(training.confusion(trials, "{method}"))'),
    )


def _class_scores_panel(answer: Answer, method: str) -> Panel:
    """Return the table of a method’s recall and precision for each class, with intervals."""
    marks = zip(answer.question.config.classes, training.class_marks(answer.trials, method), strict=True)
    n = len(answer.trials)
    over = f"over {n} trials" if n > 1 else "over the test images of one trial"
    meaning = (
        f"“{TRAINING[method].title}”. Found: of the images of a class, the share named so. Right: of those named so, "
        f"the share of it. In brackets 95 % intervals, {over}."
    )
    cells = [
        [name, with_range(mark.recall), with_range(mark.precision) if mark.precision else "never named"]
        for name, mark in marks
    ]
    return panel_of(
        answer,
        f"classes-{method.replace(' ', '-')}",
        "",
        "",
        Table(["class", "found (recall)", "right (precision)"], cells, labelled=True),
        " ".join([meaning, *(f"{name}: {found}, {right}." for name, found, right in cells)]),
        rows=lambda: training.class_table(answer.trials),
        snippet=snippet(answer.question).then(f'print(training.class_marks(trials, "{method}"))'),
        note=meaning,
    )


# --- how sure ------------------------------------------------------------------------------------


def probabilities(answer: Answer) -> list[Panel]:
    """Return the panel of every method’s calibration curve."""
    errors = {name: training.calibration_error(answer.trials, name) for name in answer.methods}
    off = "; ".join(
        f"{TRAINING[name].title} {numbers.absolute_points(error)}"
        for name, error in sorted(errors.items(), key=lambda e: e[1])
    )
    words = "; ".join(_sure_words(answer, name) for name in answer.compared or (CLEAN,))
    shown = (
        "Of the test images that a model gives about the same probability of being "
        f"“{answer.question.config.classes[1]}”, the share that is"
        if answer.question.of_two
        else "Of the test images on which a model is about equally sure of its answer, the share on which it is right"
    )
    return [
        panel_of(
            answer,
            "how-sure",
            "Can a model’s confidence be trusted?",
            f"{_trusted_words(answer)} On the clean test images, on average: {words}.",
            Chart(charts.calibration(answer.trials, answer.methods)),
            f"{shown}, in ten bins with 95 % intervals, from {count_trials(answer.trials)}. On the dotted line "
            "70 % means 70 %. A curve steeper than the line is too modest: what it calls likely is more likely still. "
            f"How far a stated probability is off, on average: {off}.",
            rows=lambda: training.calibration_table(answer.trials, answer.methods),
            snippet=snippet(answer.question).then(
                "for method in trials[0].fits:", "    print(method, training.calibration(trials, method))"
            ),
            facts=_sureness(answer),
        )
    ]


def _trusted_words(answer: Answer) -> str:
    """Say whether the methods compared are about as sure as they are right."""
    compared = answer.compared or (CLEAN,)
    fit = [f"“{TRAINING[name].title}”" for name in compared if abs(_too_sure(answer, name)) < _ABOUT]
    unfit = [f"“{TRAINING[name].title}”" for name in compared if abs(_too_sure(answer, name)) >= _ABOUT]
    if not fit or not unfit:
        return f"<b>{'Yes' if fit else 'No'}.</b>"
    return f"<b>Yes with {fit[0]}, not with {unfit[0]}.</b>"


def _too_sure(answer: Answer, method: str) -> float:
    """Return by how much a method is surer of its answers, on average, than it is right."""
    return training.mean_sureness(answer.trials, method) - answer.score(method, "accuracy").mean


def _sure_words(answer: Answer, method: str) -> str:
    """Say how sure a method is and how often right, and which of both is more by at least a point."""
    sure, right = training.mean_sureness(answer.trials, method), answer.score(method, "accuracy").mean
    off = _too_sure(answer, method)
    verdict = ", too sure" if off >= _ABOUT else ", too modest" if off <= -_ABOUT else ""
    title = f"“{TRAINING[method].title}”"
    return f"{title} is <b>{numbers.share(sure, 0)}</b> sure and <b>{numbers.share(right, 0)}</b> right{verdict}"


def _sureness(answer: Answer) -> dict[str, str]:
    """Return how sure and how often right the two compared methods are by name, in whole percent."""
    found = {}
    for name, method in zip(("corrected", "ignored"), answer.compared, strict=False):
        found[f"{name}_sure"] = numbers.share(training.mean_sureness(answer.trials, method), 0)
        found[f"{name}_right"] = numbers.share(answer.score(method, "accuracy").mean, 0)
    return found


# --- weights -------------------------------------------------------------------------------------


def weights(answer: Answer) -> list[Panel]:
    """Return the panel of the weights learnt in the first trial: as pictures, or of a table’s columns as numbers."""
    trial = answer.trials[0]
    fits = [trial.fits[name] for name in answer.methods if name in trial.fits]
    figure = _column_weights if answer.question.of_table else _pixel_weights
    words, picture, summary = figure(answer, fits, _angles_words(fits))
    return [
        panel_of(
            answer,
            "weights",
            "What has each model learned?",
            words,
            picture,
            summary,
            rows=lambda: training.weight_table(trial),
            snippet=snippet(answer.question).then(
                "for fit in trials[0].fits.values():", "    print(fit.method, fit.angle, fit.coef)"
            ),
            on_slide=None if answer.question.of_table else _two_weights(answer, fits),
        )
    ]


def _angles_words(fits: Sequence[training.Fit]) -> str:
    """List the angle of each method’s weights to those of clean data, and the methods whose weights are nearly 0."""
    empty = tuple(TRAINING[fit.method].title for fit in fits if abs(fit.coef).max() < training.NO_WEIGHT)
    angles = "; ".join(
        f"{TRAINING[fit.method].title} <b>{fit.angle:.0f}°</b>"
        for fit in fits
        if fit.method != CLEAN and TRAINING[fit.method].title not in empty
    )
    words = [f"Angle to what clean data teach (0°: the same), first trial: {angles}."] if angles else []
    if empty:
        words.append(f"Nothing was learnt by {numbers.join_words(empty)}: every image gets the same answer.")
    return " ".join(words)


def _pixel_weights(answer: Answer, fits: Sequence[training.Fit], angles: str) -> tuple[str, Markup, str]:
    """Return the answer, the weights as pictures, and their summary."""
    names = answer.question.config.classes
    sheet = charts.weight_sheet([fit.coef for fit in fits], test_images(answer.trials[0].config).shape[1:])
    titles = [TRAINING[fit.method].title for fit in fits]
    columns, sides = (titles, [""]) if answer.question.of_two else (list(names), titles)
    summary = (
        f"Weights of the first trial as pictures, each scaled to its method’s own largest: {', '.join(titles)}. "
        f"{'' if answer.question.of_two else 'One picture for each class. '}Mid-grey is 0. "
        "Angles: 0° is the same direction as with clean data, 90° nothing in common with it."
    )
    picture = Markup(f'<div class="weights">{figures.picture_html(sheet, columns, sides, summary)}</div>')
    speak = (
        _speak_words(names) if answer.question.of_two else "White: pixels that speak for a class; black: against it."
    )
    return f"{speak} {angles}".strip(), picture, summary


def _speak_words(names: Sequence[str]) -> str:
    """Say what white and black pixels mean in pictures of the weights of two classes."""
    return f"White: pixels that speak for {names[1]}; black: for {names[0]}."


def _two_weights(answer: Answer, fits: Sequence[training.Fit]) -> Markup | None:
    """Return the pictures of the two methods that the page compares, for a slide; None of more than two classes."""
    two = [fit for fit in fits if fit.method in answer.compared]
    if not answer.question.of_two or len(two) < len(answer.compared):
        return None
    shape = test_images(answer.trials[0].config).shape[1:]
    sheet = charts.weight_sheet([fit.coef for fit in two], shape)
    titles = [TRAINING[fit.method].title for fit in two]
    picture = figures.picture_html(sheet, titles, [""], ", ".join(titles))
    words = escape(_speak_words(answer.question.config.classes))
    return Markup(f'<div class="weights">{picture}<p>{words}</p></div>')


def _column_weights(answer: Answer, fits: Sequence[training.Fit], angles: str) -> tuple[str, Table, str]:
    """Return the answer, a table of weights, the heaviest on clean data first, and its summary."""
    if not answer.question.of_two:
        return _class_weights(answer, fits, angles)
    first, second = answer.question.config.classes
    names = datasets.load(answer.question.config.dataset).feature_names
    clean = next(fit for fit in fits if fit.method == CLEAN)
    heaviest = sorted(range(len(names)), key=lambda j: -abs(clean.coef[j]))[:N_COLUMNS]
    heads = ["column", *(TRAINING[fit.method].title for fit in fits)]
    rows = [[names[j], *(numbers.signed(float(fit.coef[j])) for fit in fits)] for j in heaviest]
    summary = (
        f"First trial, the {len(rows)} of {len(names)} columns that weigh most on clean data, each on the scale 0 to 1."
    )
    words = f"Weights above 0 speak for “{second}”, those below for “{first}”. {angles}"
    return words, Table(heads, rows, labelled=True), summary


def _class_weights(answer: Answer, fits: Sequence[training.Fit], angles: str) -> tuple[str, Table, str]:
    """Return the same for more than two classes: for each class the columns with the largest weights, by method."""
    names = datasets.load(answer.question.config.dataset).feature_names
    rows = [
        [name, *(", ".join(names[j] for j in (-fit.coef[c]).argsort()[:2]) for fit in fits)]
        for c, name in enumerate(answer.question.config.classes)
    ]
    summary = "First trial: the columns that weigh most for each class, each on the scale 0 to 1."
    table = Table(["class", *(TRAINING[fit.method].title for fit in fits)], rows, labelled=True)
    return f"The columns that speak most for each class, by method. {angles}", table, summary


# --- the adversary -------------------------------------------------------------------------------


def the_adversary(answer: Answer) -> list[Panel]:
    """Return the panel of guessing the label from the released image, beside what the label’s own ε allows."""
    rates = training.attack_rates(answer.trials)
    labels = answer.question.config.labels
    promised = training.best_guess(labels)
    label, image, both = rates["label"], rates["image"], rates["both"]
    label_words = "noisy label" if labels.epsilon < float("inf") else "label"
    beyond, n_classes = judge(image, than=promised), len(answer.question.config.classes)
    coin = "a coin" if n_classes == 2 else f"a guess among {n_classes}"
    unsure = (
        " Both together do worse than the image alone: here the model misjudges how sure it may be of noisy images."
        if clearly_below(gap_interval(both, image))
        else ""
    )
    alike = ""
    if beyond is Verdict.BETTER:
        epsilon = numbers.epsilon(training.equivalent_epsilon(image.mean, n_classes))
        alike = f" The image tells as much as a label with ε = {epsilon} would."
    return [
        panel_of(
            answer,
            "adversary",
            "How well can others guess a label?",
            f"Others who see the noisy image and the {label_words} guess the true label right "
            f"<b>{numbers.share(both.mean)}</b> of the time; "
            f"{attack_words(beyond, image.mean, len(answer.trials))}; from the label alone "
            f"<b>{numbers.share(promised)}</b> at best.",
            Chart(charts.attack(rates, promised, n_classes)),
            f"Fresh releases of the test images of {count_trials(answer.trials)}, on which nobody trained. An "
            f"adversary with the model of “{TRAINING[SPREAD].title}”, itself trained on noise alone, names the true "
            f"label from the released label {with_range(label)}, from the released image {with_range(image)}, from "
            f"both {with_range(both)}. How much to believe an image is learnt from the released labels. Vertical "
            f"line: the best that the label’s own lie (ε = {numbers.epsilon(labels.epsilon)}) allows when all classes "
            f"are equally common; dotted: {coin}.{alike}{unsure}",
            rows=lambda: [{"source": source, **rate._asdict()} for source, rate in rates.items()],
            snippet=snippet(answer.question).then("print(training.attack_rates(trials))"),
            facts={
                "from_label": numbers.share(promised),
                "from_image": numbers.share(image.mean),
                "from_both": numbers.share(both.mean),
            },
        )
    ]


def attack_words(beyond: Verdict, rate: float, n_trials: int) -> str:
    """Say whether the released image reveals a label more often than the label’s own lie allows."""
    start = f"from the image alone <b>{numbers.share(rate)}</b>"
    if beyond in (Verdict.BETTER, Verdict.WORSE):
        return start
    return f"{start}, statistically tied with the label alone over {count_trials(range(n_trials))}"


# --- all numbers ---------------------------------------------------------------------------------


def all_numbers(answer: Answer) -> list[Panel]:
    """Return the table of every method’s numbers, the training time included."""
    quickest = min(training.mean_of(answer.trials, name, "seconds") for name in answer.methods)
    sampled = PUBLISHED in answer.methods
    heads = ["method", "accuracy", "log loss", "Brier score", "angle", "training time"]
    heads += ["effective samples"] if sampled else []
    table = Table(heads, [_table_row(answer, name, sampled) for name in answer.methods], labelled=True)
    return [
        panel_of(
            answer,
            "all-numbers",
            "How do all methods compare?",
            f"Means over {count_trials(answer.trials)} with 95 % intervals; the quickest training took "
            f"<b>{numbers.seconds(quickest)}</b>.",
            table,
            "In brackets 95 % intervals. Angle: between the weights and those learnt on clean data. The time includes "
            "the choice of a penalty."
            + (" Effective samples: how many of a person’s samples count." if sampled else ""),
            rows=lambda: training.score_table(answer.trials),
            snippet=snippet(answer.question).then("print(training.score_table(trials))"),
        )
    ]


def _table_row(answer: Answer, name: str, sampled: bool) -> list[str]:
    """Return one method’s row of the table."""
    over = f" ({count_trials(training.having(answer.trials, name))})" if name == PUBLISHED else ""
    row = [
        TRAINING[name].title + over,
        with_range(answer.score(name, "accuracy"), SHARE),
        *(with_range(answer.score(name, mark), LOSS) for mark in ("log_loss", "brier")),
        numbers.degrees(training.mean_of(answer.trials, name, "angle")),
        numbers.seconds(training.mean_of(answer.trials, name, "seconds")),
    ]
    if not sampled:
        return row
    effective = f"{training.mean_of(answer.trials, name, 'effective_samples'):.1f} of {training.N_SAMPLES}"
    return [*row, effective if name == PUBLISHED else ""]
