#!/usr/bin/env python3
"""What it costs to do a job in 64 parts by GNU parallel, on one machine: topk over 4 GB and qmatmul
of 8192^3, parts and join against the unsplit command, by turns; and join of 10,000 parts.

    tests/bench/parts.py [--rounds N] [--at-once N] [--folder DIR] [--text TEXT] [--quick] [DMLOP]

DMLOP is the binary, otherwise the environment's or build/dmlop. A line a case: medians in ms of the
unsplit command on all processors, of GNU parallel with the command true instead of dmlop, of the
parts, one thread each, and of join; then the overhead in percent of the unsplit time, with all that
GNU parallel takes and without what it takes for true. In "8 a call", GNU parallel runs 8 shells
which run 8 parts each, as one does where parts are short. "from disk": the input is not in the page
cache. ~ marks a line during which others used the processors. --text: only cases that hold it.
--quick: 64 MB, 1024^3 and 1,000 parts, to see that all works. Exit status 1: what is joined is not
what was to be. """
import argparse
import filecmp
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

from peers import OTHERS, Others

PARTS = 64


def run(*command, **more):
    subprocess.run(command, check=True, stdin=subprocess.DEVNULL, **more)


def parallel(at_once, job):
    """One call of GNU parallel a part; job holds {} for its number."""
    run('parallel', '-j', str(at_once), job, ':::', *map(str, range(PARTS)))


def parallel_by_eight(at_once, job):
    run('parallel', '-j', str(at_once), '-N', '8',
        f'for i in {{}} ; do {job.replace("{}", "$i")}; done', ':::', *map(str, range(PARTS)))


def forget(paths):
    """Has the system drop what it holds of these files in memory."""
    os.sync()
    for path in paths:
        f = os.open(path, os.O_RDONLY)
        os.posix_fadvise(f, 0, 0, os.POSIX_FADV_DONTNEED)
        os.close(f)


class Job:
    """A command, its input files, and what --part needs besides the number."""

    def __init__(self, command, inputs, axes=''):
        self.command, self.inputs, self.axes = command, inputs, axes

    def unsplit(self, dmlop):
        run(dmlop, *self.command, '-o', 'whole.npy')

    def parts(self, dmlop, engine, at_once):
        shutil.rmtree('parts.npy.parts', ignore_errors=True)
        engine(at_once,
               f'{dmlop} {" ".join(self.command)} -o parts.npy --threads 1 --part {{}}/{PARTS} '
               f'{self.axes}')

    def join(self, dmlop):
        run(dmlop, 'join', 'parts.npy.parts')
        if not filecmp.cmp('whole.npy', 'parts.npy', shallow=False):
            sys.exit(f'{" ".join(self.command)}: what is joined differs')


def jobs(dmlop, quick):
    """Makes the inputs in the working folder."""
    elements, side = (16_000_000, 1024) if quick else (1_000_000_000, 8192)
    run(dmlop, 'make', '--sizes', f'1,{elements}', '--random', '1', '-o', 'x.npy')
    for name, dtype in (('a.npy', 'uint8'), ('b.npy', 'int8')):
        run(dmlop, 'make', '--sizes', f'{side},{side}', '--random', '1', '--dtype', dtype, '-o',
            name)
    scales = ['--a-scale', '0.02', '--b-scale', '0.01', '--output-scale', '0.5']
    topk = Job(['topk', '-k', '100', 'x.npy'], ['x.npy'])
    product = ['qmatmul', *scales, 'a.npy', 'b.npy']
    return {f'topk -k 100 of {elements * 4 / 1e9:g} GB': topk,
            f'qmatmul {side}^3, grid 8 x 8': Job(product, ['a.npy', 'b.npy'],
                                                 '--part-axis 0:8,1:8'),
            f'qmatmul {side}^3, along M': Job(product, ['a.npy', 'b.npy'])}


def ms(f, *args):
    start = time.perf_counter()
    f(*args)
    return (time.perf_counter() - start) * 1e3


def measure(label, job, engine, cold, options):
    samples = {name: [] for name in ('unsplit', 'engine', 'parts', 'join')}
    others = Others()
    for _ in range(options.rounds):
        for name, f, args in (('unsplit', job.unsplit, ()),
                              ('parts', job.parts, (engine, options.at_once))):
            if cold:
                forget(job.inputs)
            samples[name].append(ms(f, options.dmlop, *args))
        samples['engine'].append(ms(engine, options.at_once, 'true {}'))
        samples['join'].append(ms(job.join, options.dmlop))
    t = {name: statistics.median(s) for name, s in samples.items()}
    over = t['parts'] + t['join'] - t['unsplit']
    mark = '~' if others.share() > OTHERS else ' '
    print(f'{label:52}{mark} unsplit {t["unsplit"]:7.0f}  engine {t["engine"]:5.0f}  parts '
          f'{t["parts"]:7.0f}  '
          f'join {t["join"]:5.0f}  overhead {over / t["unsplit"]:5.0%}  without the engine '
          f'{(over - t["engine"]) / t["unsplit"]:5.0%}', flush=True)


def many(options):
    """10,000 parts of a slice of as many rows, made by one command each: only join is measured."""
    count = 1_000 if options.quick else 10_000
    run(options.dmlop, 'make', '--sizes', f'{count},100', '--range', '-o', 'rows.npy', '--dtype',
        'int32')
    command = ['slice', '--index', '::-1', 'rows.npy']
    run(options.dmlop, *command, '-o', 'whole.npy')
    script = f'''
        i=0
        while [ $i -lt {count} ]; do
            "$0" "$@" -o parts.npy --no-sync --part $i/{count}
            i=$((i + 1))
        done'''
    shutil.rmtree('parts.npy.parts', ignore_errors=True)
    run('sh', '-c', script, options.dmlop, *command)
    job = Job(command, ['rows.npy'])
    taken = [ms(job.join, options.dmlop) for _ in range(options.rounds)]
    print(f'join of {count} parts{"":34} {statistics.median(taken):7.0f} ms', flush=True)


def main():
    parser = argparse.ArgumentParser(
        description='parts by GNU parallel against the unsplit command')
    parser.add_argument('--rounds', type=int, default=3)
    parser.add_argument('--at-once', type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument('--folder', help='for files, 5 GB of them')
    parser.add_argument('--text', default='')
    parser.add_argument('--quick', action='store_true')
    parser.add_argument('dmlop', nargs='?', default=os.environ.get('DMLOP', 'build/dmlop'))
    options = parser.parse_args()
    options.dmlop = os.path.realpath(options.dmlop)
    print(f'{len(os.sched_getaffinity(0))} processors, load '
          f'{" ".join(f"{x:.2f}" for x in os.getloadavg())}; {PARTS} '
          f'parts, {options.at_once} at once, medians of {options.rounds} rounds, ms', flush=True)
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        os.chdir(folder)
        for name, job in jobs(options.dmlop, options.quick).items():
            for call, engine in (('', parallel), (', 8 a call', parallel_by_eight)):
                for data, cold in (('', False), (', from disk', True)):
                    label = name + call + data
                    if options.text in label and not (cold and 'topk' not in name):
                        measure(label, job, engine, cold, options)
        if options.text in 'join of many':
            many(options)
        os.chdir('/')


if __name__ == '__main__':
    sys.exit(main())
