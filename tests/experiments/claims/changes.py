"""Shipped rows and changes of them, by which a verdict should turn."""

from dataclasses import replace


def change(rows, how, **where):
    """`rows`, of which `how` changes those whose columns hold one of the values in `where`."""
    hit = [all(getattr(row, name) in values for name, values in where.items()) for row in rows]
    assert any(hit)
    return tuple(how(row) if mine else row for row, mine in zip(rows, hit, strict=True))


def plus(amount, *names):
    return lambda row: replace(row, **{name: getattr(row, name) + amount for name in names})


def times(factor, *names):
    return lambda row: replace(row, **{name: factor * getattr(row, name) for name in names})


def verdicts(claims, rows, how, **where):
    """The verdict, or verdicts, of `claims` on the rows as they are, and as they are changed."""

    def of(rows):
        found = claims(rows)
        return [claim.verdict for claim in found] if isinstance(found, list) else found.verdict

    return of(rows), of(change(rows, how, **where))
