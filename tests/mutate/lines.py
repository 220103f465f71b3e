"""Which tests run which lines: one run of all tests, one at a time in a process of its own, with
programs that note which blocks ran (trace.c). Kept until sources or tests change."""

import bisect
import concurrent.futures
import hashlib
import json
import os
import re
import shutil
import subprocess
import threading
import time

from tree import ROOT, ENVIRONMENT, PARTS, Tree, all_tests, need, targets

CALL = '<__sanitizer_cov_trace_pc>'


def tree_key(*parts):
    """Of the files that results depend on; this folder's are not among them."""
    digest = hashlib.sha256()
    for part in parts:
        walked = sorted(os.walk(os.path.join(ROOT, part)))
        for folder, folders, names in walked or [(ROOT, [], [part])]:
            if not folder.startswith(os.path.join(ROOT, 'tests/mutate')):
                for name in sorted(names):
                    path = os.path.join(folder, name)
                    if os.path.exists(path):
                        with open(path, 'rb') as f:
                            digest.update(path[len(ROOT) :].encode() + b'\0' + f.read() + b'\0')
    return digest.hexdigest()[:16]


def single_tests():
    """(test, name): test programs, which have no names, and each test of the .bats files."""
    found = []
    for test in all_tests():
        if not test.startswith('cli/'):
            found.append((test, ''))
            continue
        with open(os.path.join(ROOT, 'tests', test + '.bats')) as f:
            found += [(test, m[2])
                      for m in re.finditer(r'^@test (["\'])(.*)\1 \{$', f.read(), re.M)]
    return found


def expression(names):
    """What bats finds these tests by."""
    return '^(' + '|'.join(re.sub(r'([\\.^$*+?{}()|\[\]])', r'\\\1', n) for n in names) + ')$'


class Lines:
    """tests: dictionaries of test, name, seconds, good; a line's tests are a number with their bits
    set."""

    def __init__(self, base, jobs, template):
        self.base, self.jobs, self.template = base, jobs, template
        path = os.path.join(base, 'lines.json')
        key = tree_key(*PARTS)
        try:
            with open(path) as f:
                kept = json.load(f)
        except (FileNotFoundError, ValueError):
            kept = {}
        if kept.get('key') != key:
            began = time.monotonic()
            kept = dict(self.trace(), key=key, seconds=0)
            kept['seconds'] = time.monotonic() - began
            with open(path + '.new', 'w') as f:
                json.dump(kept, f)
            os.replace(path + '.new', path)
        self.tests = kept['tests']
        self.lines = {p: {int(line): int(bits, 16) for line, bits in lines.items()}
                      for p, lines in kept['lines'].items()}
        self.sorted = {p: sorted(lines) for p, lines in self.lines.items()}

    def runs(self, path):
        """Whether any test runs any line of a file."""
        return any(self.lines.get(path, {}).values())

    def of(self, path, line, first, last):
        """Tests that run a line of a function, which is from one line to another: those of the
        block that has it."""
        lines, numbers = self.lines.get(path, {}), self.sorted.get(path, [])
        i = bisect.bisect_right(numbers, line) - 1
        if i < 0 or numbers[i] < first:  # before the first block
            i += 1
        if i >= len(numbers) or numbers[i] > last:
            return []
        bits = lines[numbers[i]]
        return [t for t in range(len(self.tests)) if bits >> t & 1]

    def trace(self):
        tree = Tree(os.path.join(self.base, 'traced'))
        tree.update()
        trace = os.path.join(tree.folder, 'trace.o')
        subprocess.run(['gcc', '-O2', '-c', '-o', trace,
                        os.path.join(ROOT, 'tests/mutate/trace.c')], check=True)
        # Little that duplicates code, of which one copy never runs. gcc 12 dies of -Og.
        self.flags = (
            'CFLAGS=-O1 -fno-thread-jumps -fno-tree-dominator-opts -g -fsanitize-coverage=trace-pc',
            'LDFLAGS=' + trace)
        need(tree.make('-j%d' % self.jobs, 'tests', flags=self.flags))
        self.tree, self.ran, self.lock = tree, [], threading.Lock()
        shutil.rmtree(os.path.join(tree.build, 'out'), ignore_errors=True)
        programs = {}
        for test in all_tests():
            for target in targets(test):
                path = os.path.join(tree.folder, target)
                programs[str(os.stat(path).st_ino)] = path
        tests = [{'test': test, 'name': name} for test, name in single_tests()]
        order = [t for t in tests if not t['name']] + [t for t in tests
                                                       if t['name']]  # the longest first
        blocks = {}
        with concurrent.futures.ThreadPoolExecutor(self.jobs) as pool:
            for i, ran in zip(map(tests.index, order),
                              pool.map(self.trace_one, range(len(order)), order)):
                for program in ran:
                    for at in ran[program]:
                        blocks.setdefault(program, {}).setdefault(at, 0)
                        blocks[program][at] |= 1 << i
            dmlop = str(os.stat(os.path.join(tree.build, 'dmlop')).st_ino)
            for at in self.all_blocks(programs[dmlop]):
                blocks.setdefault(dmlop, {}).setdefault(at, 0)
            lines = {}
            known = [p for p in blocks if p in programs]
            for program, places in zip(
                    known, pool.map(lambda p: self.places(programs[p], sorted(blocks[p])), known)):
                for at, (path, line) in places.items():
                    of_file = lines.setdefault(path, {})
                    of_file[line] = of_file.get(line, 0) | blocks[program][at]
        return {'tests': tests,
                'lines': {p: {n: '%x' % bits for n, bits in of_file.items()}
                          for p, of_file in lines.items()}}

    def trace_one(self, number, test):
        """Runs a test and notes how long it took and whether it passes without mutants; the blocks
        that ran, by program."""
        folder = os.path.join(self.tree.build, 'trace', str(number))
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(folder)
        os.chmod(folder, 0o777)
        names = expression([test['name']]) if test['name'] else None
        began = time.monotonic()
        failed, late = self.tree.run(test['test'], names, 600, {'MUTATE_TRACE': folder})
        test['seconds'] = round(time.monotonic() - began, 3)
        if failed is not None:  # for lack of memory or descriptors, perhaps
            began = time.monotonic()
            failed, late = self.template.run(test['test'], names, 600)
            test['seconds'] = max(test['seconds'], round(time.monotonic() - began, 3))
        test['good'] = failed is None
        ran = {}
        for program in os.listdir(folder):
            with open(os.path.join(folder, program), 'rb') as f:
                ran[program] = [m.start() for m in re.finditer(b'\1', f.read())]
        shutil.rmtree(folder)
        return ran

    @staticmethod
    def all_blocks(program):
        """Where calls of trace.c's function return to, relative to the program's beginning."""
        dump = subprocess.Popen(['objdump', '-d', '--no-show-raw-insn', program],
                                stdout=subprocess.PIPE, text=True)
        after = False
        for line in dump.stdout:
            if after and line.startswith(' '):
                yield int(line.split(':')[0], 16)
            after = CALL in line and 'call' in line
        dump.wait()

    def places(self, program, blocks):
        """File and line of each block; those of src/ only."""
        text = ''.join('%x\n' % (at - 1) for at in blocks)  # the call, not what follows it
        answer = subprocess.run(['addr2line', '-e', program], input=text, stdout=subprocess.PIPE,
                                env=ENVIRONMENT, text=True, check=True).stdout
        found = {}
        for at, line in zip(blocks, answer.split('\n')):
            path, _, number = line.split(' ')[0].rpartition(':')
            path = os.path.relpath(path, self.tree.folder)
            if path.startswith('src/') and number.isdigit() and number != '0':
                found[at] = os.path.normpath(path), int(number)
        return found
