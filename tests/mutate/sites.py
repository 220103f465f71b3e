"""Small mutants of C code: every place in the functions of a file where an operator applies. On the
level of words, so some of what comes out does not compile; the compiler tells."""

import os
import random
import re

from tree import ROOT

WORD = re.compile(
    r'''
    (?P<gap>\s+ | //[^\n]* | /\*.*?\*/ | ^[ \t]*\#(?:\\\n|[^\n])*)
  | (?P<text>"(?:\\.|[^"\\])*" | '(?:\\.|[^'\\])*')
  | (?P<number>(?:0[xX][0-9a-fA-F]+|\d+\.?\d*(?:[eE][-+]?\d+)?)\w*)
  | (?P<name>[A-Za-z_]\w*)
  | (?P<sign><<=|>>=|\.\.\.|->|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|.)
''',
    re.X | re.M | re.S)
RELATIONS = {'<': ('<=', '>='), '<=': ('<', '>'), '>': ('>=', '<='), '>=': ('>', '<'),
             '==': ('!=',), '!=': ('==',), '&&': ('||',), '||': ('&&',)}
ARITHMETIC = {'+': ('-',), '-': ('+',), '*': ('/', '+'), '/': ('*',), '%': ('/',), '<<': ('>>',),
              '>>': ('<<',), '&': ('|',), '|': ('&',), '^': ('|',), '+=': ('-=',), '-=': ('+=',),
              '*=': ('/=',), '/=': ('*=',), '%=': ('/=',), '|=': ('&=',), '&=': ('|=',),
              '<<=': ('>>=',), '>>=': ('<<=',), '++': ('--',), '--': ('++',)}
STATUS = ('ST_OK', 'ST_INVALID', 'ST_USAGE', 'ST_INPUT', 'ST_SYSTEM')
RELEASE = re.compile(
    r'(^|_)(free|close|fsync|fdatasync|munmap|unlink|unlinkat|release|abort|destroy)$')
HEADS = ('if', 'while', 'for', 'switch')
JUMPS = ('return', 'break', 'continue', 'goto')
NOT_EXPRESSIONS = HEADS + ('do', 'else', 'case', 'default', 'typedef', 'struct', 'union', 'enum',
                           'const', 'static', 'extern')
CONSTANT_ASSERTIONS = ('static_assert', '_Static_assert', 'assert')


class Word:
    def __init__(self, kind, text, start):
        self.kind, self.text, self.start, self.end = kind, text, start, start + len(text)


class Site:
    """text[start:end] of a file becomes `new`."""

    def __init__(self, source, function, kind, start, end, new):
        self.source, self.function, self.kind, self.start, self.end, self.new = (
            source, function, kind, start, end, new)
        self.line = source.text.count('\n', 0, start) + 1

    def extent(self):
        """The first and the last line of the function."""
        return tuple(self.source.text.count('\n', 0, at) + 1
                     for at in self.source.functions[self.function])

    def around(self):
        """The whole lines, as they are and as they become, without the white space."""
        text = self.source.text
        first, last = text.rfind('\n', 0, self.start) + 1, text.find('\n', self.end)
        old, new = text[first:last], text[first : self.start] + self.new + text[self.end : last]
        return ' '.join(old.split()), ' '.join(new.split())

    def identity(self):
        """What stays the same while lines are added and removed elsewhere: file, function, lines,
        and which of several."""
        old, new = self.around()
        place = self.source.text.rfind('\n', 0, self.start) + 1
        begin = self.source.functions[self.function][0]
        before = ' '.join(self.source.text[begin:place].split())
        nth = before.count(old) + 1
        return self.source.path, self.function + ('#%d' % nth if nth > 1 else ''), old, new


class Source:
    """A file's words, its functions and the sites in them."""

    def __init__(self, path):
        self.path = path
        with open(os.path.join(ROOT, path)) as f:
            self.text = f.read()
        self.words = [Word(m.lastgroup, m.group(), m.start()) for m in WORD.finditer(self.text)
                      if m.lastgroup != 'gap']
        self.pair = self.pairs()
        self.functions = {}  # name: offsets of the beginning and end
        self.sites = []
        depth = 0
        for i, word in enumerate(self.words):
            if word.text == '{':
                if depth == 0 and i > 0 and self.words[i - 1].text == ')' and i in self.pair:
                    self.in_function(i, self.pair[i])
                depth += 1
            elif word.text == '}':
                depth -= 1
        self.by_line = {}
        for site in self.sites:
            self.by_line.setdefault(site.line, []).append(site)

    def pairs(self):
        pair, open_ones = {}, []
        for i, word in enumerate(self.words):
            if word.kind == 'sign' and word.text in '([{':
                open_ones.append(i)
            elif word.kind == 'sign' and word.text in ')]}' and open_ones:
                other = open_ones.pop()
                pair[i], pair[other] = other, i
        return pair

    def text_of(self, i, j):
        """Of words i to j - 1."""
        return self.text[self.words[i].start : self.words[j - 1].end]

    def add(self, kind, i, j, new):
        """Words i to j - 1 become `new`, on as many lines."""
        old = self.text_of(i, j)
        new += '\n' * (old.count('\n') - new.count('\n'))
        if ' '.join(new.split()) != ' '.join(old.split()):
            self.sites.append(Site(self, self.function, kind, self.words[i].start,
                                   self.words[j - 1].end, new))

    def in_function(self, first, last):
        words, head = self.words, self.pair[first - 1]
        head -= 1
        while words[head].text == ')':  # NAME(x)(arguments)
            head = self.pair[head] + 1
        self.function = words[head].text
        before = head
        while (before > 0 and words[before - 1].text not in (';', '}')
               and words[before - 1].kind in ('name', 'sign', 'number')):
            before -= 1
        kind = [w.text for w in words[before:head]]
        self.gives_status = kind[-2:] == ['enum', 'status']
        self.early = (('return;',) if 'void' in kind and '*' not in kind
                      else ('return false;', 'return true;') if 'bool' in kind and '*' not in kind
                      else ('return 0;',))
        while self.function in self.functions:  # of one name, under #if
            self.function += "'"
        self.functions[self.function] = (words[before].start, words[last].end)
        blocks, starts = self.structure(first, last)
        skipped = self.skipped(starts)
        for i in range(first + 1, last):
            if i in skipped:
                continue
            self.of_word(i)
            if i in starts:
                self.of_statement(i, i in blocks)

    def structure(self, first, last):
        """Words that begin a statement; those of them that stand in a block, and not for a branch
        or a loop's body."""
        words, pair = self.words, self.pair
        inner, starts, kinds = set(), set(), {first: True}
        opened, i = [first], first + 1
        while i < last:
            word, previous = words[i].text, words[i - 1].text
            head = previous == ')' and words[pair[i - 1] - 1].text in HEADS
            in_block = words[opened[-1]].text == '{' and kinds.get(opened[-1])
            begins = in_block and (previous in (';', '{', '}', 'else', 'do') or head
                                   or (previous == ':' and self.is_label(i - 1)))
            if previous == '}' and kinds.get(pair[i - 1]) is False:
                begins = False
            if word == '{':
                kinds[i] = bool(begins)
            elif begins and word != '}':
                starts.add(i)
                if previous in (';', '{', '}'):
                    inner.add(i)
            if words[i].kind == 'sign' and word in '([{':
                opened.append(i)
            elif words[i].kind == 'sign' and word in ')]}':
                opened.pop()
            i += 1
        return inner, starts

    def is_label(self, colon):
        i = colon - 1
        while i > 0 and self.words[i].text not in (';', '{', '}', '?', 'case', 'default', ':'):
            i -= 1
        return self.words[i].text in ('case', 'default') or (
            i == colon - 2 and self.words[i].text in (';', '{', '}'))

    def end_of(self, i):
        """After the semicolon of the statement that begins with word i; a macro's may have none."""
        while self.words[i].text not in (';', '}'):
            i = self.pair[i] if self.words[i].text in ('(', '[', '{') else i
            i += 1
        return i + 1

    def skipped(self, starts):
        """Assertions, and tables that do not change."""
        out = set()
        for i in starts:
            words = [w.text for w in self.words[i : i + 2]]
            if words[0] in CONSTANT_ASSERTIONS or words == ['static', 'const']:
                out.update(range(i, self.end_of(i)))
        return out

    def of_word(self, i):
        word, words = self.words[i], self.words
        if word.kind == 'sign':
            apart = self.text[word.start - 1].isspace() and self.text[word.end].isspace()
            for new in RELATIONS.get(word.text, ()) if apart else ():
                self.add('relation', i, i + 1, new)
            for new in ARITHMETIC.get(word.text, ()) if apart or word.text in ('++', '--') else ():
                self.add('arithmetic', i, i + 1, new)
        elif word.kind == 'number':
            self.of_number(i)
        elif word.kind == 'text' and word.text[0] == "'":
            for change in (' + 1', ' - 1'):
                self.add('constant', i, i + 1, '(' + word.text + change + ')')
        elif word.text in ('true', 'false'):
            self.add('constant', i, i + 1, 'false' if word.text == 'true' else 'true')
        elif word.text in STATUS:
            for new in STATUS:
                self.add('status', i, i + 1, new)
        elif word.text in HEADS and word.text != 'switch' and words[i + 1].text == '(':
            self.of_condition(i)
        elif (word.kind == 'name' and words[i + 1].text == '('
              and word.text not in HEADS + JUMPS + ('sizeof',)):
            self.of_call(i)

    def of_number(self, i):
        m = re.fullmatch(r'(?:(0[xX])([0-9a-fA-F]+?)|(0|[1-9]\d*))([uUlL]*)', self.words[i].text)
        if not m:  # a fraction, octal
            self.add('constant', i, i + 1, '(%s + 1)' % self.words[i].text)
            return
        value = int(m[2], 16) if m[1] else int(m[3])
        declared = (self.words[i - 1].text == '['
                    and self.words[i - 3].kind == 'name')  # char text[64]
        for new in ([] if declared else [value + 1]) + ([value - 1] if value > 0 else []):
            self.add('constant', i, i + 1, (m[1] + '%x' % new if m[1] else '%d' % new) + m[4])

    def of_condition(self, i):
        first, last = i + 2, self.pair[i + 1]
        if self.words[i].text == 'for':
            first = self.end_of(first)
            last = self.end_of(first) - 1
        if first < last:
            self.add('condition', first, last, '!(' + self.text_of(first, last) + ')')

    def of_call(self, i):
        last, begin, arguments = self.pair[i + 1], i + 2, []
        j = begin
        while j <= last:
            if j == last or self.words[j].text == ',':
                arguments.append((begin, j))
                begin = j + 1
            j = (self.pair[j] if j < last and self.words[j].text in ('(', '[', '{') else j) + 1
        for (a, b), (c, d) in zip(arguments, arguments[1:]):
            if a < b and c < d and self.text_of(a, b) != self.text_of(c, d):
                self.add('arguments', a, d, self.text_of(c, d) + ', ' + self.text_of(a, b))
        if RELEASE.search(self.words[i].text):
            self.add('release', i, last + 1, '0')

    def of_statement(self, i, in_block):
        word, words = self.words[i], self.words
        if in_block and word.text not in ('case', 'default'):
            for new in self.early:
                self.add('return', i, i + 1, new + ' ' + word.text)
        if word.text in NOT_EXPRESSIONS or (
                word.kind == 'name' and (words[i + 1].kind == 'name' and word.text not in JUMPS)):
            return
        if word.kind == 'name' and words[i + 1].text in ('*', ':'):  # a declaration, a label
            return
        if (word.text == 'return' and self.gives_status and words[i + 1].kind == 'name'
            and words[i + 2].text == ';'):
            for new in ('ST_OK', 'ST_SYSTEM'):
                self.add('status', i + 1, i + 2, new)
        if (RELEASE.search(word.text)
            and words[i + 1].text == '('):  # the call alone goes, see of_call
            return
        if self.words[self.end_of(i) - 1].text == ';':
            self.add('dropped', i, self.end_of(i), ';')


def folder_of(path):
    return path.split('/')[1]


class Sites:
    """All code, by folders of src/."""

    def __init__(self):
        self.sources, self.lines = {}, {}
        for folder, _, names in sorted(os.walk(os.path.join(ROOT, 'src'))):
            for name in sorted(names):
                if name.endswith(('.c', '.inc')):
                    path = os.path.relpath(os.path.join(folder, name), ROOT)
                    source = self.sources[path] = Source(path)
                    self.lines.setdefault(folder_of(path), []).extend(
                        (path, line) for line in sorted(source.by_line))
        self.lines = {folder: lines for folder, lines in self.lines.items() if lines}

    def shares(self, count):
        """How many mutants each folder gets of `count`: three if there are so many, then by its
        lines of code."""
        least = {f: min(3, count // len(self.lines), len(lines)) for f, lines in self.lines.items()}
        left, total = count - sum(least.values()), sum(len(lines) for lines in self.lines.values())
        exact = {f: left * len(lines) / total for f, lines in self.lines.items()}
        shares = {f: least[f] + int(exact[f]) for f in self.lines}
        for f in sorted(exact,
                        key=lambda f: int(exact[f]) - exact[f])[: count - sum(shares.values())]:
            shares[f] += 1
        return shares

    def draws(self, seed, folder):
        """Mutants without end, the same for a seed: a line, an operator that applies there, a
        place; none twice."""
        chance, seen = random.Random('%s/%s' % (seed, folder)), set()

        def choose(some):
            return some[int(chance.random() * len(some))]  # a line more elsewhere changes little

        while len(seen) < sum(len(self.sources[path].by_line[line])
                              for path, line in self.lines[folder]):
            path, line = choose(self.lines[folder])
            sites = self.sources[path].by_line[line]
            kind = choose(sorted({s.kind for s in sites}))
            site = choose([s for s in sites if s.kind == kind])
            if id(site) not in seen:
                seen.add(id(site))
                yield site
