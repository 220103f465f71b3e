"""Kills long writes by signals at random moments, and looks at what is left. DMLOP is the
program."""
import os
import random
import signal
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np

seed = int(time.time())
print("seed", seed)
random.seed(seed)
wanted = 300 if os.environ.get("EXPENSIVE") else 100  # moments
np.save("x.npy", np.arange(3 << 20, dtype="i4").reshape(1024, -1))
open("m.json", "w").write(
    """{ "resources": { "in": { "initialValues": { "sourcePath": "x.npy" } } }, "dispatchables": {},
  "commands": [ { "type": "writeFile", "resource": "in",
    "targetPath": "c.npy", "dimensions": [1024, 3072] } ] }""")
commands = ["slice --index ::-1,::2 x.npy -o DIR/c.npy --no-sync",
            "slice --index 1: x.npy --format json -o DIR/c.npy --no-sync",
            "slice --index 1: x.npy -o DIR/c.npy",
            "convert --dtype float64 x.npy -o DIR/c.npy --no-sync", "run m.json -o DIR"]
signals = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGPIPE, signal.SIGXFSZ]


def start(command, name):
    os.mkdir(name)
    for old in ("c.npy", "i.npy"):
        open(f"{name}/{old}", "w").write("old")
    return subprocess.Popen([os.environ["DMLOP"], *command.replace("DIR", name).split()],
                            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)


def files(name):
    return {f: open(f"{name}/{f}", "rb").read() for f in os.listdir(name)}


whole, took = {}, {}
for i, c in enumerate(commands):
    took[c] = 1e9
    for j in range(3):  # the shortest: with a longer time most signals come too late
        t = time.time()
        p = start(c, f"whole{i}.{j}")
        err = p.communicate()[1]
        took[c] = min(took[c], time.time() - t)
        assert p.returncode == 0, (c, err)
    whole[c] = files(f"whole{i}.2")


def trial(i, sig):
    c = random.choice(commands)
    p = start(c, f"d{i}")
    time.sleep(random.random() * took[c])
    p.send_signal(sig)
    err = p.communicate()[1]
    # What the OpenMP library of LLVM leaves of a killed process: if it is empty, a later process of
    # the same number would not start.
    try:
        os.remove(f"/dev/shm/__KMP_REGISTERED_LIB_{p.pid}_{os.getuid()}")
    except FileNotFoundError:
        pass
    have = files(f"d{i}")
    for f in have:
        os.remove(f"d{i}/{f}")
    os.rmdir(f"d{i}")
    return c, p.returncode, err, have


def one(i):
    sig = random.choice(signals)
    c, status, err, have = trial(i, sig)
    assert status in (0, -sig), (c, status, err)
    assert err == b"", (c, err)
    assert set(have) == {"c.npy", "i.npy"}, (c, sig, have.keys())
    for f, data in have.items():
        assert data in (b"old", whole[c][f]), (c, f, len(data))
    assert status != 0 or have == whole[c], c
    return status == -sig


hits = trials = 0
with ThreadPoolExecutor(2) as pool:
    # Where others use the machine, more signals come too late.
    while trials < wanted or hits <= wanted * 2 // 5:
        hits += sum(pool.map(one, range(trials, trials + 100)))
        trials += 100
        assert trials <= 5 * wanted, hits


def killed(i):
    c, status, err, have = trial(i, signal.SIGKILL)
    left = [f for f in have if f not in ("c.npy", "i.npy")]
    assert len(left) <= (2 if "-o DIR/c.npy --indices" in c else 1), left
    assert all(f.startswith(".") and ".dmlop-" in f and f.endswith(".tmp") for f in left), left
    for f in ("c.npy", "i.npy"):
        assert have[f] in (b"old", whole[c][f])
    return len(left)


with ThreadPoolExecutor(2) as pool:
    assert sum(pool.map(killed, range(100))) > 10
