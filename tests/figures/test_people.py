"""Dot fields draw every person once, and show the pollster nothing but answers."""

import base64
import re

import numpy as np

from privdemo import figures
from privdemo.experiments.voting import A_LIED, A_TRUE, B_LIED, B_TRUE
from privdemo.figures import people


def test_a_dot_field_draws_every_person_once():
    kinds = np.array([A_TRUE] * 5 + [A_LIED] * 2 + [B_TRUE] * 6 + [B_LIED])
    ours = figures.dot_field("ours", kinds, people.TRUTH)
    assert ours.svg.count('fill="none"') == 2
    assert ours.svg.count("M") == len(kinds)
    assert ours.svg.count("0 1 0 7") == 7  # discs: the voters of A
    theirs = figures.dot_field("theirs", kinds, people.ANSWERS)
    assert 'fill="none"' not in theirs.svg
    assert theirs.svg.count("0 1 0 7") == 5 + 1  # truthful voters of A, and the liar who voted B


def test_where_two_people_differ_in_truth_alone_the_pollster_sees_the_same():
    """The answer is all that leaves: a voter of A who lies looks like an honest voter of B."""
    honest = figures.dot_field("x", np.array([B_TRUE, A_TRUE]), people.ANSWERS)
    liars = figures.dot_field("x", np.array([A_LIED, B_LIED]), people.ANSWERS)
    assert honest.svg == liars.svg  # to the last byte


def test_dots_lie_inside_the_picture_and_apart():
    for n in (1, 2, 999):
        field = figures.dot_field("x", np.zeros(n, int), people.TRUTH)
        width, height = map(int, re.search(r'viewBox="0 0 (\d+) (\d+)"', field.svg).groups())
        spots = [tuple(map(float, spot)) for spot in re.findall(r"M([\d.]+) ([\d.]+)a", field.svg)]
        assert len(set(spots)) == n
        assert all(0 <= x <= width - 7 and 3.5 <= y <= height - 3.5 for x, y in spots)


def test_a_page_of_people_is_whole_and_escapes_its_words():
    field = figures.dot_field("a <b>", np.zeros(3, int), people.TRUTH)
    page = figures.people_page([field], {"x & y": people.VOTED_A}, 'say "A" <now>')
    for words in ("a &lt;b&gt;", "x &amp; y", 'alt="say &quot;A&quot; &lt;now&gt;"', "<style>"):
        assert words in page
    assert base64.b64decode(re.search(r"base64,([^\"]+)", page).group(1)).decode() == field.svg
