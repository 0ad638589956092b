#!/bin/sh
# tools/install.sh VENV app|dev [PYTHON]
# Makes the virtual environment VENV and installs the app into it; with `dev`, also what tests need.
set -eu
venv=$1 what=$2 python=${3:-}
cd "$(dirname "$0")/.."

# A virtual environment whose Python has gone (an upgrade, a moved folder) is made anew.
if ! "$venv/bin/python" -m pip --version >/dev/null 2>&1; then
    python=$(tools/find_python.sh ${python:+"$python"})
    echo "Making $venv with $("$python" --version) …"
    "$python" -m venv --clear "$venv"
fi

pip() {
    "$venv/bin/python" -m pip "$@" -qq --disable-pip-version-check
}

has_torch() {
    "$venv/bin/python" -m pip show --quiet torch >/dev/null 2>&1
}

# On Linux the default registry's torch brings several GB of CUDA that the app has no use for, so
# PyTorch's own CPU wheels are tried first; where they cannot be reached, that takes a moment only.
install_torch() {
    torch=$(grep '^torch==' requirements.txt)
    if [ "$(uname -s)" = Linux ]; then
        echo "Installing $torch from PyTorch's CPU wheels (about 200 MB) …"
        if pip install --no-deps --retries 0 --timeout 10 \
            --index-url https://download.pytorch.org/whl/cpu "$torch" >/dev/null 2>&1; then
            return
        fi
        echo "They cannot be had here."
    fi
    echo "Installing $torch from the default registry …"
    pip install "$torch"
}

if ! has_torch && ! install_torch; then
    if [ "$what" = dev ]; then
        echo "torch cannot be installed, and the tests compare with it. See the message above." >&2
        exit 1
    fi
    echo "torch cannot be installed: the app runs without it, and its PyTorch check says so." >&2
    echo "To try again later: make clean run" >&2
fi

echo "Installing the other requirements …"
if [ "$what" = dev ]; then
    pip install -r requirements-dev.txt
elif has_torch; then
    pip install -r requirements.txt
else
    grep -v '^torch==' requirements.txt | pip install -r /dev/stdin
fi
