"""Charts of elections by randomised response, of surveys and of naive training."""

from privdemo.figures.voting.asymptotics import figure1, landscape
from privdemo.figures.voting.not_playing_along import disobedience, disobedience_axis, disobedience_styles
from privdemo.figures.voting.polls import estimates, repeated_polls
from privdemo.figures.voting.several_candidates import candidates
from privdemo.figures.voting.survey import answers, asking_again, design_prices, honest_price, price
from privdemo.figures.voting.training import naive_training

__all__ = [
    "answers",
    "asking_again",
    "candidates",
    "design_prices",
    "disobedience",
    "disobedience_axis",
    "disobedience_styles",
    "estimates",
    "figure1",
    "honest_price",
    "landscape",
    "naive_training",
    "price",
    "repeated_polls",
]
