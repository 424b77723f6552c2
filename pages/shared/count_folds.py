"""What is folded away at the end of the page on released counts."""

from __future__ import annotations

from pages.shared.count_controls import Question
from pages.shared.count_panels import code

_PAPER = "Iyer, Nath & Sarawagi, *Privacy preserving class ratio estimation* (KDD 2016), section 3"

_HOW = rf"""
A set holds $m$ labels of $c$ classes, counts $\eta_1,\dots,\eta_c$. The set’s size $m$ is public; two sets are
**neighbours** when one label has moved from a class to another. A mechanism is $(\varepsilon,\delta)$-private if no
event is more than $e^\varepsilon$ times as likely for one neighbour as for the other, but for $\delta$.

- **Laplace, Gaussian**: noise on every count, divided by $m$ and moved to the nearest proportions (least squares on the
  simplex; that is post-processing and costs no privacy). Published scales: $b=2/\varepsilon$ and
  $\sigma=\sqrt2\sqrt{{2\ln(1.25/\delta)}}/\varepsilon$. Tight ones use the exact profile: for Laplace
  $\delta(\varepsilon)=1-(1+\tfrac t4)e^{{-t/2}}$, $t=\max(0,\tfrac2b-\varepsilon)$; for Gaussian noise that of Balle &
  Wang (2018) with sensitivity $\sqrt2$.
- **Laplace prior** (Machanavajjhala et al. 2008): counts with Laplace noise are the parameters of a Dirichlet
  distribution, and a sample of it is released.
- **Scaled Dirichlet** (the paper’s proposal): $\theta\sim\mathrm{{Dir}}(\sigma\eta)$. Two neighbours’ densities
  differ by $(\theta_i/\theta_j)^\sigma/\Lambda_{{ij}}$, and
  $\theta_i/(\theta_i+\theta_j)\sim\mathrm{{Beta}}(\sigma\eta_i,
  \sigma\eta_j)$. So the integral that the paper calls not easy is a Beta tail, and the exact $\delta$ a difference
  of two, with $B$ the event $\theta_i/\theta_j>(\Lambda_{{ij}}e^\varepsilon)^{{1/\sigma}}$:

  $$
  \delta_{{ij}}(\varepsilon)=P_{{\mathrm{{Beta}}(\sigma\eta_i,\,\sigma\eta_j)}}(B)-e^\varepsilon
  P_{{\mathrm{{Beta}}(\sigma\eta_i-\sigma,\,\sigma\eta_j+\sigma)}}(B)
  $$

  The paper asks only that the first tail be at most $\delta$. That wastes most of the promise from the data to its
  neighbours, and looks at no neighbour from its own side, where with counts of a few labels it may break it.
- **From n_min on**: adding gamma variates to both classes is post-processing that makes counts larger, so $\delta$
  never grows with a count. Among all sets whose classes have at least $n_{{\min}}$ labels the worst neighbours are
  where a label leaves a class of $n_{{\min}}+1$ for one of $n_{{\min}}$: σ is chosen for those, and no private count
  is looked at.

**Distortion** is the L1 distance of released and true proportions, from 0 to 2. Half of it is the share of labels that
would have to change class to get from one to the other. Source: {_PAPER}.
"""

_ADVERSARY = """
The adversary is as strong as can be: all labels but one are known. What is left is a choice between two neighbours, and
the best guess is right with probability (1 + δ(0))/2, computed exactly for every mechanism under *the adversary* above.
A real adversary knows less. But nothing here protects what a *model* of the sets says of people in general: see *What
share of this group…?*
"""

_CAVEATS = """
- **σ chosen from the private counts has no formal guarantee.** As published, scaled Dirichlet is tuned to the data
  at hand: at a neighbouring set σ itself differs, and between the two, each with its own, δ can be larger than was
  asked for, as it is at the paper’s design (see *the adversary*). Only “tight from n_min on” is free of that, and it
  promises nothing for sets that break the public bound. That it refuses such a set tells of it, too.
- δ = 0.05, the paper’s choice, is large: one release in twenty may give a label away. The smaller ε and δ, the larger
  the counts that scaled Dirichlet needs; the page says how large.
- The published Gaussian scale is proved for ε < 1. Above, its exact δ can exceed the wish; the page then says that its
  promise is void.
- “Tight” is exact for the noisy counts. That the projection hides a little more is not made use of.
- The guarantee is of one set. Somebody who is in two sets is released about twice, and ε and δ add up.
- Of the paper’s Laplace prior the treatment of negative noisy counts is not printed; here they become 0, and such a
  class gets no share.
- Noise is drawn in floating point, whose last digits can give a truth away: good for teaching, not for production.
"""


def folds(question: Question | str) -> dict[str, str]:
    """How it works, what the adversary sees, caveats and the code, as Markdown."""
    contents = {"How it works": _HOW, "What the adversary sees": _ADVERSARY, "Caveats": _CAVEATS}
    if not isinstance(question, str):
        contents["Code that reproduces this"] = f"```python\n{code(question)}\n```"
    return contents
