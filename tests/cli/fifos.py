#!/usr/bin/env python3
"""Every command that reads a file, with a FIFO in its place: the same output and status as with the
file. Its writer is fast or slow, opens the FIFO once, and is not ended before all is read. Usage:
fifos.py REPETITIONS, in a folder with the samples."""

import os
import sys
import threading
import time
from program import dmlop

# A command, with @ before each input that is a FIFO in turn.
COMMANDS = [
    "info @x.npy", "info @x.json", "info @x.csv", "info @x.txt", "info --stats @x.npy",
    "info --raw --dtype int32 --sizes 4,-1 @x.dat", "show @x.npy", "show @x.json", "show @x.csv",
    "show @two.npy:1", "convert @x.npy -o -", "convert @x.csv -o - --format json",
    "convert --raw --dtype int32 --sizes 16 @x.dat -o -", "compare @x.npy @x.csv",
    "compare @x.json @y.npy", "compare @y.npy @x.json", "slice --index 0 @x.npy",
    "slice --index ::-1 @x.csv --format json", "slice -d @s.desc.json @s.npy",
    "slice -d @s.desc.json --bind InputTensor=@s.npy", "slice --index 0 @x.npy --explain 0,0",
    "slice --index 0 @x.npy @y.npy --output-dir out",
    "slice --index 0 @x.npy -o part.npy --part 0/1", "topk -k 2 @x.json",
    "topk -k 2 --axis 0 @x.csv --format json",
    "qmatmul --a-scale @scale.npy --b-scale 0.25 --output-scale 0.5 @a.npy @b.npy",
    "validate @s.desc.json", "validate --bind InputTensor=@s.npy @s.desc.json",
    "validate --fix @broken.json -o -", "validate --portable @m.model.json", "run @m.model.json"]


class Writer(threading.Thread):
    """Writes a file into a FIFO, in two pieces if it is slow."""

    def __init__(self, fifo, data, slow):
        super().__init__(daemon=True)
        self.fifo, self.data, self.slow, self.error = fifo, data, slow, None
        self.start()

    def run(self):
        try:
            fd = os.open(self.fifo, os.O_WRONLY)
            for piece in [self.data[:9], self.data[9:]] if self.slow else [self.data]:
                time.sleep(0.01 if self.slow else 0)
                os.write(fd, piece)
            os.close(fd)
        except OSError as e:
            self.error = e


def run(words):
    p = dmlop(*words, timeout=60, text=False)
    return p.returncode, p.stdout, p.stderr


def without_times(result):
    """Equal for two runs that took different times."""
    status, out, err = result
    return status, [line for line in out.splitlines() if b" ms median" not in line], err


def trial(command, slow):
    words = command.split()
    want = without_times(run([w.replace("@", "") for w in words]))
    assert want[0] == 0, (command, want)
    for i, word in enumerate(words):
        if "@" not in word:
            continue
        before, name = word.split("@")
        name, number = (name.split(":") + [""])[:2]
        os.makedirs("fifo", exist_ok=True)
        fifo = "fifo/" + name
        os.mkfifo(fifo)
        with open(name, "rb") as f:
            writer = Writer(fifo, f.read(), slow)
        now = [w.replace("@", "") for w in words]
        now[i] = before + fifo + (number and ":" + number)
        got = without_times(run(now))
        writer.join(60)
        assert not writer.is_alive(), f"{now}: the FIFO was not opened"
        assert writer.error is None, f"{now}: {writer.error}"
        text = [x if isinstance(x, int) else str(x).replace("fifo/", "") for x in got]
        assert text == [x if isinstance(x, int) else str(x) for x in want], (now, got, want)
        os.remove(fifo)


for repetition in range(int(sys.argv[1])):
    for each in COMMANDS:
        trial(each, slow=repetition % 2 == 1)
