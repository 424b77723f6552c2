"""What is folded away at the end of the comparison."""

from __future__ import annotations

from pages.shared import text
from pages.shared.comparison_controls import Question
from pages.shared.comparison_panels import code
from privdemo.experiments.comparison import N_TEST, ComparisonConfig
from privdemo.experiments.results import N_DRAWS
from privdemo.mechanisms.label_counts import RELEASES
from privdemo.methods import TIGHT

_HOW = rf"""
All methods see **the same people**, as many of one class as of the other, and the same noise on records. What differs
is what becomes known of labels:

- **Lies** (nobody is trusted): every person flips the label with probability $p=1/(1+e^\varepsilon)$, the least lie
  that is ε-private (Warner 1965; Barber). *Naive* takes the lies for the truth, *spread* maximises
  $\sum_n\log\sum_c T[\tilde c_n\mid c]\,p_\theta(c\mid x_n)$, *reconstruction* is its published rival.
- **Bags** (a bag’s owner sees labels): people are put into bags at random, and each bag’s share is released with
  Laplace noise of scale $1/(m\varepsilon)$ (Yan). The *slides’ model* fits mean probabilities to the shares; *spread
  on bag names* is the same likelihood with $T[\text{{bag}}\mid c]$.
- **Sets** (a publisher sees labels): two sets with the classes the other way round, the rarer with a share drawn
  around ρ, their counts released with tight noise: {", ".join(RELEASES[name].title for name in TIGHT.values())}
  (Iyer, Nath & Sarawagi). *MMD* looks for the nearest mixture, *spread on set names* takes $T[\text{{set}}\mid c]$.
- **Counting lies**: for a share, the people asked about may also answer themselves, with the same lie; the corrected
  count is $(s-p)/(1-2p)$ cut to [0, 1].

Where images are private too, every pixel is replaced with the label’s flip probability (Barber, figure 3), for every
method, and spread knows it. What clean pixels are like it *learns* from the noisy ones; *flat* takes all values for
equally common; the *true* prior is counted off the clean images, which nobody could release, and is a reference.
Penalties are chosen by what was released alone. Tested on up to {N_TEST} clean records of each class; a share is asked
of a set of other records.
"""

_AT_FIRST = text.epsilon(ComparisonConfig().set_name_epsilon)
_ADVERSARY = f"""
With lies and bags ε bounds what the release of **one label** can tell whoever sees it: the odds of any guess change by
e^ε at most. With sets it bounds what the **counts** tell (but for δ); that a person is in a set filled by label tells
more, whatever the noise: at most as much as a lie with ε = ln((1 − r)/r), r the least share that the rarer class can
have: {_AT_FIRST} where ρ = 0.1. A label changes the counts of one set; whoever also knows the totals of both, as many
of either class here, reads the same secret off both, and for them ε is twice. That is why their marks are open.

And *who sees the true label first* differs: with lies nobody does; with bags or sets somebody
collects them, and must neither leak nor lose them. That is why whom one must trust is a column and a mark.


A model of the classes, once learnt, names labels of people who released nothing: no noise on labels prevents that.
See *the adversary* on the pages of the three methods.


"""

_CAVEATS = f"""
- Sets are filled by label to have their proportions, as in the paper; ε and δ cover the counts of given sets, not who
  is in which. Bags are filled at random, which gives nothing away, and makes them say little.
- A whole image’s ε is that of all its pixels together, and huge: private images here mean noisy, not safe.
- Two classes, as many people of either; linear models, and one kernel for MMD.
- Marks are means over draws of other people and other noise ({N_DRAWS} where shipped); bars are 95 % intervals of the
  mean.
- Spread on lies knows that there are as many people of either class. “True labels” for a share are those of the people
  learnt from; whoever counts lies asks others, those of the set itself, so it can do better at large ε.
- For a share at ε = 0.1 the optimiser of spread on lies or bag names does not come to its end in some draws, as so
  little is told of labels; its marks count all the same. Of your own setting the summary says where.
- Somebody who stands in the set asked about several times, where a class has too few, answers once.
- How many of the rarer class a set has is a secret drawn around ρn: from half of ρn on, which is n_min of scaled
  Dirichlet and which everybody knows, to as far above, and never over half.
- Where no noise meets (ε, δ) a method has no mark, and the summary says why.
- “Goal seek” looks among the ε of the curves, and does not guess between them. The best of several methods on the same
  draws is picked after the fact, which flatters it a little.
"""


def folds(question: Question | str) -> dict[str, str]:
    """How it works, what the adversary sees, caveats and the code, as Markdown."""
    contents = {"How it works": _HOW, "What the adversary sees": _ADVERSARY, "Caveats": _CAVEATS}
    if not isinstance(question, str):
        contents["Code that reproduces this"] = f"```python\n{code(question)}\n```"
    return contents
