"""The manual for the web and the README's picture, in man/: tests/pages.py write|check. Markdown is
mandoc's, with links between the pages; the picture, validate.svg, is the output of the commands
below, coloured, as a terminal shows it. `check` fails where what is in man/ is not what would be
written. DMLOP is the program."""
import glob
import html
import os
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
MAN = os.path.join(ROOT, 'man')
PAGES = sorted(glob.glob(os.path.join(MAN, '*.[1-8]')))
DMLOP = os.path.abspath(os.environ.get('DMLOP', os.path.join(ROOT, 'build/dmlop')))

# What the picture shows: commands, in samples/, and what makes a file for them.
WRONG = ['sed', 's/1, 1, -2, 2/1, 1, 0, 2/; s/1, 1, 4, 3/1, 1, 4, 4/', 'slice1-ex2.desc.json']
SHOWN = [['dmlop', 'validate', 'wrong.json']]


def link(match):
    name, section = match.groups()
    page = f'{name}.{section}'
    return f'[{name}({section})]({page}.md)' if os.path.join(MAN, page) in PAGES else match.group(0)


def table(source):
    """A table of tbl(1), with its column titles first, in Markdown: mandoc has none."""
    source = re.sub(r'T\{\n(.*?)\nT\}', r'\1', source, flags=re.S)
    rows = [line.replace('_', r'\_').split('\t') for line in source.strip().split('\n')]
    rows.insert(1, ['---'] * len(rows[0]))
    return '\n'.join('| ' + ' | '.join(row) + ' |' for row in rows)


ESCAPES = [(r'\(dq', '"'), (r'\(aq', "'"), (r'\(ga', '`'), (r'\(ti', '~'), (r'\(ha', '^')]


def plain(text):
    """mdoc's text without escapes."""
    for escape, character in ESCAPES:
        text = text.replace(escape, character)
    return re.sub(r'\\([& e-])', lambda m: {'&': '', 'e': '\\'}.get(m[1], m[1]), text)


def code(match, kept):
    """A literal in the text: a word that mandoc leaves alone, and what follows it."""
    words = re.findall(r'"(?:[^"]|"")*"|\S+', match[1])
    after = ''
    while len(words) > 1 and words[-1] in '.,:;)?!':
        after = words.pop() + after
    kept.append('`' + plain(' '.join(w.strip('"') for w in words)) + '`')
    return f'KEPT{len(kept) - 1}END{after}'


def display(match, kept):
    """Lines as they are: a paragraph that is replaced by a fenced block."""
    kept.append(re.sub(r'^\.D[1l] ', '', plain(match[1]), flags=re.M).rstrip('\n').split('\n'))
    return f'.Pp\nKEPT{len(kept) - 1}END\n.Pp\n'


def nest(lines):
    """Quotes, which mandoc writes for the bodies of lists, become list items."""
    out = []
    for i, line in enumerate(lines):
        if line.startswith('> ') or line == '>':
            continue
        follows = [other for other in lines[i + 1 :] if other]
        while line.startswith('**-') and follows and follows[0].startswith('**-'):
            follows.pop(0)  # options that share the body of the last one
        title = line and follows and follows[0].startswith('> ')
        out.append('- ' + line if title else line)
        end = i + 1
        while end < len(lines) and (not lines[end] or lines[end][0] == '>'):
            end += 1
        body = [other[2:] for other in lines[i + 1 : end]]
        if title:
            while body and not body[-1]:
                body.pop()
            out += ['  ' + other if other else '' for other in nest(body)]
    return out


def restored(line, kept):
    """A line with the literals and displays that it stands for."""
    line = re.sub(r'^(\*?)\t', lambda m: m[1].ljust(4), line)  # a bullet and what is below it
    whole = re.fullmatch(r'( *)KEPT(\d+)END', line)
    if whole and isinstance(kept[int(whole[2])], list):
        return [whole[1] + part for part in ['```', *kept[int(whole[2])], '```']]
    assert not any(isinstance(kept[int(n)], list) for n in re.findall(r'KEPT(\d+)END', line)), line
    return [re.sub(r'KEPT(\d+)END', lambda m: kept[int(m[1])], line)]


def markdown(page):
    with open(page, encoding='utf-8') as f:
        source = f.read()
    kept = []
    tables = re.findall(r'^\.TS\n.*?\.\n(.*?)^\.TE\n', source, re.M | re.S)
    source = re.sub(r'^\.TS\n.*?^\.TE\n', '.Pp\nTABLEHERE\n.Pp\n', source, flags=re.M | re.S)
    source = re.sub(r'^\.Bd -literal.*?\n(.*?)^\.Ed\n', lambda m: display(m, kept), source,
                    flags=re.M | re.S)
    source = re.sub(r'^((?:\.D[1l] .*\n)+)', lambda m: display(m, kept), source, flags=re.M)
    source = re.sub(r'^\.Ql (.*)$', lambda m: code(m, kept), source, flags=re.M)
    source = re.sub(r'(?<= )Ql (\S+)', lambda m: code(m, kept), source)
    text = subprocess.run(['mandoc', '-T', 'markdown'], input=source, capture_output=True,
                          text=True, check=True).stdout
    for t in tables:
        text = text.replace('TABLEHERE', table(t), 1)
    lines = text.split('\n')[1:]  # the page's title, and at the end the system's name and the date
    while lines and not lines[-1]:
        lines.pop()
    lines.pop()
    title = os.path.basename(page)
    name, section = title.rsplit('.', 1)
    lines = [re.sub(r'(?<![\w[-])(dmlop(?:-[a-z]+)?)\((\d)\)', link, line) for line in nest(lines)]
    body = '\n'.join(part for line in lines for part in restored(line, kept)).strip('\n')
    body = re.sub(r'\n{3,}', '\n\n', body)
    top = f'*{name}({section})* · [all pages](README.md)'
    return f'<!-- made from {title} by `make pages` -->\n\n{top}\n\n{body}\n'


def summary(page):
    with open(page, encoding='utf-8') as f:
        return re.search(r'^\.Nd (.*)', f.read(), re.M).group(1)


def index():
    rows = ''.join(f'| [{name}({section})]({name}.{section}.md) | {summary(page)} |\n'
                   for page in PAGES for name, section in [os.path.basename(page).rsplit('.', 1)])
    heading = '# The manual\n\n| page | what it is about |\n| --- | --- |\n'
    more = 'More: [benchmarks](BENCHMARKS.md), [what has changed](CHANGELOG.md).'
    page = 'In a browser: [the page of `make web`, and how to serve it](../README.md#in-a-browser).'
    return f'<!-- made by `make pages` -->\n\n{heading}{rows}\n{more}\n{page}\n'


# The program's colours (SGR) on a dark ground.
COLOURS = {'31': '#ff7b72', '32': '#7ee787', '33': '#e3b341', '34': '#79c0ff', '35': '#d2a8ff',
           '36': '#76e3ea'}
PLAIN, GROUND, PROMPT = '#c9d1d9', '#0d1117', '#7ee787'
SIZE, ADVANCE, LINE, MARGIN = 14, 8.43, 20, 18


def spans(line):
    """A line of a terminal as pieces of text, each with its colour and whether it is bold."""
    colour, bold = PLAIN, False
    for part in re.split(r'(\x1b\[[0-9;]*[mK])', line):
        if not part.startswith('\x1b['):
            if part:
                yield part, colour, bold
            continue
        for code in part[2:-1].split(';') if part.endswith('m') else ():
            if code in ('', '0'):
                colour, bold = PLAIN, False
            elif code == '1':
                bold = True
            elif code in COLOURS:
                colour = COLOURS[code]


def terminal_lines():
    with tempfile.TemporaryDirectory() as folder:
        samples = os.path.join(folder, 'samples')
        shutil.copytree(os.path.join(ROOT, 'samples'), samples)
        with open(os.path.join(samples, 'wrong.json'), 'w', encoding='utf-8') as f:
            subprocess.run(WRONG, cwd=samples, stdout=f, check=True)
        for command in SHOWN:
            yield [('$ ', PROMPT, True), (' '.join(command), PLAIN, True)]
            run = subprocess.run([DMLOP, *command[1:], '--color=always'], cwd=samples, text=True,
                                 stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
            for line in run.stdout.rstrip('\n').split('\n'):
                yield list(spans(line))


def picture():
    lines = list(terminal_lines())
    width = round(2 * MARGIN + ADVANCE * max(sum(len(t) for t, _, _ in line) for line in lines))
    height = 2 * MARGIN + LINE * len(lines)
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
           f'viewBox="0 0 {width} {height}" role="img" aria-label="dmlop validate shows errors in '
           f'a descriptor">', f'<rect width="{width}" height="{height}" rx="8" fill="{GROUND}"/>',
           '<g font-family="ui-monospace, \'DejaVu Sans Mono\', Menlo, Consolas, monospace" '
           f'font-size="{SIZE}" xml:space="preserve">']
    for n, line in enumerate(lines):
        x = 0
        for text, colour, bold in line:
            weight = ' font-weight="bold"' if bold else ''
            if text.strip():
                out.append(f'<text x="{MARGIN + ADVANCE * x:.1f}" y="{MARGIN + LINE * n + SIZE}" '
                           f'textLength="{ADVANCE * len(text):.1f}" fill="{colour}"{weight} '
                           f'style="white-space:pre">{html.escape(text)}</text>')
            x += len(text)
    return '\n'.join(out + ['</g>', '</svg>', ''])


def files():
    made = {f'{os.path.basename(page)}.md': markdown(page) for page in PAGES}
    made['README.md'] = index()
    made['validate.svg'] = picture()
    return made


def old(name):
    path = os.path.join(MAN, name)
    if not os.path.exists(path):
        return None
    with open(path, encoding='utf-8') as f:
        return f.read()


def misread(text):
    """What a Markdown reader makes of a page that its author did not mean."""
    read = subprocess.run(['cmark'], input=text, capture_output=True, text=True, check=True).stdout
    fences = len(re.findall(r'^ *```$', text, re.M))
    if 2 * read.count('<pre><code>') != fences:
        return 'text became code'
    if '<blockquote>' in read or re.search('KEPT[0-9]', read):
        return 'a list or a display is broken'
    return None


def main():
    made = files()
    stale = [name for name, text in made.items() if old(name) != text]
    gone = [name for name in map(os.path.basename, glob.glob(os.path.join(MAN, '*.md')))
            if name not in made and name not in ('BENCHMARKS.md', 'CHANGELOG.md')]  # by hand
    if sys.argv[1:] == ['write']:
        for name in stale:
            with open(os.path.join(MAN, name), 'w', encoding='utf-8') as f:
                f.write(made[name])
        for name in gone:
            os.remove(os.path.join(MAN, name))
    elif sys.argv[1:] == ['check']:
        if stale or gone:
            sys.exit(
                f"man/: {', '.join(stale + gone)}: not what the pages and the program say; run "
                f"'make pages'")
        wrong = [f'man/{name}: {misread(text)}' for name, text in made.items()
                 if name.endswith('.md') and misread(text)]
        if wrong:
            sys.exit('\n'.join(wrong))
    else:
        sys.exit(__doc__)


main()
