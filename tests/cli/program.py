"""The program under test, for tests in Python."""

import os
import subprocess

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
DMLOP = os.environ.get("DMLOP", os.path.join(ROOT, "build", "dmlop"))


def dmlop(*args, **more):
    """What running it left: its status, and what it wrote as text."""
    more = {"capture_output": True, "text": True, **more}
    return subprocess.run([DMLOP, *map(str, args)], **more)


def printed(*args, **more):
    """What it writes to standard output where it succeeds, which it must."""
    done = dmlop(*args, **more)
    assert done.returncode == 0, done
    return done.stdout
