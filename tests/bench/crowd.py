#!/usr/bin/env python3
"""Many dmlop at once, as shells run them: the default threads against --threads 1, by turns. Of
each kind (slice :,::-1 of 16 MB, qmatmul of 512^3, topk with K = 100 of 16 MB) so many jobs, 1, 2,
4 and 8 at a time, without and with a busy loop on one processor. Prints wall milliseconds a job,
medians of rounds, and the ratio to --threads 1.

    tests/bench/crowd.py [--jobs N] [--rounds N] [--at-once N,...] [--busy no|yes|both] [--limit
    RATIO] [--folder DIR]
                         [--other DMLOP] [--text TEXT] [DMLOP]

DMLOP is the binary, otherwise the environment's or build/dmlop. --other: a second one to compare
with, by turns, one job at a time. --text: only kinds that hold it. A batch during which others used
the processors is repeated; ~ marks what stayed disturbed. Exit status 1: a ratio to --threads 1
over the limit, 1.15. """
import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np

from peers import OTHERS, Others

TRIES = 4  # of a batch that others disturb


class Busy:
    """A loop on one of the processors that this process may use, the last."""

    def __init__(self):
        cpu = max(os.sched_getaffinity(0))
        loop = f'import os\nos.sched_setaffinity(0, [{cpu}])\nprint(flush=True)\nwhile True: pass'
        self.process = subprocess.Popen([sys.executable, '-c', loop], stdout=subprocess.PIPE)
        self.process.stdout.readline()
        self.pids = [self.process.pid]

    def stop(self):
        self.process.kill()
        self.process.communicate()


class Idle:
    """No loop."""

    pids = []

    def stop(self):
        pass


def kinds_of(folder):
    """What a job's command says after the binary; {} is the number of the place that the job
    has."""
    r = np.random.default_rng(1)
    at = lambda name: os.path.join(folder, name)
    np.save(at('x.npy'), r.random((2048, 2048), np.float32))
    np.save(at('a.npy'), r.integers(0, 256, (512, 512), np.uint8))
    np.save(at('b.npy'), r.integers(-128, 128, (512, 512), np.int8))
    return {'slice :,::-1 of 16 MB': ['slice', '--index', ':,::-1', at('x.npy'), '-o',
                                      at('y{}.npy')],
            'qmatmul 512^3': ['qmatmul', '--a-scale', '0.02', '--b-scale', '0.01', '--output-scale',
                              '0.5', at('a.npy'), at('b.npy'), '-o', at('c{}.npy')],
            'topk -k 100 of 16 MB': ['topk', '-k', '100', at('x.npy'), '-o', at('v{}.npy')]}


def run_batch(command, jobs, at_once):
    """Seconds of wall time that all jobs take."""
    places = '\n'.join(str(i % (2 * at_once)) for i in range(jobs))
    start = time.perf_counter()
    subprocess.run(['xargs', '-I{}', '-P', str(at_once), *command], input=places, text=True,
                   check=True)
    return time.perf_counter() - start


def sample(command, options, at_once, busy):
    """Milliseconds a job, and the part of the processors' time that others used, of the least
    disturbed try."""
    best = None
    for _ in range(TRIES):
        others = Others(busy.pids)
        wall = run_batch(command, options.jobs, at_once)
        share = others.share()
        if best is None or share < best[1]:
            best = wall / options.jobs * 1e3, share
        if share <= OTHERS:
            break
    return best


def measure(rivals, options, at_once, busy):
    """Medians by name, and whether any sample of it stayed disturbed; the order of the rivals turns
    each round."""
    taken = {name: [] for name in rivals}
    for i in range(options.rounds):
        for name in sorted(rivals, reverse=i % 2 == 1):
            taken[name].append(sample(rivals[name], options, at_once, busy))
    return {name: (statistics.median(ms for ms, _ in s),
                   '~' if max(o for _, o in s) > OTHERS else ' ') for name, s in taken.items()}


def crowd(options, folder, busy, label):
    worst = 0
    for kind, args in kinds_of(folder).items():
        if options.text not in kind:
            continue
        for at_once in options.at_once:
            own = [options.dmlop, args[0], '--no-sync', *args[1:]]
            rivals = {'1': [*own, '--threads', '1'], 'default': own}
            if options.other and at_once == 1:
                rivals['other'] = [options.other, *own[1:]]
            times = measure(rivals, options, at_once, busy)
            one, default = times['1'], times['default']
            ratio = default[0] / one[0]
            worst = max(worst, ratio)
            over = ' OVER' if ratio > options.limit else ''
            line = (
                f'{kind:22} {label:9} {at_once} at once  --threads 1 {one[0]:7.2f}{one[1]} ms a '
                f'job  '
                f'default {default[0]:7.2f}{default[1]}  ratio {ratio:5.2f}{over}')
            if 'other' in times:
                other = times['other']
                line += (
                    f'  other {other[0]:7.2f}{other[1]}  ratio to it {default[0] / other[0]:5.2f}')
            print(line, flush=True)
    return worst


def main():
    parser = argparse.ArgumentParser(description='many dmlop at once')
    parser.add_argument('--jobs', type=int, default=32)
    parser.add_argument('--rounds', type=int, default=5)
    parser.add_argument('--at-once', type=lambda s: [int(n) for n in s.split(',')],
                        default=[1, 2, 4, 8])
    parser.add_argument('--busy', choices=('no', 'yes', 'both'), default='both')
    parser.add_argument('--limit', type=float, default=1.15)
    parser.add_argument('--folder', help='for files, some hundred MB of them')
    parser.add_argument('--other')
    parser.add_argument('--text', default='')
    parser.add_argument('dmlop', nargs='?', default=os.environ.get('DMLOP', 'build/dmlop'))
    options = parser.parse_args()
    os.environ.pop('OMP_NUM_THREADS', None)
    print(f'{len(os.sched_getaffinity(0))} processors, load '
          f'{" ".join(f"{x:.2f}" for x in os.getloadavg())}; '
          f'{options.jobs} jobs, medians of {options.rounds} rounds', flush=True)
    worst = 0
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        for label in {'no': ['idle'], 'yes': ['busy loop'],
                      'both': ['idle', 'busy loop']}[options.busy]:
            busy = Busy() if label == 'busy loop' else Idle()
            try:
                worst = max(worst, crowd(options, folder, busy, label))
            finally:
                busy.stop()
    print(f'worst ratio {worst:.2f}, limit {options.limit}')
    return worst > options.limit


if __name__ == '__main__':
    sys.exit(main())
