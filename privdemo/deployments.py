"""Real deployments of differential privacy, as their makers published them.

    for one in DEPLOYMENTS:
        print(one.name, one.epsilon, one.unit)

Each number was read in the first source, that of the maker itself; `docs/deployments.md` quotes the words that say it,
and lists what was left out because it could not be read there. An ε bounds what is learnt about a *unit*: a report, a
day, a person. Numbers for different units cannot be compared.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import date

from privdemo import limits
from privdemo.accounting import concentrated_epsilon

# What an ε is stated for, from the least that is protected to the most.
REPORT, VALUE, DAY, PERSON = "one report", "one value, however often it is reported", "one day", "one person in all"
UNITS = (REPORT, VALUE, DAY, PERSON)
# Who adds the noise: the person, before anything is sent, or whoever publishes.
LOCAL, CENTRAL = "local", "central"
MODELS = (LOCAL, CENTRAL)
# The δ at which ρ is turned into ε where the source names none.
CONVERTED_AT = 1e-10


@dataclass(frozen=True)
class Preset:
    """Settings of a survey with the same mechanism and ε, or the nearest one: the `oracle` and its `k` answers.

    `is_same` is whether the oracle is the deployed mechanism itself.
    """

    oracle: str
    k: int
    is_same: bool


@dataclass(frozen=True)
class Deployment:
    """One deployment: who releases what, how, and with which ε for which `unit`.

    `protects` says the unit in full. `epsilon` holds at `delta`; `least_epsilon` is less where the source gives a
    range. With `rho` the source states ρ-zCDP. `derived` says how ε follows where the source does not state it. The
    first source has the title `source` and the `address`, and was read on `read`; `when` is the year as far as it says.
    """

    name: str
    organisation: str
    released: str
    when: str
    mechanism: str
    model: str
    unit: str
    protects: str
    epsilon: float
    source: str
    address: str
    read: date
    delta: float = 0.0
    rho: float | None = None
    least_epsilon: float | None = None
    derived: str = ""
    preset: Preset | None = None

    def __post_init__(self) -> None:
        limits.DEPLOYED_EPSILON.check(self.epsilon)
        limits.DELTA.check(self.delta)
        if self.rho is not None:
            limits.RHO_OF_RELEASE.check(self.rho)
        if self.unit not in UNITS:
            raise ValueError(f"unit must be one of {', '.join(UNITS)}, got {self.unit!r}")
        if self.model not in MODELS:
            raise ValueError(f"model must be one of {', '.join(MODELS)}, got {self.model!r}")


_READ = date(2026, 11, 26)
_GITHUB = "https://github.com"
_WIKIMEDIA = "https://analytics.wikimedia.org/published/datasets"
# The census's settings name the scale s of all noise together; ρ = 1/s² gives the ε that the Bureau has announced.
_CENSUS_RHO = (542 / 339) ** 2
_GBOARD_RHO = 0.2, 2.0
# RAPPOR's permanent noise: 2h ln((1 − f/2)/(f/2)) with f = ½ and h = 2 hash functions.
_RAPPOR_EPSILON = 4 * math.log(3)

DEPLOYMENTS = (
    Deployment(
        name="Chrome ad reports",
        organisation="Google",
        released="reports to advertisers on what followed a click or view of an ad",
        when="undated",
        mechanism="k-ary randomised response over all possible reports of an ad",
        model=LOCAL,
        unit=REPORT,
        protects="what followed one click or view of an ad",
        epsilon=14.0,
        source="Attribution Reporting: Chromium’s values",
        address=f"{_GITHUB}/WICG/attribution-reporting-api/blob/main/params/chromium-params.md",
        read=_READ,
    ),
    Deployment(
        name="Exposure notifications",
        organisation="Google, with health authorities",
        released="how many telephones got and opened warnings of an infection",
        when="2021",
        mechanism="randomised response of each bit, before shares of it are added up by two servers",
        model=LOCAL,
        unit=REPORT,
        protects="one report of one statistic",
        epsilon=8.0,
        source="Exposure Notifications Express: default ε of every statistic, in the app’s code",
        address=f"{_GITHUB}/google/exposure-notifications-android/blob/0220325466214966368b1f1e5cc0eb8a6a380df7/app/src/"
        "main/java/com/google/android/apps/exposurenotification/privateanalytics/MetricsRemoteConfigs.java",
        read=_READ,
        preset=Preset("randomised response", 2, is_same=True),
    ),
    Deployment(
        name="Chrome home pages",
        organisation="Google",
        released="which home pages are set in the browser",
        when="2014",
        mechanism="RAPPOR: a Bloom filter of 128 bits with lasting and with fresh noise",
        model=LOCAL,
        unit=VALUE,
        protects="one home page, however often it is reported",
        epsilon=_RAPPOR_EPSILON,
        source="RAPPOR in Chromium: design and code",
        address="https://www.chromium.org/developers/design-documents/rappor",
        read=_READ,
        derived="by the formula of its paper from half of all bits replaced and two hash functions",
        preset=Preset("basic rappor", 128, is_same=False),
    ),
    Deployment(
        name="Symptom searches",
        organisation="Google",
        released="how often symptoms are searched for, by region and day",
        when="2020",
        mechanism="noise on totals; the abstract does not say which",
        model=CENTRAL,
        unit=DAY,
        protects="a person’s searches for symptoms in a day",
        epsilon=1.68,
        source="COVID-19 Search Trends Symptoms Dataset: Anonymization Process Description",
        address="https://research.google/pubs/"
        "google-covid-19-search-trends-symptoms-dataset-anonymization-process-description/",
        read=_READ,
    ),
    Deployment(
        name="Vaccination searches",
        organisation="Google",
        released="how often vaccinations against COVID-19 are searched for, by region",
        when="2021",
        mechanism="noise on totals; the abstract does not say which",
        model=CENTRAL,
        unit=DAY,
        protects="a person’s searches about vaccination in a day",
        epsilon=2.19,
        delta=1e-5,
        source="COVID-19 Vaccination Search Insights: Anonymization Process Description",
        address="https://arxiv.org/abs/2107.01179",
        read=_READ,
    ),
    Deployment(
        name="Wikipedia views from 2023",
        organisation="Wikimedia Foundation",
        released="views of each Wikipedia page by country and day",
        when="from 2023",
        mechanism="Gaussian noise on counts",
        model=CENTRAL,
        unit=DAY,
        protects="the first 10 different pages seen on a device in a day",
        epsilon=1.0,
        delta=1e-7,
        rho=0.015,
        source="Pageviews Differential Privacy — Current",
        address=f"{_WIKIMEDIA}/country_project_page/00_README.html",
        read=_READ,
    ),
    Deployment(
        name="Wikipedia views from 2017",
        organisation="Wikimedia Foundation",
        released="views of each Wikipedia page by country and day",
        when="data of 2017 to 2023",
        mechanism="Laplace noise on counts",
        model=CENTRAL,
        unit=DAY,
        protects="30 page views of a day",
        epsilon=1.0,
        source="Pageviews Differential Privacy — Historical",
        address=f"{_WIKIMEDIA}/country_project_page_historical/00_README.html",
        read=_READ,
    ),
    Deployment(
        name="Wikipedia views from 2015",
        organisation="Wikimedia Foundation",
        released="views of each Wikipedia page by country and day",
        when="data of 2015 to 2017",
        mechanism="Laplace noise on counts",
        model=CENTRAL,
        unit=DAY,
        protects="300 page views of a day",
        epsilon=1.0,
        source="Pageviews Differential Privacy — Historical (pre-2017)",
        address=f"{_WIKIMEDIA}/country_project_page_historical_pre_2017/00_README.html",
        read=_READ,
    ),
    Deployment(
        name="Gboard",
        organisation="Google",
        released="over twenty language models of the keyboard Gboard",
        when="2023",
        mechanism="noisy training on telephones (DP-FTRL)",
        model=CENTRAL,
        unit=PERSON,
        protects="all that a person contributes to the training of a model",
        epsilon=concentrated_epsilon(_GBOARD_RHO[1], CONVERTED_AT),
        delta=CONVERTED_AT,
        rho=_GBOARD_RHO[1],
        least_epsilon=concentrated_epsilon(_GBOARD_RHO[0], CONVERTED_AT),
        source="Federated Learning of Gboard Language Models with Differential Privacy",
        address="https://arxiv.org/abs/2305.18465",
        read=_READ,
        derived="from ρ between 0.2 and 2",
    ),
    Deployment(
        name="Births in Israel",
        organisation="Israel’s Ministry of Health",
        released="records of the live births of 2014",
        when="2024",
        mechanism="private selection among synthetic data sets (PrivBayes)",
        model=CENTRAL,
        unit=PERSON,
        protects="a mother and her newborn",
        epsilon=9.98,
        source="Differentially Private Release of Israel’s National Registry of Live Births",
        address="https://arxiv.org/abs/2405.00267",
        read=_READ,
    ),
    Deployment(
        name="US census 2020",
        organisation="US Census Bureau",
        released="persons by race, age group and place, for drawing districts",
        when="2021",
        mechanism="discrete Gaussian noise on counts, then consistent records (TopDown)",
        model=CENTRAL,
        unit=PERSON,
        protects="the record of a person",
        epsilon=concentrated_epsilon(_CENSUS_RHO, CONVERTED_AT),
        delta=CONVERTED_AT,
        rho=_CENSUS_RHO,
        source="DAS 2020 Redistricting Production Code: settings for persons",
        address=f"{_GITHUB}/uscensusbureau/DAS_2020_Redistricting_Production_Code/blob/"
        "b51272816ef243049a0e24891c61d9c496fceee4/DAS_PL94.release/configs/production/pl94/person_default.ini",
        read=_READ,
        derived="from the scale of its noise, 339/542, which is ρ = 2.56",
    ),
)


def by_unit() -> dict[str, tuple[Deployment, ...]]:
    """Return the deployments of each unit, in the order of `UNITS`, by ε."""
    return {
        unit: tuple(sorted((one for one in DEPLOYMENTS if one.unit == unit), key=lambda one: one.epsilon))
        for unit in UNITS
    }
