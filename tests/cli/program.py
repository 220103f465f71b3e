"""The program under test, for tests in Python."""

import os
import subprocess
import time

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


def peak(args, stdin="/dev/null"):
    """The most memory that it takes, in bytes, and its status. What it says is in `stderr`."""
    pid = os.fork()
    if pid == 0:
        os.dup2(os.open(stdin, os.O_RDONLY), 0)
        os.dup2(os.open("/dev/null", os.O_WRONLY), 1)
        os.dup2(os.open("stderr", os.O_WRONLY | os.O_CREAT | os.O_TRUNC), 2)
        os.execv(DMLOP, ["dmlop", *args])
    _, status, usage = os.wait4(pid, 0)
    return usage.ru_maxrss * 1024, os.waitstatus_to_exitcode(status)


def until_mapped(process, path):
    """Waits until a program that runs has mapped a file, and half a second more."""
    while process.poll() is None:
        with open(f"/proc/{process.pid}/maps", "rb") as f:
            if os.fsencode(path) in f.read():
                break
        time.sleep(0.01)
    time.sleep(0.5)
