"""What tests of dmlop.exe share. DMLOP is the program of this machine, WINDOWS the folder of the
build for Windows; tests/windows/dmlop runs the program there."""

import os
import shutil
import subprocess
import sys
import tempfile
import threading
import traceback
from concurrent.futures import ThreadPoolExecutor

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
NATIVE = os.environ["DMLOP"]
WINDOWS = os.environ["WINDOWS"]
EXE = os.path.join(ROOT, "tests", "windows", "dmlop")
PATIENCE = 120  # seconds; for a busy machine
AT_ONCE = 2

_tests = []
_lock = threading.Lock()


def test(what):
    """A test: a function that gets an empty folder, and fails by an exception."""

    def add(function):
        _tests.append((what, function))
        return function

    return add


class Skip(Exception):
    """This machine cannot run the test; the text says why."""


def command(program, *arguments, cwd, given=b"", **more):
    """Status, standard output and standard error of a command. Of some thousand programs wine ends
    one with status 1 before it has begun: that is run again. dmlop itself says why it ends so."""
    for _ in range(2):
        p = subprocess.run([program, *arguments], cwd=cwd, input=given, capture_output=True,
                           timeout=PATIENCE, **more)
        if p.returncode != 1 or p.stdout or p.stderr:
            break
    return p.returncode, p.stdout, p.stderr


def exe(*arguments, cwd, given=b""):
    return command(EXE, *arguments, cwd=cwd, given=given)


def native(*arguments, cwd, given=b""):
    return command(NATIVE, *arguments, cwd=cwd, given=given)


def good(*arguments, cwd, given=b""):
    """Standard output of dmlop.exe, which must succeed."""
    status, out, err = exe(*arguments, cwd=cwd, given=given)
    assert status == 0, (arguments, status, err)
    return out


def refused(wanted, text, *arguments, cwd, given=b""):
    """dmlop.exe must end with this status and say the text."""
    status, out, err = exe(*arguments, cwd=cwd, given=given)
    assert status == wanted and text in err.decode(), (arguments, status, out, err.decode())


def same(*arguments, cwd, given=b""):
    """Both programs must do the same with arguments that name no output file."""
    want = native(*arguments, cwd=cwd, given=given)
    have = exe(*arguments, cwd=cwd, given=given)
    assert have == want, f"{arguments}\nnative: {want}\nexe:    {have}"
    return want


def windows_path(path):
    return "Z:" + os.path.abspath(path).replace("/", "\\")


def write(folder, name, content):
    path = os.path.join(folder, name)
    with open(path, "wb") as f:
        f.write(content if isinstance(content, bytes) else content.encode())
    return path


def read(folder, name):
    with open(os.path.join(folder, name), "rb") as f:
        return f.read()


def _run(entry):
    what, function = entry
    folder = tempfile.mkdtemp(prefix="windows.")
    try:
        function(folder)
        line = f"ok {what}"
    except Skip as reason:
        line = f"ok {what} # skip {reason}"
    except BaseException:
        line = f"not ok {what}\n" + traceback.format_exc()
    shutil.rmtree(folder, ignore_errors=True)
    with _lock:
        print(line, flush=True)


def main():
    """Runs the tests whose names contain an argument of the command line; all, where there is
    none."""
    wanted = sys.argv[1:]
    with ThreadPoolExecutor(AT_ONCE) as pool:
        list(pool.map(_run, [t for t in _tests if not wanted or any(w in t[0] for w in wanted)]))
