"""Prints one table: what, ours, the alternative measured in the same run, ratio, budget.

The whole run ends with an error where a budget is exceeded; with few rounds times decide nothing.
"""

import argparse
import sys

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
from benchmarks.timing import Row, print_table
from tools.browser import chromium


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
    print_table(rows)
    if not quick and any(row.kept is False for row in rows):
        sys.exit("over budget: " + ", ".join(row.what for row in rows if row.kept is False))


if __name__ == "__main__":
    main()
