#!/bin/sh
# Prints a Python that can make this project's virtual environment: 3.11 or newer, with venv. That
# is the one named as argument, else the machine's own python3, else another version beside it.
[ $# -gt 0 ] || set -- python3 python3.13 python3.12 python3.11 python
for candidate in "$@"; do
    if "$candidate" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
        echo "$candidate"
        exit 0
    fi
done
cat >&2 <<SENTENCE
No Python 3.11 or newer with venv was found as $*. Install one (https://www.python.org/downloads, or on
Debian and Ubuntu: apt install python3 python3-venv), or name one: make run PYTHON=/path/to/python3
SENTENCE
exit 1
