"""Real data for the demos: the RAND Health Insurance Experiment, and counts worth asking for.

Provenance: collected by RAND, in the public domain; the extract of Cameron and Trivedi
(Microeconometrics, 2005) as statsmodels distributes it, rounded to four decimals. survey.npz holds
every column as integers, those with decimals in ten-thousandths.

Unit of privacy: one row. A row is one person in one year; the extract has no person id. A person
who took part for five years is five rows: epsilon for a row is 5 epsilon for that person.

mdvis    visits to a doctor in the year
lncoins  ln(coinsurance + 1); the coinsurance is 0, 25, 50, 95 or 100 per cent
idp      1 with an individual deductible
lpi      ln(max(1, annual incentive payment))
fmde     0 with an individual deductible, else ln(max(1, maximum expenditure / (0.01 coinsurance))):
         so its source says, but 3,779 rows with a deductible are not 0; no query here reads it
physlm   1 with a physical limitation (fractions are imputed)
disea    index of chronic diseases
hlthg, hlthf, hlthp    1 if the person rates the own health as good, fair, poor; else excellent
"""

import functools
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

OWN_TABLE = []  # what lab/own_data puts in the survey's place
_WHOLE = ("mdvis", "idp", "hlthg", "hlthf", "hlthp")


@functools.cache
def load_survey():
    """The survey, one record per person-year; read-only, for every caller gets the same array.

    Or the table that `own_data` has put in its place.
    """
    if OWN_TABLE:
        return OWN_TABLE[0]
    with np.load(Path(__file__).with_name("survey.npz")) as columns:
        kinds = [(name, np.uint8 if name in _WHOLE else float) for name in columns]
        survey = np.empty(len(columns["mdvis"]), dtype=kinds)
        for name in columns:
            survey[name] = columns[name] / (1 if name in _WHOLE else 10_000)
    survey.flags.writeable = False
    return survey


@dataclass(frozen=True)
class Query:
    """A count of rows: one row more or less changes it by at most 1."""

    name: str
    includes: Callable  # data -> for each row, is it counted?

    def __call__(self, data):
        return float(np.count_nonzero(self.includes(data)))


def health_queries():
    """Counts in the order in which one might ask them: small to large, with close pairs."""
    return [Query(name, includes) for name, includes in COUNTS.items()]


@functools.cache
def health_values():
    """The true values of health_queries, in the same order; read-only, as the survey is."""
    values = np.array([query(load_survey()) for query in health_queries()])
    values.flags.writeable = False
    return values


def as_fractions(queries):
    """The same queries as fractions of the rows: sensitivity 1/n, if a row of n is replaced."""
    return [lambda data, query=query: query(data) / len(data) for query in queries]


def rated(row, *ratings):
    return sum(row[rating] for rating in ratings) == 1


def excellent(row):
    return ~rated(row, "hlthg", "hlthf", "hlthp")


def coinsurance(row):
    return np.rint(np.expm1(row["lncoins"]))


COUNTS = {
    "30 or more visits": lambda row: row["mdvis"] >= 30,
    "20 or more visits": lambda row: row["mdvis"] >= 20,
    "15 or more visits": lambda row: row["mdvis"] >= 15,
    "10 or more visits": lambda row: row["mdvis"] >= 10,
    "poor health": lambda row: rated(row, "hlthp"),
    "poor or fair health, no visit": lambda row: rated(row, "hlthf", "hlthp") & (row["mdvis"] == 0),
    "fair health, no coinsurance": lambda row: rated(row, "hlthf") & (coinsurance(row) == 0),
    "fair health": lambda row: rated(row, "hlthf"),
    "excellent health, 10 or more visits": lambda row: excellent(row) & (row["mdvis"] >= 10),
    "limitation, no visit": lambda row: (row["physlm"] == 1) & (row["mdvis"] == 0),
    "disease index from 30": lambda row: row["disea"] >= 30,
    "disease index from 25": lambda row: row["disea"] >= 25,
    "disease index from 20, 5 or more visits": lambda row: (
        (row["disea"] >= 20) & (row["mdvis"] >= 5)
    ),
    "disease index from 20, limitation": lambda row: (row["disea"] >= 20) & (row["physlm"] == 1),
    "limitation": lambda row: row["physlm"] == 1,
    "disease index from 20": lambda row: row["disea"] >= 20,
    "no coinsurance, 10 or more visits": lambda row: (coinsurance(row) == 0) & (row["mdvis"] >= 10),
    "coinsurance, 10 or more visits": lambda row: (coinsurance(row) > 0) & (row["mdvis"] >= 10),
    "deductible, 5 or more visits": lambda row: (row["idp"] == 1) & (row["mdvis"] >= 5),
    "coinsurance 50%": lambda row: coinsurance(row) == 50,
    "coinsurance 25%": lambda row: coinsurance(row) == 25,
    "5 or more visits": lambda row: row["mdvis"] >= 5,
    "no visit": lambda row: row["mdvis"] == 0,
    "excellent health": excellent,
}
