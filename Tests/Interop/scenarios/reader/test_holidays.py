# SPDX-License-Identifier: Apache-2.0
"""The days of holidays to the year 2040, as `readerd check-config --holidays` prints them, against a computation of its
own: Easter by Gauss with the corrections of Kinkelin, weekdays by walking through the month with Python's calendar."""

import calendar
import json
import subprocess
from collections.abc import Callable, Iterable
from datetime import date, timedelta

import pytest

from rig.reader import binary

YEARS = range(2000, 2041)
WEEKDAYS = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]


def easter(year: int) -> date:
    """Gauss, with the centuries' corrections: the date counted from 1 March."""
    century = year // 100
    moon_correction = 15 + (3 * century + 3) // 4 - (8 * century + 13) // 25
    sun_correction = 2 - (3 * century + 3) // 4
    golden = year % 19
    germ = (19 * golden + moon_correction) % 30
    limit = 21 + germ - (germ + golden // 11) // 29
    sunday = 7 - (year + year // 4 + sun_correction) % 7
    return date(year, 3, 1) + timedelta(limit + 7 - (limit - sunday) % 7 - 1)


def orthodox_easter(year: int) -> date:
    """The Sunday after the Julian paschal full moon: walked day by day from 21 March of the Julian calendar."""
    golden = year % 19
    full_moon = date(year, 3, 21) + timedelta((19 * golden + 15) % 30 + 13)
    day = full_moon + timedelta(1)
    while day.weekday() != 6:
        day += timedelta(1)
    return day


def nth(year: int, month: int, weekday: int, number: int) -> date:
    """The weekday of a month; -1 is the last."""
    days = [week[weekday] for week in calendar.monthcalendar(year, month) if week[weekday]]
    return date(year, month, days[number - 1] if number > 0 else days[-1])


def near(day: date, weekday: int, step: int) -> date:
    day += timedelta(step)
    while day.weekday() != weekday:
        day += timedelta(step)
    return day


def days(first: date, last: date) -> Iterable[date]:
    return (first + timedelta(number) for number in range((last - first).days + 1))


Rule = Callable[[int], Iterable[date]]
"""The days whose first lies in a year."""

RULES: dict[str, Rule] = {
    "01-01": lambda year: [date(year, 1, 1)],
    "02-29": lambda year: [date(year, 2, 29)] if calendar.isleap(year) else [],
    "2028-02-29": lambda year: [date(2028, 2, 29)] if year == 2028 else [],
    "easter": lambda year: [easter(year)],
    "12-25..12-26 from 2010 until 2030": lambda year: (
        days(date(year, 12, 25), date(year, 12, 26)) if 2010 <= year <= 2030 else []
    ),
    "12-24..01-01": lambda year: days(date(year, 12, 24), date(year + 1, 1, 1)),
    "2026-12-24..2027-01-06": lambda year: days(date(2026, 12, 24), date(2027, 1, 6)) if year == 2026 else [],
    "easter-2..easter+1": lambda year: days(easter(year) - timedelta(2), easter(year) + timedelta(1)),
    "last mon 08..09-02": lambda year: days(nth(year, 8, 0, -1), date(year, 9, 2)),
    **{
        f"easter{offset:+}": lambda year, offset=offset: [easter(year) + timedelta(offset)]
        for offset in (-80, -47, -3, -2, 1, 39, 49, 50, 60, 250)
    },
    **{
        f"orthodox-easter{offset:+}": lambda year, offset=offset: [orthodox_easter(year) + timedelta(offset)]
        for offset in (-48, -2, 1, 50)
    },
    **{
        f"{['1st', '2nd', '3rd', '4th', 'last'][number]} {WEEKDAYS[weekday]} {month:02}": (
            lambda year, number=number, weekday=weekday, month=month: [
                nth(year, month, weekday, number + 1 if number < 4 else -1)
            ]
        )
        for number in range(5)
        for weekday in range(7)
        for month in (1, 2, 5, 11)
    },
    **{
        f"{WEEKDAYS[weekday]} {word} {day:%m-%d}": lambda year, weekday=weekday, step=step, day=day: [
            near(day.replace(year=year), weekday, step)
        ]
        for weekday in range(7)
        for word, step in (("before", -1), ("after", 1))
        for day in (date(2000, 1, 3), date(2000, 5, 25), date(2000, 11, 23), date(2000, 12, 28))
    },
}


def test_easter_itself():
    """The two computations of this page, at years that everybody knows."""
    assert [easter(year) for year in (1943, 2000, 2026, 2038)] == [
        date(1943, 4, 25),
        date(2000, 4, 23),
        date(2026, 4, 5),
        date(2038, 4, 25),
    ]
    assert [orthodox_easter(year) for year in (2024, 2026)] == [date(2024, 5, 5), date(2026, 4, 12)]


@pytest.fixture(scope="module")
def configuration(tmp_path_factory):
    file = tmp_path_factory.mktemp("holidays") / "readerd.toml"
    lines = ",\n".join(f'"{number}: {rule}"' for number, rule in enumerate(RULES))
    file.write_text(f"[reader]\nholidays = [\n{lines}\n]\n")
    return file


def test_the_list_has_room(configuration):
    assert len(RULES) > 200


@pytest.mark.parametrize("year", YEARS)
def test_the_days_of_a_year(configuration, year):
    done = subprocess.run(
        [binary(), "check-config", configuration, "--holidays", str(year), "--json"],
        capture_output=True,
        text=True,
        check=True,
    )
    shown = {(entry["date"], entry["name"]) for entry in json.loads(done.stdout)["holidays"]}
    wanted = {
        (day.isoformat(), str(number))
        for number, rule in enumerate(RULES.values())
        for begun in (year - 1, year, year + 1)
        for day in rule(begun)
        if day.year == year
    }
    assert shown == wanted and len(wanted) > 200
