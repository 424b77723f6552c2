"""Dot fields draw every person once, and show the pollster nothing but answers."""

import base64
import re

import numpy as np
import pytest

from privdemo import figures
from privdemo.experiments.voting import A_LIED, A_TRUE, B_LIED, B_TRUE
from privdemo.figures import people


def test_a_dot_field_draws_every_person_once_and_the_pollster_sees_answers_alone():
    kinds = np.array([A_TRUE] * 5 + [A_LIED] * 2 + [B_TRUE] * 6 + [B_LIED])
    ours = figures.dot_field("ours", kinds, people.TRUTH).svg
    # people, liars, and discs: the voters of A
    assert (ours.count("M"), ours.count('fill="none"'), ours.count("0 1 0 7")) == (14, 2, 7)
    theirs = figures.dot_field("theirs", kinds, people.ANSWERS).svg
    assert (theirs.count('fill="none"'), theirs.count("0 1 0 7")) == (0, 5 + 1)
    # A voter of A who lies looks like an honest voter of B, to the last byte.
    honest = figures.dot_field("x", np.array([B_TRUE, A_TRUE]), people.ANSWERS)
    assert honest.svg == figures.dot_field("x", np.array([A_LIED, B_LIED]), people.ANSWERS).svg


@pytest.mark.parametrize("n", [1, 2, 999])
def test_dots_lie_inside_the_picture_and_apart(n):
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
