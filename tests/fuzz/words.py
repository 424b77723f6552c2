"""Words that a visitor never reads: those of Python and its libraries."""

PROGRAMMERS = (
    "Traceback",
    "Error:",
    "KeyError",
    "TypeError",
    "ValueError",
    "NoneType",
    "__",
    "sys.",
    "datetime.",
    " object",
    "has no attribute",
    "is not iterable",
    "not subscriptable",
    "not callable",
    "unhashable",
    "unexpected keyword",
    "positional argument",
    "invalid literal",
    "could not convert",
    "list index",
    "tuple index",
    "indices must be",
    "argument of type",
    "not supported between",
    "values to unpack",
    "operand",
    "recursion",
    "codec can't",
    "for integer string conversion",
)


def of_programmers(said: str, given: str = "") -> list[str]:
    """The words in what is said that only a programmer understands, but for those that were given."""
    return [word for word in PROGRAMMERS if word in said and word not in given]
