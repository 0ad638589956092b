"""Prints one table: what, ours, the alternative measured in the same run, ratio, budget.

The whole run puts it into docs/speed.md, and ends with an error where a budget is exceeded. With
few rounds times decide nothing.
"""

import argparse
import re
import sys
from datetime import date

from benchmarks import (
    classroom,
    core_trace,
    crowd,
    head_maps,
    hover,
    models_page,
    own_page,
    real_head,
    recording,
    server_share,
    startup,
    toggle,
)
from benchmarks.timing import Row, table
from tools.browser import ROOT, chromium


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--quick", action="store_true", help="fewer rounds, one or two minutes")
    quick: bool = options.parse_args().quick
    rows: list[Row] = core_trace.rows(quick) + recording.rows(quick) + server_share.rows(quick)
    rows += server_share.chapters(quick)
    with chromium() as browser:
        rows += startup.rows(browser, quick) + hover.rows(browser, quick)
        rows += toggle.rows(browser, quick) + own_page.rows(browser)
        rows += real_head.rows(browser, quick) + head_maps.rows(browser, quick)
        rows += models_page.rows(browser, quick)
    rows += crowd.rows(quick) + classroom.rows(quick)
    measured = table(rows)
    print(measured)
    if not quick:
        page = ROOT / "docs/speed.md"
        page.write_text(with_table(page.read_text("utf-8"), measured, date.today()), "utf-8")
    if not quick and any(row.kept is False for row in rows):
        sys.exit("over budget: " + ", ".join(row.what for row in rows if row.kept is False))


def with_table(page: str, measured: str, day: date) -> str:
    """Return the page on speed with another whole run, and its day, between its two marks."""
    begin, end = "<!-- a whole run -->", "<!-- its end -->"
    said = f"{begin}\nThis one is of {day:%d %B %Y}.\n\n{measured}\n{end}"
    found, count = re.subn(f"{begin}.*?{end}", lambda _: said, page, flags=re.DOTALL)
    if count != 1:
        raise ValueError(f"the page has {count} places for the table: one of {begin} … {end}")
    return found


if __name__ == "__main__":
    main()
