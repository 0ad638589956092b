"""Streamlit that also says how much it keeps (`/_stcore/metrics`), which the product does not."""

import sys
from pathlib import Path

from streamlit.web.cli import main

sys.path.insert(0, str(Path(__file__).parents[2]))
import ui.server.gate

if __name__ == "__main__":
    ui.server.gate._OF_THE_SERVER.add("metrics")
    sys.exit(main())
