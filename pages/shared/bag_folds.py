"""What is folded away at the end of the page on bags."""

from __future__ import annotations

from pages.shared.bag_controls import Question
from pages.shared.bag_panels import code
from privdemo.experiments.results import N_DRAWS

_SLIDES = "Yan, *Privacy preserving bag preparation for learning from label proportion* (2018)"

_HOW = rf"""
Records go into bags. Of each bag $b$ everybody learns its records (or means of at least $k$ of them) and **one
number**, its proportion $\pi_b$ of positives. The model is linear, $p(1\mid x)=\varphi(\theta^\top x+c)$ with
$\varphi(a)=1/(1+e^{{-a}})$.

- **The slides’ model** asks that the mean probability of each bag be its proportion,
  $$-\sum_b \pi_b\ln\bar p_b+(1-\pi_b)\ln(1-\bar p_b)+\tfrac{{\lambda}}{{2}}\lVert\theta\rVert^2,\qquad
  \bar p_b=\tfrac1m\sum_{{j\in b}}\varphi(\theta^\top x_j+c).$$
  The slides write $\varphi$ with the opposite sign and expand with a logarithm to base 2; here both are the usual ones.
- **Spread, bag names**: a record’s bag is a randomised response of its class, like a label flip with as many answers as
  bags: $T[b\mid c]=n_b\,\pi_b(c)\,/\sum_{{b'}}n_{{b'}}\pi_{{b'}}(c)$. So the likelihood of *Training on noise* serves
  unchanged: $\sum\ln\sum_c T[b\mid c]\,p_\theta(c\mid x)$.
- **Mean map** (Quadrianto et al. 2009): if a class looks the same in every bag, bag means are mixtures of two class
  means; least squares finds those, and they are all that logistic regression needs of the labels. **Alternating mean
  map** (Patrini et al. 2014) then labels the likeliest records of each bag and fits again, in turns.
- **Full labels** is ordinary logistic regression on the same records with every label known: the ceiling. **Labels of
  what is released** has every label, but only the released means or noisy records to go with it.

Every method chooses its penalty by cross-validation in five parts (fewer where there are fewer bags): over held-out
*bags* where it learns from proportions, over the bag names of held-out records for spread. No label of a record is
used, but by full labels and labels of what is released.

**F1** of a class is the harmonic mean of two shares: of those called so, how many are; of those that are, how many are
called so. The average weighs both classes by how common they are. Source: {_SLIDES}.
"""

_FIRST_ORDER = r"""
Where all weights are 0, the slides’ loss falls fastest along $\sum_b(\pi_b-\tfrac12)\,\bar x_b$: of the records it
knows only the **bag means** $\bar x_b$. Replacing records by means *inside* a bag leaves those as they were, whatever
$k$ is; Laplace noise with mean 0 averages out over a large bag. That is why the method bears both. Only the first step
is so: further from 0 the curve of $\varphi$ matters, and the means hide it. *k-anonymity* above shows how far the
gradient has moved in your own draw, and how much F1 is lost all the same.
"""

_ADVERSARY = """
The adversary is somebody who knows a person’s record and which bag it is in, as a neighbour or an employer may. Before
the release the best guess about the label is the overall share. The bag’s proportion moves that for everybody in the
bag alike, so a bag of one label exposes all of its people (that is what ℓ-diversity forbids). A model trained on the
release then tells people of one bag apart. Choose *the adversary* above to see how often the guess is right.

Laplace noise on a proportion bounds what a bag's total gives away of one label: the odds of a guess change by a factor
of e^ε at most, which is 1.23 for ε = 0.2. The posterior on the page weighs what the noise leaves possible, exactly for
bags filled at random. It does not bound what the model has learnt of people in general.
"""


def _caveats() -> str:
    return f"""
- **An ε here is a promise only where bags and groups were made without a look at what it protects.** ε of a label
  needs bags filled at random (and no k-tree, which parts the labels); ε of a column also needs random-k. Which records
  nearest-k or a k-tree put together, and which bag a record is in when a model or its label chose it, depends on the
  record, and no noise covers that. The slides give the same sensitivity, 1/k, to all of them. So the curves of ε here
  are for bags at random.
- ε of a column is not that of a record: columns compose. *Noise* above gives both.
- k-anonymity and ℓ-diversity are no differential privacy: a mean of k equal records, or a bag of one label, gives all
  of it away.
- Bags filled by a model’s confidence break the assumption of spread and of mean map, that a bag says nothing of x but
  through the class; bags filled by label break that of the slides’ model, that p(1 | x) is the same in every bag. Their
  *probabilities* are then off; F1 may still be good, and spread’s is the better one on several such bags of Adult.
- F1 is of clean test records, whose share of positives is the population’s, also where bags have another.
- The range of a continuous column (breast cancer), the intervals of Adult’s numbers and the words of SMS come from the
  records themselves and are taken for public.
- Noise is drawn in floating point, whose last digits can give a truth away: good for teaching, not for production.
- Shipped curves: {N_DRAWS} draws a point.
"""


def folds(question: Question | str) -> dict[str, str]:
    """How it works, the first-order argument, what the adversary sees, caveats and the code, as Markdown."""
    contents = {
        "How it works": _HOW,
        "Why means and noise cost so little: the first-order argument": _FIRST_ORDER,
        "What the adversary sees": _ADVERSARY,
        "Caveats": _caveats(),
    }
    if not isinstance(question, str):
        contents["Code that reproduces this"] = f"```python\n{code(question)}\n```"
    return contents
