"""Plots of rows as SVG, without any program for it: bars on a linear scale, or points on a
logarithmic one. Title and legend are part of the picture, and it has a background of its own, dark
where the reader's setting is."""
import math
from html import escape

WIDTH, LEFT, RIGHT, ROW = 880, 272, 20, 22
LINE = 18  # of text over the plot
LEAST_STEP = 34  # of pixels between labels of the scale

# Of a light and a dark background, name by name.
COLOURS = {
    'back': ('#ffffff', '#0d1117'),
    'text': ('#1f2328', '#e6edf3'),
    'faint': ('#59636e', '#9198a1'),
    'grid': ('#d1d9e0', '#3d444d'),
    'one': ('#cf222e', '#ff7b72'),
    'blue': ('#0969da', '#58a6ff'),
    'orange': ('#bc4c00', '#f0a04b'),
    'green': ('#1a7f37', '#3fb950'),
    'purple': ('#8250df', '#c297ff'),
}


def style():
    def rules(i):
        return ''.join(f'.{name}{{fill:{both[i]}}}.{name}-line{{stroke:{both[i]}}}'
                       for name, both in COLOURS.items())

    return ('<style>text{font:13px sans-serif}'
            '.title{font-size:16px;font-weight:bold}.group{font-weight:bold}'
            '.end{text-anchor:end}.middle{text-anchor:middle}.hollow{fill:none;stroke-width:1.5}'
            f'{rules(0)}@media (prefers-color-scheme:dark){{{rules(1)}}}</style>\n')


def text(x, y, classes, words):
    return f'<text x="{x:.1f}" y="{y:.1f}" class="{classes}">{escape(words)}</text>\n'


def line(x1, y1, x2, y2, classes, more=''):
    return f'<path d="M{x1:.1f} {y1:.1f}L{x2:.1f} {y2:.1f}" class="{classes}"{more}/>\n'


def mark(x, y, shape, colour, hollow=False):
    """A point: filled or, so large that it shows around such a one, hollow."""
    r = 7 if hollow else 4.5
    classes = f'hollow {colour}-line' if hollow else colour
    if shape == 'circle':
        return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{r - 0.5}" class="{classes}"/>\n'
    if shape == 'cross':
        return f'<path d="M{x - 4:.1f} {y - 4:.1f}l8 8m0 -8l-8 8" class="hollow {colour}-line"/>\n'
    d = r + 1
    path = {
        'square': f'M{x - r + 1:.1f} {y - r + 1:.1f}'
        f'h{2 * r - 2:.1f}v{2 * r - 2:.1f}h{2 - 2 * r:.1f}z',
        'diamond': f'M{x:.1f} {y - d:.1f}l{d:.1f} {d:.1f}l{-d:.1f} {d:.1f}l{-d:.1f} {-d:.1f}z',
        'triangle': f'M{x:.1f} {y - r - 0.5:.1f}l{r + 0.5:.1f} {1.8 * r:.1f}h{-2 * r - 1:.1f}z',
    }[shape]
    return f'<path d="{path}" class="{classes}"/>\n'


def decades(least, most):
    """Steps of 1, 2 and 5 from one that is not over the least to one that is not under the most."""
    powers = range(math.floor(math.log10(least)), math.ceil(math.log10(most)) + 1)
    steps = [m * 10.0**e for e in powers for m in (1, 2, 5)]
    first = max(i for i, s in enumerate(steps) if s <= least)
    last = min(i for i, s in enumerate(steps) if s >= most)
    return steps[first : last + 1]


class Plot:
    """Rows are titles from above; a group's name, which has no data, is (name, None). Notes are
    lines of text under the title, legend pairs of a function that draws a sign at x, y and its
    words, as lines of such pairs."""

    def __init__(self, rows, title, notes, legend, scale, logarithmic):
        self.rows, self.scale, self.log = rows, scale, logarithmic
        self.top = 34 + LINE * len(notes) + 22 * len(legend) + 24
        self.bottom = self.top + ROW * len(rows)
        self.parts = []
        height = self.bottom + 12
        self.parts.append(
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" '
            f'viewBox="0 0 {WIDTH} {height}" role="img" aria-label="{escape(title)}">\n')
        self.parts.append(style()
                          + f'<rect width="{WIDTH}" height="{height}" rx="6" class="back"/>\n')
        self.parts.append(text(16, 26, 'title text', title))
        for i, note in enumerate(notes):
            self.parts.append(text(16, 46 + LINE * i, 'faint', note))
        for i, pairs in enumerate(legend):
            self.legend(48 + LINE * len(notes) + 22 * i, pairs)
        self.ticks()
        for i, (name, data) in enumerate(rows):
            self.parts.append(text(16, self.y(i) + 4.5, 'group text', name) if data is None
                              else text(LEFT - 12, self.y(i) + 4.5, 'end text', name))

    def legend(self, y, pairs):
        x = 22
        for sign, words in pairs:
            self.parts += [sign(x, y), text(x + 13, y + 4.5, 'text', words)]
            x += 40 + 7.2 * len(words)

    def x(self, value):
        low, high = self.scale[0], self.scale[-1]
        part = (math.log(value / low) / math.log(high / low) if self.log
                else (value - low) / (high - low))
        return LEFT + part * (WIDTH - LEFT - RIGHT)

    def y(self, row):
        return self.top + ROW * (row + 0.5)

    def ticks(self):
        """A line for each step and its label, where there is space for it; the first and 1 have
        theirs always."""
        labelled = []
        for step in sorted(self.scale, key=lambda s: (s not in (1, self.scale[0]), s)):
            x = self.x(step)
            self.parts.append(line(x, self.top, x, self.bottom, 'grid-line'))
            if all(abs(x - other) >= LEAST_STEP for other in labelled):
                labelled.append(x)
                self.parts.append(text(x, self.top - 7, 'middle faint', f'{step:g}'))
        self.parts.append(line(self.x(1), self.top - 3, self.x(1), self.bottom, 'one-line',
                               ' stroke-width="1.5"'))

    def point(self, row, value, shape, colour, hollow=False):
        self.parts.append(mark(self.x(value), self.y(row), shape, colour, hollow))

    def bar(self, row, value, n, of, colour):
        """The n-th of so many of a row."""
        height = (ROW - 6) / of
        y = self.y(row) - (ROW - 6) / 2 + n * height
        self.parts.append(
            f'<rect x="{self.x(0):.1f}" y="{y:.1f}" width="{self.x(value) - self.x(0):.1f}" '
            f'height="{height:.1f}" class="{colour}"/>\n')

    def svg(self):
        return ''.join(self.parts) + '</svg>\n'
