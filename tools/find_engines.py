"""Says whether Firefox and WebKit's driver are here; with --install, gets them from Debian."""

import os
import shutil
import subprocess
import sys

PACKAGES = {
    "firefox-esr": "firefox-esr", "WebKitWebDriver": "webkit2gtk-driver", "xvfb-run": "xvfb",
    "xauth": "xauth",
}  # fmt: skip
"""The package of each program that `make test-browsers` starts."""


def missing() -> list[str]:
    """The packages of the programs that are not here."""
    return [package for program, package in PACKAGES.items() if not shutil.which(program)]


def install(packages: list[str]) -> None:
    """Get packages from the distribution, where this is its own to do."""
    if not shutil.which("apt-get") or os.geteuid():
        return
    quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    subprocess.run(["apt-get", "update"], check=False, env=quiet, stdout=subprocess.DEVNULL)
    wanted = ["apt-get", "install", "--yes", "--no-install-recommends", *packages]
    subprocess.run(wanted, check=False, env=quiet, stdout=subprocess.DEVNULL)


def main() -> int:
    lacks = missing()
    if lacks and "--install" in sys.argv:
        install(lacks)
        lacks = missing()
    if lacks:
        print(f"Not here: {', '.join(lacks)}. Debian: apt install {' '.join(lacks)}")
    return bool(lacks)


if __name__ == "__main__":
    sys.exit(main())
