"""Python packages that the tests need, from wherever they can be had: installed, or put into target/venv."""

import importlib
import os
import pathlib
import subprocess
import sys

VENV = pathlib.Path(__file__).resolve().parent.parent / "target" / "venv"


def install(name):
    """Puts a package into target/venv; False if it cannot be had."""
    python = VENV / "bin" / "python"
    try:
        if not python.exists():
            subprocess.run([sys.executable, "-m", "venv", VENV], check=True)
        pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", name]
        return subprocess.run(pip, timeout=300).returncode == 0
    except (OSError, subprocess.SubprocessError):
        return False


def needed(name, package=None):
    """A module without which the test fails, of a package of the same name or of another; may start the program anew in
    target/venv."""
    package = package or name
    try:
        return importlib.import_module(name)
    except ImportError:
        pass
    if not install(package):
        sys.exit(f"{name} is not here and cannot be installed: pip install {package}")
    if pathlib.Path(sys.prefix).resolve() == VENV.resolve():
        importlib.invalidate_caches()
        return importlib.import_module(name)
    python = VENV / "bin" / "python"
    os.execv(python, [str(python), *sys.argv])


def welcome(name, package=None):
    """A module that is used if it can be had, or None."""
    for there in (lambda: True, lambda: install(package or name)):
        try:
            if there():
                return importlib.import_module(name)
        except (ImportError, OSError) as error:
            reason = str(error)
    print(f"{name} cannot be used here ({reason}); what it would check is left out")
    return None
