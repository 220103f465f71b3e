"""Copies of the sources, each with a build of its own, in which a mutant is built and tested."""

import glob
import os
import queue
import re
import selectors
import shutil
import signal
import subprocess
import sys
import threading
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PARTS = ['Makefile', 'src', 'tests', 'samples', 'man', 'README.md', 'LICENSE', '.clang-tidy', '.ci',
         '.debian']
MEMORY = 8 << 30
# What `make mutate VARIABLE=...` hands down is not for the builds and tests of mutants.
ENVIRONMENT = {
    k: v
    for k, v in os.environ.items()
    if k
    not in (
        'MAKEFLAGS', 'MFLAGS', 'MAKELEVEL', 'MAKEOVERRIDES', 'B', 'CC', 'CFLAGS', 'CPPFLAGS',
        'LDFLAGS', 'OPENMP', 'WERROR', 'SANITIZE', 'STATIC', 'V', 'SEED', 'COUNT', 'MINUTES',
        'REST', 'TESTS')}

running = set()
places = (
    queue.SimpleQueue())  # processors for as many tests as run at a time; empty where each has all


def pin(jobs):
    """Lets each test have two processors, which two tests share: else, with many, each would start
    threads for all."""
    processors = sorted(os.sched_getaffinity(0))
    if (len(processors) > 2
        and subprocess.run(['taskset', '-c', '%d' % processors[-1], 'true']).returncode == 0):
        for job in range(jobs):
            first = job // 2 * 2 % (len(processors) - 1)
            places.put('%d,%d' % (processors[first], processors[first + 1]))
        Tree.pinned = True


def stop(number, frame):
    """Interrupted: nothing is left running."""
    for group in list(running):
        try:
            os.killpg(group, 9)
        except ProcessLookupError:
            pass
    os._exit(128 + number)


def stop_when_interrupted():
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, stop)


def all_tests():
    """Test programs and .bats files, cli/slice as an example."""
    tests = []
    for folder, pattern in (('unit', 'test_*.c'), ('cli', '*.bats'), ('kernel', 'check_*.c'),
                            ('fuzz', 'fuzz_*.c')):
        for f in sorted(glob.glob(os.path.join(ROOT, 'tests', folder, pattern))):
            tests.append(folder + '/'
                         + os.path.splitext(os.path.basename(f))[0].replace('fuzz_', 'replay_'))
    return tests + ['samples/demo']


def targets(test):
    """What a test needs built."""
    if not test.startswith(('cli/', 'samples/')):
        return ['build/tests/' + test]
    more = {'cli/faults': ['faults/dmlop'],
            'cli/bench': ['bench/' + os.path.basename(f)[:-2]
                          for f in glob.glob(os.path.join(ROOT, 'tests/bench/bench_*.c'))]}
    return ['build/dmlop'] + ['build/tests/' + t for t in more.get(test, ())]


def kill_all(group, out):
    """A process group, and what has left it, which is known by its folder for temporary files."""
    try:
        os.killpg(group, 9)
    except ProcessLookupError:
        pass
    mark = b'TMPDIR=' + out.encode()
    for folder in glob.glob('/proc/[0-9]*'):
        try:
            with open(folder + '/environ', 'rb') as f:
                if mark in f.read().split(b'\0'):
                    os.kill(int(folder[6:]), 9)
        except OSError:
            pass


class Tree:
    serial = 0
    pinned = False
    lock = threading.Lock()

    def __init__(self, folder):
        self.folder, self.build = folder, os.path.join(folder, 'build')

    def update(self):
        """Copies what differs, so that little is built anew."""
        os.makedirs(self.folder, exist_ok=True)
        kept = set()
        for part in PARTS:
            source = os.path.join(ROOT, part)
            if os.path.isdir(source):
                names = [os.path.join(d, f) for d, _, fs in os.walk(source) for f in fs]
            else:
                names = [source] if os.path.exists(source) else []
            for name in names:
                target = os.path.join(self.folder, os.path.relpath(name, ROOT))
                kept.add(target)
                os.makedirs(os.path.dirname(target), exist_ok=True)
                if (not os.path.exists(target)
                    or open(name, 'rb').read() != open(target, 'rb').read()):
                    shutil.copy2(name, target)
                    os.utime(target)
        for part in PARTS:
            for d, _, fs in os.walk(os.path.join(self.folder, part)):
                for f in fs:
                    if os.path.join(d, f) not in kept:
                        os.remove(os.path.join(d, f))

    def make(self, *wanted, flags=('CFLAGS=-O1',)):
        command = ['make', '-s', 'B=build', *flags, *wanted]
        return subprocess.run(command, cwd=self.folder, env=ENVIRONMENT, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True)

    def run(self, test, names=None, limit=300, environment=()):
        """The first that fails of a test, which is built: its own name, or one of those in a .bats
        file, all of them or those that the expression `names` finds; None where all pass. The
        second result says whether it took longer than limit seconds, which is for one test of a
        .bats file."""
        with Tree.lock:
            Tree.serial += 1
            out = os.path.join(self.build, 'out', '%d.%d' % (os.getpid(), Tree.serial))
        os.makedirs(out)
        dmlop = os.path.join(self.build, 'dmlop')
        folder, _, name = test.partition('/')
        if folder == 'cli':
            command = ['bats', '--tap',
                       'tests/' + test + '.bats'] + (['-f', names] if names else [])
        elif folder == 'samples':
            command = [test, dmlop]
        else:
            command = [os.path.join(self.build, 'tests', test)]
        if folder == 'fuzz':
            seeds = os.path.join(self.folder, 'tests/fuzz/seeds')
            made = os.path.join(out, 'seeds')
            listed = [seeds, name.replace('replay_', ''), made]
            command += subprocess.check_output(listed, text=True).split()
        env = dict(ENVIRONMENT, PYTHON=os.environ.get('PYTHON', '/usr/bin/python3'), DMLOP=dmlop,
                   B=self.build, TMPDIR=out)
        env.update(environment)
        place = places.get() if Tree.pinned else None
        command = (['prlimit', '--data=%d' % MEMORY, '--core=0', '--']
                   + (['taskset', '-c', place] if place else []) + command)
        child = subprocess.Popen(command, cwd=self.folder, env=env, start_new_session=True,
                                 stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                 stderr=subprocess.DEVNULL)
        running.add(child.pid)
        try:
            return self.watch(child, test, limit)
        finally:
            kill_all(child.pid, out)
            child.wait()
            running.discard(child.pid)
            child.stdout.close()
            if place:
                places.put(place)
            shutil.rmtree(out, onerror=lambda *_: None)

    @staticmethod
    def watch(child, test, limit):
        selector = selectors.DefaultSelector()
        selector.register(child.stdout, selectors.EVENT_READ)
        bats, text, end, passed = test.startswith('cli/'), b'', time.monotonic() + limit, 0
        while True:
            if not selector.select(1):
                if child.poll() is not None:  # what it has left behind keeps its output open
                    break
                if time.monotonic() > end:
                    return test, True
                continue
            if time.monotonic() > end:
                return test, True
            part = os.read(child.stdout.fileno(), 65536)
            if not part:
                break
            if not bats:
                continue
            lines = (text + part).split(b'\n')
            text = lines.pop()
            for line in lines:
                ok = re.match(rb'(not )?ok \d+ (.*?)( # skip.*)?$', line)
                if not ok:
                    continue
                if ok[1]:
                    return ok[2].decode(), False
                passed += 1
                end = time.monotonic() + limit
        try:
            status = child.wait(max(0.1, end - time.monotonic()))
        except subprocess.TimeoutExpired:  # it has closed its output
            return test, True
        return (test, False) if status != 0 or (bats and not passed) else (None, False)


def copies(template, base, count):
    """`count` trees like the template, which is built."""
    trees = [Tree(os.path.join(base, str(i))) for i in range(count)]
    for tree in trees:
        if not os.path.exists(tree.build):
            shutil.rmtree(tree.folder, ignore_errors=True)
            subprocess.run(['cp', '-a', template.folder, tree.folder + '.new'], check=True)
            os.rename(tree.folder + '.new', tree.folder)
        tree.update()
    return trees


def need(made):
    if made.returncode:
        sys.exit(made.stdout)
