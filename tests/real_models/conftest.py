"""The two models that come as packages: `make test-models` runs them, and no other command."""

import os

collect_ignore_glob = [] if os.environ.get("MODELS") else ["test_*.py"]
