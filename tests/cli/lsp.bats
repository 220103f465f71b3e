# dmlop lsp: the protocol, byte by byte, and the same judge as validate's. The client is
# lsp_client.py.
load helper

# client: runs Python from standard input, with what lsp_client.py has.
client() {
    {
        echo 'import functools, itertools, os, random, subprocess, sys, time'
        echo 'from lsp_client import *'
        echo 'WRONG = os.environ["WRONG"]'
        cat
    } >client.py
    "$PYTHON" client.py
}

# A descriptor with two errors, for a start.
export ROOT WRONG='{
  "type": "DML_OPERATOR_SLICE1",
  "desc": {
    "InputTensor": { "DataType": "FLOAT32", "Sizes": [4, 6] },
    "OutputTensor": { "DataType": "FLOAT32", "Sizes": [2, 3] },
    "DimensionCount": 2,
    "InputWindowOffsets": [0, 1],
    "InputWindowSizes": [2, 6],
    "InputWindowStrides": [1, 0]
  }
}
'

@test "a session: what is asked and answered, message by message" {
    client <<'E'
s = Server(start=False)
p = s.initialize({'general': {'positionEncodings': ['utf-32', 'utf-16']}})
c = p['capabilities']
assert p['serverInfo']['name'] == 'dmlop' and p['serverInfo']['version'], p
assert c.get('positionEncoding', 'utf-16') == 'utf-16'
sync = c['textDocumentSync']
assert sync == 2 or (sync['openClose'] is True and sync['change'] == 2), sync
for name in ('hoverProvider', 'completionProvider', 'documentSymbolProvider', 'definitionProvider',
             'codeActionProvider'):
    assert c.get(name) not in (None, False), name
assert {'quickfix', 'source.fixAll'} <= {k if k == 'quickfix' else k[:13]
                                         for k in c['codeActionProvider']['codeActionKinds']}
s.notify('initialized', {})
uri = 'file:///d.desc.json'
s.open(uri, WRONG)
assert [d['code'] for d in s.diagnostics(uri)] == ['slice.window-bounds', 'slice.stride-zero']
at = WRONG.index('0]\n  }')
e, text = edit(WRONG, at, at + 1, '2', 'utf-16')
s.change(uri, [e])
same(s, uri, text)
s.close(uri)
m = s.read()
assert (m['method'] == 'textDocument/publishDiagnostics' and m['params']['uri'] == uri
        and m['params']['diagnostics'] == []), m
assert s.call('shutdown') is None
where = {'textDocument': {'uri': uri}, 'position': START}
assert s.error('textDocument/hover', where) == -32600
s.notify('exit')
assert s.read() is None and s.wait() == 0 and s.said == []
E
}

@test "which encoding of positions is taken" {
    client <<'E'
for offered, taken in (('utf-8', 'utf-8'), (['utf-8', 'utf-16'], 'utf-8'),
                       (['utf-16', 'utf-8'], 'utf-16'), (['utf-32'], 'utf-16'), (None, 'utf-16'),
                       ([], 'utf-16')):
    with Server(encoding=offered) as s:
        assert s.encoding == taken, (offered, s.capabilities)
E
}

@test "how it ends: 0 after shutdown and exit, 1 without, and where its input ends" {
    client <<'E'
for before, want in (([], 1), (['initialize'], 1), (['initialize', 'shutdown'], 0)):
    for how in ('exit', 'end of input'):
        s = Server(start=False)
        for m in before:
            s.initialize() if m == 'initialize' else s.call(m)
        if how == 'exit':
            s.notify('exit')
            assert s.wait() == want, (before, how)
        else:
            s.process.stdin.close()
            assert s.wait() != 0, (before, how)
        assert s.said == [] or how != 'exit', s.said
E
}

@test "errors of the protocol, each by its code; the server goes on after them" {
    client <<'E'
s = Server(start=False)
where = {'textDocument': {'uri': 'file:///d.desc.json'}, 'position': START}
# Before initialize: -32002; notifications are dropped.
assert s.error('textDocument/hover', where) == -32002
assert s.error('shutdown') == -32002
s.open('file:///d.desc.json', WRONG)
s.initialize()
assert s.error('initialize', {'processId': None, 'rootUri': None, 'capabilities': {}}) == -32600
s.notify('initialized', {})
# Not JSON, and what only looks like it: -32700, without an id.
for text in ('', ' ', '{', '[1,,]', '{"a":1,,}', 'nul', '"\\ud8"', '{} {}',
             b'{"jsonrpc":"2.0","id":1,"method":"\xff"}', '/* c', '\x00', '{"id":01}',
             '[' * 100 + ']' * 100, b'\xef\xbb\xbf{}' + b'{'):
    s.send(text)
    m = s.read()
    assert m['id'] is None and m['error']['code'] == -32700, (text, m)
# JSON, but no message: -32600.
for text in ('1', '"a"', 'null', '[]', '{}', '{"jsonrpc":"2.0"}',
             '{"jsonrpc":"1.0","id":77,"method":"shutdown"}', '{"id":77,"method":"shutdown"}',
             '{"jsonrpc":"2.0","id":77,"method":5}', '{"jsonrpc":"2.0","id":77,"method":null}',
             '{"jsonrpc":"2.0","id":[1],"method":"shutdown"}',
             '{"jsonrpc":"2.0","id":{},"method":"shutdown"}',
             '[{"jsonrpc":"2.0","id":77,"method":"shutdown"}]'):
    s.send(text)
    m = s.read()
    assert m['error']['code'] == -32600 and m['id'] in (None, 77), (text, m)
# Methods that there are not, parameters that are wrong.
for method in ('textDocument/formatting', 'nonsense', '', '$/nonsense', 'workspace/executeCommand',
               'textDocument/hove', 'textDocument/hovers', 'x' * 100000):
    assert s.error(method, where) == -32601, method
for method in ('textDocument/hover', 'textDocument/completion', 'textDocument/definition'):
    for params in (None, {}, [], {'textDocument': {}}, {'textDocument': where['textDocument']},
                   {'position': where['position']}, {**where, 'position': {'line': 0}},
                   {**where, 'position': {'line': '0', 'character': 0}},
                   {**where, 'position': {'line': -1, 'character': 0}},
                   {**where, 'position': {'line': 0, 'character': 0.5}}):
        assert s.error(method, params) == -32602, (method, params)
for params in (None, {}, {'textDocument': where['textDocument']},
               {'textDocument': where['textDocument'], 'range': {'start': where['position']}}):
    assert s.error('textDocument/codeAction', params) == -32602, params
# A text that is not open.
other = {'textDocument': {'uri': 'file:///other.desc.json'}}
assert s.error('textDocument/documentSymbol', other) in (-32602, -32600)
# Notifications have no answers, whatever they are.
for method in ('$/setTrace', 'nonsense', 'textDocument/didSave', 'textDocument/didChange',
               'textDocument/didOpen', 'textDocument/didClose', '$/cancelRequest'):
    for params in (None, {}, [], where, {'id': 10**9}):
        s.notify(method, params)
# Answers to requests that it never made.
s.send({'jsonrpc': '2.0', 'id': 1, 'result': None})
s.send({'jsonrpc': '2.0', 'id': None, 'error': {'code': -1, 'message': 'x'}})
# An id comes back as it was.
for n in (0, -1, 2**31 - 1, '', 'a "b" \n \u2603 \U0001f600', '7', 7):
    s.send({'jsonrpc': '2.0', 'id': n, 'method': 'nonsense'})
    m = s.read()
    while 'method' in m:
        m = s.read()
    assert m['id'] == n and type(m['id']) is type(n) and m['error']['code'] == -32601, m
assert s.end() == 0 and all(': warning: a notification was ignored: ' in line
                            for line in s.said), s.said
E
}

@test "headers: what is read, and what ends the server with a message and a status" {
    client <<'E'
body = json.dumps({'jsonrpc': '2.0', 'id': 1, 'method': 'initialize',
                   'params': {'capabilities': {}}}).encode()
n = b'%d' % len(body)
good = [b'Content-Length: ' + n + b'\r\n\r\n', b'content-length:' + n + b'\r\n\r\n',
        b'Content-Length: ' + n
        + b'\r\nContent-Type: application/vscode-jsonrpc; charset=utf-8\r\n\r\n',
        b'Content-Type: application/vscode-jsonrpc; charset=utf8\r\nContent-Length: ' + n
        + b'\r\n\r\n']
for header in good:
    s = Server(start=False)
    s.write(header + body)
    assert s.answer(1)['result']['capabilities'], header
    s.notify('exit')
    assert s.wait() == 1
cut = [b'\r\n', b'Content-Length: 5\r\n', b'Content-Le', b'Content-Length: 50\r\n\r\n{}',
       b'\x00' * 100, b'Content-Length: 1073741824\r\n\r\n{']
bad = [
    b'Content-Length: \r\n\r\n', b'Content-Length: -5\r\n\r\n',
    b'Content-Length: 99999999999999999999999\r\n\r\n', b'Content-Length: x\r\n\r\n',
    b'Content-Length: 0x10\r\n\r\n', b'Content-Length: 12a\r\n\r\n', b'Content-Type: x\r\n\r\n',
    b'Length: 3\r\n\r\n', b'{"jsonrpc":"2.0"}\r\n\r\n',
    b'Content-Length: 9223372036854775807\r\n\r\n', b'Content-Length: 18446744073709551615\r\n\r\n',
    b'Content-Length: 1099511627776\r\n\r\n', b'Content-Length: 1073741825\r\n\r\n', b'a' * 1000000,
    b'Content-Length: ' + b'0' * 1000000, b'X: y\r\n' * 200000, b'\r\n\r\n',
    b'\x00' * 100 + b'\r\n\r\n']
for data in cut + bad:
    for after in (False, True):
        s = Server(start=after)
        try:
            s.write(data)
            s.process.stdin.close()
        except BrokenPipeError:
            pass
        status = s.wait()
        assert status == (1 if data in cut else 3), (data[:50], status)
        assert s.read() is None, data[:50]
        assert len(s.said) == 1 and s.said[0].startswith('dmlop: lsp: '), (data[:50], s.said)
E
}

@test "messages cut anywhere and joined are the same messages" {
    client <<'E'
text = WRONG

def stream():
    about = {'uri': 'file:///d.desc.json', 'languageId': 'json', 'version': 1, 'text': text}
    for i, (method, p) in enumerate((('initialize', {'capabilities': {}}), ('initialized', {}),
                                     ('textDocument/didOpen', {'textDocument': about}),
                                     ('textDocument/documentSymbol',
                                      {'textDocument': {'uri': 'file:///d.desc.json'}}),
                                     ('shutdown', None))):
        yield frame({'jsonrpc': '2.0', 'method': method, **({'params': p} if p is not None else {}),
                     **({} if method in ('initialized', 'textDocument/didOpen') else {'id': i})})

whole = b''.join(stream())
seen = []
for cut in (1, 3, 7, 64, len(whole)):
    s = Server(start=False)
    for i in range(0, len(whole), cut):
        s.write(whole[i : i + cut])
        if i // cut % 8 == 0:
            time.sleep(0.002)  # what was written is read
    answers = [s.answer(i) for i in (0, 3, 4)]
    s.notify('exit')
    assert s.wait() == 0
    seen.append(answers)
assert all(a == seen[0] for a in seen)
assert seen[0][1]['result'], seen[0]
E
}

@test "the same findings as validate: every sample, every wrong example, in both encodings" {
    client <<'E'
options = {'--relaxed': 'relaxed', '--portable': 'portable'}
examples = []
for e in rule_examples():
    if '--bind' not in e['options']:
        examples += [(e[which], e['options'].split()) for which in ('wrong', 'right')]
for text in samples('*.desc.json', '*.model.json', 'broken.json'):
    examples += [(text, []), (text, ['--portable', '--relaxed', '--feature-level', '2_0'])]
assert len(examples) > 100

def settings(words):
    o = {options[w]: True for w in words if w in options}
    if '--feature-level' in words:
        o['featureLevel'] = words[words.index('--feature-level') + 1]
    return o

groups = {}
for text, words in examples:
    groups.setdefault(tuple(words), []).append(text)
rules = set()
for encoding in ('utf-8', 'utf-16'):
    for words, texts in groups.items():
        with Server(options=settings(words), encoding=encoding) as s:
            for text in texts:
                rules |= {f[0] for f in s.check(text, *words)}
                for eol in ('\r\n', '\r'):
                    s.check(text.replace('\n', eol), *words)
assert len(rules) > 60, len(rules)
E
}

@test "positions: surrogate pairs, accents, tabs, line ends, a byte-order mark; edits around them" {
    client <<'E'
base = ('{ "\U0001f600": 1, "type": "TOP_K1", /* \u00e9\u20ac\U0001f9ee\t\U00010000 */ '
        '"K": 0, "\U00010437\u00e9": "\u2603" }')
texts = [base, '\ufeff' + base, base.replace(', ', ',\r\n'), base.replace(', ', ',\r'),
         '\t' + base.replace(', ', ',\n\t\t'), '\ufeff' + base.replace(', ', ',\r\n'), '', '\n',
         '\r\n', '\ufeff', '{', '"', '{ "a": "\U0001f600', '\U0001f600',
         '{"type": "SLICE1", "desc": {"\U0001f600\U0001f600": 1}}']
for encoding in ('utf-16', 'utf-8'):
    with Server(encoding=encoding) as s:
        for text in texts:
            s.check(text)
        # Every place of a text, as where something is written and taken away again.
        uri, text = 'file:///p.desc.json', texts[5]
        s.open(uri, text)
        same(s, uri, text)
        for new in ('\0', '\ud83d'):  # are read as U+FFFD
            s.change(uri, [edit(text, 9, 9, new, encoding)[0]])
            same(s, uri, text[:9] + '\ufffd' + text[9:])
            s.change(uri, [{'text': text}])
        for at in range(len(text) + 1):
            if text[at - 1 : at + 1] == '\r\n':
                continue
            for new in ('x', '\U0001f600', '\n'):
                if at > 0 and text[at - 1] == '\r' or text[at : at + 1] == '\n' and new == '\n':
                    continue
                e, after = edit(text, at, at, new, encoding)
                s.change(uri, [e])
                same(s, uri, after)
                back, again = edit(after, at, at + len(new), '', encoding)
                assert again == text
                s.change(uri, [back])
                same(s, uri, text)
E
}

@test "positions beyond a line or the text mean its end, within a character its start" {
    client <<'E'
text = '{ "\U0001f600": 1,\n "type": 2 }'

def after(encoding, start, end, new='#'):
    with Server(encoding=encoding) as s:
        s.open('file:///p.desc.json', text)
        places = (dict(zip(('line', 'character'), place)) for place in (start, end))
        where = dict(zip(('start', 'end'), places))
        s.change('file:///p.desc.json', [{'range': where, 'text': new}])
        return s.diagnostics('file:///p.desc.json')

def same_as(encoding, start, end, want):
    got = after(encoding, start, end)
    assert given(want, got, encoding) == expected(want, validate(want), encoding), (start, end, got)

for encoding in ('utf-16', 'utf-8'):
    same_as(encoding, (0, 999), (0, 999), text.replace('1,\n', '1,#\n'))
    same_as(encoding, (0, 2**31 - 1), (1, 0), text.replace('1,\n', '1,#'))
    same_as(encoding, (99, 0), (99, 5), text + '#')
    same_as(encoding, (2, 0), (2**31 - 1, 2**31 - 1), text + '#')
    same_as(encoding, (1, 999), (2**31 - 1, 0), text + '#')
same_as('utf-16', (0, 4), (0, 4), text.replace('\U0001f600', '#\U0001f600'))
same_as('utf-8', (0, 5), (0, 6), text.replace('\U0001f600', '#\U0001f600'))
E
}

@test "a bad change loses the text: a message, then nothing is said until it is opened again" {
    client <<'E'
uri, where = 'file:///d.desc.json', {'position': {'line': 3, 'character': 10}}
for bad in ([{}], [{'text': 1}], [{'range': {'start': {'line': 0, 'character': 0}}, 'text': ''}],
            5):
    with Server(may_warn=True) as s:
        s.open(uri, WRONG)
        assert len(s.diagnostics(uri)) == 2
        assert s.ask('hover', uri, **where)
        s.change(uri, bad)
        m = s.read()
        while m.get('method') != 'textDocument/publishDiagnostics':
            m = s.read()
        assert m['params']['uri'] == uri and m['params']['diagnostics'] == [], m
        s.type(uri, '{')
        for method in ('hover', 'completion', 'documentSymbol', 'definition'):
            assert s.ask(method, uri, **where) is None, method
        assert 'textDocument/publishDiagnostics' not in [m.get('method') for m in s.waiting]
        s.said = [line for line in s.said if 'close it and open it again' not in line]
        s.close(uri)
        s.open(uri, WRONG, version=9)
        assert len(s.diagnostics(uri)) == 2
E
}

@test "random edits: after each the findings are validate's of the same text" {
    client <<'E'
random.seed(int(os.environ.get('SEED', 25)))
texts = samples('*.desc.json', '*.model.json') + [WRONG]
pieces = ['', '', '', '0', '9', '"', ',', '\n', '\r\n', '\r', '\t', ' ', '{', '}', '[', ']', ':',
          '//', '/*', '*/', '\\', '\u00e9', '\u20ac', '\U0001f600', '\ufeff', 'null', '-1', '1e9',
          '"K": 3,', '"Axis": 1,', '"Sizes": [1, 2],', 'FLOAT32', '"TOP_K1"', '"', '\n\n\n',
          'x' * 300]

def plain(text):  # what a position can name: not between \r and \n
    return [i for i in range(len(text) + 1) if text[i - 1 : i + 1] != '\r\n' or i == 0]

pairs, uris = 0, ('file:///a.desc.json', 'file:///b%20c/%C3%A9.desc.json')
for encoding in ('utf-16', 'utf-8'):
    with Server(encoding=encoding) as s:
        for text in random.sample(texts, 6):
            uri = random.choice(uris)
            text = random.choice(('', '\ufeff')) + text.replace(
                '\n', random.choice(('\n', '\r\n', '\r')))
            s.open(uri, text)
            same(s, uri, text)
            for _ in range(25):
                changes, good = [], text
                for _ in range(random.choice((1, 1, 1, 2, 3, 5))):
                    places = plain(text)
                    start = random.choice(places)
                    end = random.choice([p for p in places
                                         if start <= p <= start + random.choice((0, 1, 5, 40))])
                    e, text = edit(text, start, end, random.choice(pieces), encoding)
                    changes.append(e)
                if random.random() < 0.2 or len(text) > 20000:
                    text = random.choice(texts)
                    changes.append({'text': text})
                s.change(uri, changes)
                same(s, uri, text)
                pairs += 1
                if random.random() < 0.3:  # back to what was whole
                    s.change(uri, [{'range': WHOLE, 'text': good}])
                    text = good
                    same(s, uri, text)
            s.close(uri)
assert pairs == 300
E
}

# Texts with something to fix: the samples' and the golden one, and every rule's wrong example.
cat_fixable() {
    cat <<'E'
texts = samples('broken.json')
golden = os.environ['ROOT'] + '/tests/cli/golden/'
texts += [open(golden + name).read() for name in ('broken.json', 'broken.model.json')]
texts += [e['wrong'] for e in rule_examples()]
texts += [texts[0].replace('\n', '\r\n'), texts[0].replace('//', '// \U0001f600 \u00e9'),
          '\ufeff' + texts[0]]

@functools.lru_cache(None)
def fixed(text):
    return dmlop('validate', '--fix', '-', input=text.encode(), text=False).stdout.decode()

def actions(s, uri, span=WHOLE, only=None, diagnostics=()):
    context = {'diagnostics': list(diagnostics), **({'only': only} if only else {})}
    return s.ask('codeAction', uri, range=span, context=context) or []

def edits(action, uri):
    e = action['edit']
    if 'documentChanges' in e:
        (change,) = e['documentChanges']
        assert change['textDocument']['uri'] == uri
        return change['edits']
    assert list(e['changes']) == [uri], e
    return e['changes'][uri]
E
}

@test "fix all is what validate --fix writes; where that changes nothing it is not offered" {
    { cat_fixable; cat <<'E'; } | client
n = 0
for encoding in ('utf-16', 'utf-8'):
    with Server(encoding=encoding) as s:
        for i, text in enumerate(texts):
            uri = f'file:///f{i}.desc.json'
            s.open(uri, text)
            s.diagnostics(uri)
            want = fixed(text)
            every = actions(s, uri, only=['source.fixAll'])
            assert all(a['kind'].startswith('source.fixAll') for a in every), every
            if every:
                (a,) = every
                got = apply(text, edits(a, uri), encoding)
                assert got == want, (text, got, want)
                spans = sorted([offset(text, e['range'][k], encoding) for k in ('start', 'end')]
                               + [e['newText']] for e in edits(a, uri))
                # No more than differs, so that an editor's cursor stays where it is.
                for start, end, new in spans:
                    old = text[start:end]
                    assert old != new and (not old or not new
                                           or (old[0] != new[0] and old[-1] != new[-1])), (old, new)
                assert all(one[1] < other[0] for one, other in zip(spans, spans[1:])), spans
                n += 1
            else:
                assert want == text, (text, want)
            s.close(uri)
assert n > 20, n
E
}

@test "quick fixes one by one: each removes its finding; repeated, they end where --fix does" {
    { cat_fixable; cat <<'E'; } | client
n = 0
with Server(encoding='utf-8') as s:
    for i, text in enumerate(texts):
        uri = f'file:///q{i}.desc.json'
        s.open(uri, text)
        first = text
        for _ in range(20):
            found = s.diagnostics(uri)
            quick = [a for a in actions(s, uri) if a['kind'] == 'quickfix']
            if not quick:
                break
            for a in quick:
                assert a['title'], a
                after = apply(text, edits(a, uri), 'utf-8')
                assert after != text, a
                for d in a.get('diagnostics', []):
                    assert d in found, (d, found)
                # Asked for at the finding's own place it is there, too.
                (d,) = a['diagnostics']
                assert a in actions(s, uri, d['range'], ['quickfix'], [d]), a
                assert len(validate(after)) <= len(found) + 1
                n += 1
            text = apply(text, edits(quick[0], uri), 'utf-8')
            s.change(uri, [{'text': text}])
        else:
            raise AssertionError('no end: ' + text)
        if len(validate(fixed(first))) == 0:
            assert text == fixed(first), (first, text, fixed(first))
        s.close(uri)
assert n > 20, n
E
}

@test "code actions: the kinds that are asked for, edits of a version, places that lack" {
    { cat_fixable; cat <<'E'; } | client
text, uri = texts[0], 'file:///k.desc.json'
kinds = lambda s, only: {a['kind'] for a in actions(s, uri, only=only)}
with Server() as s:
    s.open(uri, text)
    both = kinds(s, None)
    assert len(both) == 2 and 'quickfix' in both, both
    (whole_text,) = both - {'quickfix'}
    assert whole_text.startswith('source.fixAll')
    for only, want in ((['quickfix'], {'quickfix'}), (['source'], {whole_text}),
                       (['source.fixAll'], {whole_text}), ([''], both), (['refactor'], set()),
                       (['source.organizeImports'], set()),
                       (['refactor', 'quickfix'], {'quickfix'}), ([5, 'quickfix'], {'quickfix'}),
                       (['quickfix', 'source'], both)):
        assert kinds(s, only) == want, only
    plain = actions(s, uri)
    assert all(list(a['edit']) == ['changes'] for a in plain), plain
    for span in ({'start': START}, {'end': START}, {'start': {'line': 0}, 'end': START},
                 {'start': START, 'end': {'character': 0}},
                 {'start': START, 'end': {'line': -1, 'character': 0}}, 'all', None):
        asked = {'textDocument': {'uri': uri}, 'range': span, 'context': {}}
        assert s.error('textDocument/codeAction', asked) == -32602, span
with Server({'workspace': {'workspaceEdit': {'documentChanges': True}}}) as s:
    for version, want in ((7, 7), (-3, -3), (None, 0), ('x', 0)):
        s.open(uri, text, version=version)
        every = actions(s, uri)
        assert len(every) == len(plain)
        for a, b in zip(every, plain):
            (change,) = a['edit'].pop('documentChanges')
            assert a['edit'] == {}, a
            assert change['textDocument'] == {'uri': uri, 'version': want}, change
            assert change['edits'] == edits(b, uri), change
        s.close(uri)
E
}

@test "hover: fields, rules, tensors" {
    client <<'E'
def hover(s, uri, text, at):
    h = s.ask('hover', uri, text, at)
    if h is None:
        return ''
    c = h['contents']
    assert c['kind'] in ('markdown', 'plaintext') and c['value'], h
    if 'range' in h:
        r = h['range']
        assert offset(text, r['start'], s.encoding) <= at <= offset(text, r['end'], s.encoding), h
    return c['value']

(text,) = samples('slice1-ex2.desc.json')
for encoding in ('utf-16', 'utf-8'):
    with Server(encoding=encoding) as s:
        uri = 'file:///h.desc.json'
        s.open(uri, text)
        for word in ('InputWindowStrides', 'InputWindowSizes', 'DimensionCount', 'DataType'):
            assert word in hover(s, uri, text, text.index('"' + word) + 2), word
        t = hover(s, uri, text, text.index('"InputTensor"') + 3)
        assert re.search('16 elements.*64', t) and '[16, 16, 4, 1]' in t, t
        bad = WRONG
        s.change(uri, [{'text': bad}])
        at = bad.index('0]\n  }')
        assert 'slice.stride-zero' in hover(s, uri, bad, at)
        # Fields of the same name are those of the operator.
        for name, *words in (
                ('GEMM', 'OutputTensor', '{B,C,M,N}'), ('CONVOLUTION', 'DimensionCount', 'spatial'),
                ('TILE', 'Repeats', 'repeated'), ('VALUE_SCALE_2D', 'ChannelCount', 'channels')):
            desc = printed('validate', '--template', name)
            s.change(uri, [{'text': desc}])
            t = hover(s, uri, desc, desc.index('"' + words[0] + '"') + 2)
            assert words[1] in t and 'DML_OPERATOR_' + name in t, (name, t)
        # Everywhere, in any text, there is an answer.
        for broken in (bad, bad[:100], bad.replace(':', ''), '', '\ufeff', '[1, 2', '"\\u12'):
            s.change(uri, [{'text': broken}])
            for at in range(0, len(broken) + 1, 3):
                hover(s, uri, broken, at)
E
}

@test "completion: operators, missing fields, values, in texts as they are while one types" {
    client <<'E'
def complete(s, uri, text, at):
    items = s.complete(uri, text, at)
    for i in items:
        assert i['label'] and i.get('insertTextFormat', 1) in (1, 2), i
        if 'textEdit' in i:
            r = i['textEdit']['range']
            assert (offset(text, r['start'], s.encoding) <= at
                    <= offset(text, r['end'], s.encoding)), i
    return items

def insert(s, text, item, at):
    if 'textEdit' in item:
        return apply(text, [item['textEdit']] + item.get('additionalTextEdits', []), s.encoding)
    return text[:at] + item.get('insertText', item['label']) + text[at:]

def names(items):
    return {i['label'].strip('"') for i in items}

uri = 'file:///c.desc.json'
snippets = {'textDocument': {'completion': {'completionItem': {'snippetSupport': True}}}}
(text,) = samples('topk1-ex1.desc.json')
with Server() as s:
    s.open(uri, text)
    # The operator: every name, and each gives a text in which that operator is known.
    at = text.index('DML_OPERATOR_TOP_K1') + 3
    items = complete(s, uri, text, at)
    every = {f[:-5] for f in os.listdir(os.environ['ROOT'] + '/src/desc/operators')}
    assert len(every) == 177 and {n.removeprefix('DML_OPERATOR_') for n in names(items)} == every
    # An enumeration.
    at = re.search(r'"AxisDirection": *"', text).end()
    labels = names(complete(s, uri, text, at))
    assert {l.rsplit('_', 1)[-1] for l in labels} >= {'INCREASING', 'DECREASING'}, labels
    at = re.search(r'"DataType": *"', text).end()
    assert any('FLOAT16' in l for l in names(complete(s, uri, text, at)))
    # A field that is missing.
    cut = re.sub(r',\s*"K": *\d+', '', text)
    assert cut != text
    at = cut.index('"Axis"')
    s.change(uri, [{'text': cut[:at] + '""' + ', ' + cut[at:]}])
    labels = names(complete(s, uri, cut[:at] + '"", ' + cut[at:], at + 1))
    assert 'K' in labels and 'Axis' not in labels, labels
    # Taken, a field or an operator is where it belongs.
    typed = cut[:at] + '"", ' + cut[at:]
    (k,) = [i for i in complete(s, uri, typed, at + 1) if i['label'].strip('"') == 'K']
    assert not [f for f in validate(insert(s, typed, k, at + 1)) if 'lacks K' in f['message']], k
    for i in items:
        s.change(uri, [{'text': text}])
        after = insert(s, text, i, text.index('DML_OPERATOR_TOP_K1') + 3)
        assert not [f for f in validate(after)
                    if f['rule'] in ('desc.operator-unknown', 'json.syntax')], (i, after)
    # Typing: in no prefix is there anything but an answer; no snippets, for the client takes none.
    for end in range(0, len(text) + 1, 5):
        s.change(uri, [{'text': text[:end]}])
        assert all(i.get('insertTextFormat', 1) == 1 for i in complete(s, uri, text[:end], end))
with Server(capabilities=snippets) as s:
    # Nothing is there yet: templates.
    s.open(uri, '')
    items = [i for i in complete(s, uri, '', 0) if i.get('insertTextFormat') == 2]
    assert len(items) >= 4, items
    for i in items:
        t = i['textEdit']['newText'] if 'textEdit' in i else i['insertText']
        t = re.sub(r'\$\{\d+\|([^,|]*)[^}]*\}', r'\1', t)
        t = re.sub(r'\$\{\d+:([^{}]*)\}', r'\1', t)
        t = re.sub(r'\$\d+|\$\{\d+\}', '', t)
        t = re.sub(r'\\([$}\\])', r'\1', t)
        assert validate(t) == [], t
    # Beside a type stand no keys of a model; the dollar of a key begins no stop.
    typed = '{ "type": "DML_OPERATOR_TOP_K1",  }'
    s.change(uri, [{'text': typed}])
    items = complete(s, uri, typed, len(typed) - 2)
    assert {'desc', '$schema'} <= names(items) and not {'resources', 'dispatchables', 'commands',
                                                        'bindings'} & names(items), items
    (key,) = [i for i in items if i['label'] == '$schema']
    assert r'"\$schema": "${1}"' in insert(s, typed, key, len(typed) - 2), key
E
}

@test "completion: the activations that an operator computes with its own work" {
    client <<'E'
uri = 'file:///c.json'
for text, has, lacks in [
        ('{"type": "GEMM", "desc": {"FusedActivation": {"type": ""}}}', 'RELU', 'TANH_SHRINK'),
        ('{"type": "LSTM", "desc": {"ActivationDescs": [{"type": ""}]}}', 'TANH', 'GEMM'),
        ('{"type": "CONVOLUTION", "desc": {"FusedActivation": {"type": ""', 'SHRINK', 'SOFTMAX')]:
    at = text.rindex('""') + 1
    with Server() as s:
        s.open(uri, text)
        items = s.complete(uri, text, at)
    names = {i['label'].strip('"').removeprefix('DML_OPERATOR_ACTIVATION_') for i in items}
    assert has in names and lacks not in names, (text, names)
E
}

@test "a model: resources and dispatchables are completed, listed and gone to" {
    client <<'E'
(sample,), (other,) = samples('slice.model.json'), samples('slice1-ex1.desc.json')
uri = 'file:///m.desc.json'
symbols = {'textDocument': {'documentSymbol': {'hierarchicalDocumentSymbolSupport': True}}}

def spots(text, word):
    return [m.start() + 1 for m in re.finditer('"' + re.escape(word) + '"', text)]

for encoding in ('utf-16', 'utf-8'):
    text = sample
    with Server(encoding=encoding, capabilities=symbols) as s:
        s.open(uri, text)
        model = json.loads(re.sub(r'^\s*//.*$', '', text, flags=re.M))
        for group in ('resources', 'dispatchables'):
            for name in model[group]:
                first, *uses = spots(text, name)
                for use in uses:
                    got = s.ask('definition', uri, text, use + 1)
                    got = got[0] if isinstance(got, list) else got
                    assert got and got['uri'] == uri, (name, use, got)
                    start, end = (offset(text, got['range'][k], encoding) for k in ('start', 'end'))
                    assert start <= first <= end and start >= first - 1, (name, got)
                    items = s.complete(uri, text, use)
                    labels = {i['label'].strip('"') for i in items}
                    assert set(model[group]) <= labels, (name, items)

        def walk(symbols):
            for y in symbols:
                r, q = y['range'], y['selectionRange']
                a, b, c, d = (offset(text, p, encoding)
                              for p in (r['start'], q['start'], q['end'], r['end']))
                assert a <= b <= c <= d, y
                assert text[b:c] == '"%s"' % y['name'] or text[b] == '{', y
                for child in y.get('children', []):
                    assert (a <= offset(text, child['range']['start'], encoding)
                            and offset(text, child['range']['end'], encoding) <= d), (y, child)
                yield y['name']
                yield from walk(y.get('children', []))

        found = set(walk(s.ask('documentSymbol', uri)))
        assert set(model['resources']) | set(model['dispatchables']) <= found, found
        text = other
        s.change(uri, [{'text': text}])
        found = set(walk(s.ask('documentSymbol', uri)))
        assert {'InputTensor', 'OutputTensor'} <= found, found
E
}

@test "settings: feature level, relaxed, portable; what is wrong in them is told and passed over" {
    client <<'E'
text = samples('topk1-ex1.desc.json')[0].replace('"DimensionCount"', '"Note"')
shown = []
for options, words in (
    ({}, []),
    ({'featureLevel': '2_0'}, ['--feature-level', '2_0']),
    ({'relaxed': True}, ['--relaxed']),
    ({'portable': True}, ['--portable']),
    ({'featureLevel': '3_0', 'relaxed': True, 'portable': True},
     ['--feature-level', '3_0', '--relaxed', '--portable']),
    ({'relaxed': False, 'portable': False, 'other': 7}, []),
    (None, [])):
    with Server(options=options) as s:
        shown.append(s.check(text, *words))
assert shown[0] != shown[1]
for options in ({'featureLevel': '9_9'}, {'featureLevel': 5}, {'relaxed': 'yes'}, {'portable': 1},
                'x', [], 5):
    s = Server(start=False)
    answer = s.answer(s.request('initialize',
                                {'capabilities': {}, 'initializationOptions': options}))
    if 'error' in answer:
        assert answer['error']['code'] == -32602, answer
        s.process.kill()
        continue
    s.notify('initialized', {})
    assert s.check(text) == shown[0], options
    s.end()
E
}

@test "a newer text goes before the check of an older: 10 MB and a small change at once" {
    client <<'E'
big = large_model(1000)
assert len(big) > 10**7
with Server() as s:
    uri = 'file:///big.desc.json'
    s.open(uri, big)
    s.change(uri, [{'text': WRONG}])
    # Only the newest text counts; the older may be told of, but not after the newer.
    assert [d['code'] for d in s.diagnostics(uri)] == ['slice.window-bounds', 'slice.stride-zero']
    assert not [m for m in s.waiting if m.get('method')], s.waiting
    # A keystroke after another in the large text: the last one is checked, not all of them.
    s.change(uri, [{'text': big}])
    for i in range(20):
        s.type(uri, ' ')
    s.diagnostics(uri)
    assert 'textDocument/publishDiagnostics' not in [m.get('method') for m in s.waiting]
    s.ask('hover', uri, big, 0)
    # A request that is cancelled has one answer, with an error or without.
    number = s.request('textDocument/documentSymbol', {'textDocument': {'uri': uri}})
    s.notify('$/cancelRequest', {'id': number})
    a = s.answer(number)
    assert 'result' in a or a['error']['code'] == -32800, a
E
}

@test "changes that arrive together are checked once, after the requests among them" {
    client <<'E'
with Server() as s:
    uri, text = 'file:///d.desc.json', WRONG
    notes = []
    s.open(uri, text)
    s.diagnostics(uri)
    for version in range(2, 7):
        about = {'textDocument': {'uri': uri, 'version': version}}
        changes = {'contentChanges': [{'text': '\n' * version + text}]}
        notes += [{'method': 'textDocument/didChange', 'params': {**about, **changes}},
                  {'id': version, 'method': 'textDocument/documentSymbol', 'params': about}]
    s.versions[uri] = version
    s.write(b''.join(frame({'jsonrpc': '2.0', **m}) for m in notes))
    lines_of = []
    for version in range(2, 7):  # each of the text as it was when it was asked for
        m = s.read()
        assert m['id'] == version, m
        lines_of.append(min(d['range']['start']['line'] for d in m['result']))
    assert lines_of == list(range(lines_of[0], lines_of[0] + 5)), lines_of
    m = s.read()
    assert m['method'] == 'textDocument/publishDiagnostics' and m['params']['version'] == 6, m
    first = min(d['range']['start']['line'] for d in m['params']['diagnostics'])
    assert first == 6 + min(f['line'] - 1 for f in validate(text)), m
E
}

@test "each request has one answer, in order of a crowd of them, while texts change" {
    client <<'E'
random.seed(3)
(text,) = samples('slice.model.json')
methods = ['hover', 'completion', 'definition', 'documentSymbol', 'codeAction']
with Server() as s:
    uri = 'file:///m.desc.json'
    s.open(uri, text)
    asked = []
    for i in range(300):
        at = random.randrange(len(text))
        m = random.choice(methods)
        here = span(text, at, at, 'utf-16')
        about = {'textDocument': {'uri': uri}, 'position': here['start'], 'range': here}
        asked.append(s.request('textDocument/' + m, {**about, 'context': {'diagnostics': []}}))
        if i % 7 == 0:
            e, text = edit(text, at, at, random.choice(('', '"', '{', '\n')), 'utf-16')
            s.change(uri, [e])
        if i % 13 == 0:
            s.notify('$/cancelRequest', {'id': random.choice(asked)})
    for number in asked:
        a = s.answer(number)
        assert 'result' in a or a['error']['code'] in (-32800, -32801), a
    assert not [m for m in s.waiting if 'id' in m]
E
}

@test "not open, opened twice, closed twice, of another language: the server goes on" {
    client <<'E'
with Server(may_warn=True) as s:
    uri = 'file:///o.desc.json'
    s.versions[uri] = 0
    s.change(uri, [{'text': 'x'}])
    s.close(uri)
    for _ in range(2):
        s.open(uri, WRONG)
        assert len(s.diagnostics(uri)) == 2
    s.close(uri)
    s.close(uri)
    s.open('untitled:Untitled-1', WRONG, 'jsonc')
    assert len(s.diagnostics('untitled:Untitled-1')) == 2
    for odd in ('', 'x', 'file://', 'file:///%', 'file:///%zz', 'file:///%00',
                'http://example.org/a b', 'file:///' + 'a' * 100000, '\u2603'):
        s.open(odd, WRONG)
        assert len(s.diagnostics(odd)) == 2, odd
        s.close(odd)
    # Many at once, each with a text of its own.
    for i in range(200):
        s.open(f'file:///many/{i}.desc.json', '{ "type": "SLICE1", "desc": { "n%d": 1 } }' % i)
    for i in range(200):
        assert any(f'n{i}' in d['message'] for d in s.diagnostics(f'file:///many/{i}.desc.json')), i
E
}

@test "it writes no file: a folder is as it was, with and without the right to write" {
    open_to_all
    cp "$SAMPLES/broken.json" "$SAMPLES/slice.model.json" .
    chmod 555 .
    client_folder=$T
    cd "$BATS_TEST_TMPDIR"
    FOLDER=$client_folder client <<'E' || failed=1
folder = os.environ['FOLDER']

def listing():
    return {n: open(os.path.join(folder, n), 'rb').read() for n in os.listdir(folder)}

before = listing()
program = os.open(os.environ['DMLOP'], os.O_RDONLY)

def drop():  # its program was opened before, for this user need not be able to reach the folder
    if os.getuid() == 0:
        os.setgroups([])
        os.setgid(65534)
        os.setuid(65534)
    os.execve(program, ['dmlop', 'lsp'], os.environ)

for rights in (None, drop):
    with Server(cwd=folder, preexec_fn=rights) as s:
        for name in sorted(before):
            uri = 'file://' + os.path.join(folder, name)
            s.open(uri, before[name].decode())
            s.diagnostics(uri)
            s.ask('codeAction', uri, range=WHOLE, context={'diagnostics': []})
            s.notify('textDocument/didSave', {'textDocument': {'uri': uri}, 'text': 'x'})
            s.close(uri)
    assert listing() == before
E
    chmod 755 "$client_folder"
    [ "${failed:-0}" = 0 ]
}

@test "a client that goes away, or reads nothing more, ends it" {
    client <<'E'
s = Server()
s.open('file:///d.desc.json', WRONG)
s.diagnostics('file:///d.desc.json')
s.process.stdin.close()
assert s.wait() == 1
# Nobody reads its answers.
r, w = os.pipe()
p = subprocess.Popen([DMLOP, 'lsp'], stdin=subprocess.PIPE, stdout=w, stderr=subprocess.PIPE,
                     restore_signals=False)  # SIGPIPE is ignored
os.close(w)
os.close(r)
try:
    for i in range(1000):
        asked = {'jsonrpc': '2.0', 'id': i, 'method': 'initialize'}
        p.stdin.write(frame({**asked, 'params': {'capabilities': {}}}))
        p.stdin.flush()
except BrokenPipeError:
    pass
try:
    p.stdin.close()
except BrokenPipeError:
    pass
assert (p.wait(60), p.stderr.read()) == (4, b''), p.returncode
E
}

@test "a cancellation reaches requests that have arrived and are not begun" {
    client <<'E'
big = large_model(500)
uri = 'file:///big.desc.json'
ask = {'textDocument': {'uri': uri}}
with Server() as s:
    s.open(uri, big)
    s.diagnostics(uri)
    # All at once; the last one is not cancelled.
    asked = [*range(1000, 1050), 'text "id"', 'last']
    about = {'jsonrpc': '2.0', 'method': 'textDocument/documentSymbol', 'params': ask}
    cancel = {'jsonrpc': '2.0', 'method': '$/cancelRequest'}
    s.write(b''.join(frame({**about, 'id': number}) for number in asked)
            + b''.join(frame({**cancel, 'params': {'id': number}}) for number in asked[:-1]))
    codes = [s.answer(number).get('error', {}).get('code') for number in asked]
    assert codes == [-32800] * 51 + [None], codes
    # No later request is cancelled by them.
    for _ in range(20):
        s.ask('hover', uri, big, 0)
# At the end of its input the server still answers what it has read.
s = Server()
s.open(uri, WRONG)
for _ in range(20):
    s.request('textDocument/documentSymbol', ask)
last = s.request('shutdown')
s.notify('exit')
s.process.stdin.close()
assert 'result' in s.answer(last)
assert s.wait() == 0
E
}

@test "edits far in a long line take little time and mean the right bytes" {
    client <<'E'
random.seed(5)
uri = 'file:///long.desc.json'
fills = ('1', '\u00e9', '\U0001f600', '\u20ac1')
for encoding, fill in itertools.product(('utf-16', 'utf-8'), fills):
    count, wide = 100000 // len(fill), units(fill, encoding)
    text = '["' + fill * 300 + '",\n"' + fill * count + '", \r"' + fill * 200 + '"] x'
    with Server(encoding=encoding) as s:
        s.open(uri, text)
        same(s, uri, text)
        changes = []
        for i in range(2000):
            start, end = ({'line': 1, 'character': 1 + (count - 100 - i + k) * wide}
                          for k in (0, 1))
            changes.append({'range': {'start': start, 'end': end}, 'text': fill})
        s.change(uri, changes)
        same(s, uri, text)
        for at in sorted(random.sample(range(len(text)), 20)):
            e, text = edit(text, at, at, random.choice(('', '7', fill)), encoding)
            s.change(uri, [e])
        same(s, uri, text)
E
}

@test "control characters and marks of direction in names are shown escaped" {
    client <<'E'
name = 'a\x1b[31m`\u202e\u2028\x85\n'
row = {'initialValuesDataType': 'FLOAT32', 'initialValues': [1], name: 1}
run = {'type': 'print', 'resource': name, name: 2}
text = json.dumps({'resources': {name: row}, 'dispatchables': {}, 'commands': [run]})
uri = 'file:///n.desc.json'

def strings(value):
    if isinstance(value, dict):
        for k, v in value.items():
            if k not in ('newText', 'filterText', 'uri'):
                yield from strings(v)
    elif isinstance(value, list):
        for v in value:
            yield from strings(v)
    elif isinstance(value, str):
        yield value

with Server() as s:
    s.open(uri, text)
    shown = [s.diagnostics(uri)]
    whole = span(text, 0, len(text), 'utf-16')
    ask = {'textDocument': {'uri': uri}, 'range': whole, 'context': {'diagnostics': []}}
    for at in (m.start() + 2 for m in re.finditer('"a', text)):
        ask['position'] = position(text, at, 'utf-16')
        for method in ('hover', 'completion', 'documentSymbol', 'codeAction'):
            shown.append(s.call('textDocument/' + method, ask))
    every = list(strings(shown))
    raw = re.compile('[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u202e]')
    assert not [x for x in every if raw.search(x)], every
    for part in ('\\x1b[31m', '\\u202e\\u2028\\u0085'):
        assert sum(part in x for x in every) > 3, every
E
}

@test "the server ends with the process that initialize names, if there is one" {
    client <<'E'
editor = subprocess.Popen([sys.executable, '-c', 'input()'], stdin=subprocess.PIPE)
gone = subprocess.Popen([sys.executable, '-c', ''])
gone.wait()
for pid in gone.pid, 2**31 - 1, 2**63 - 1, -1, 0, 'x', 1.5, editor.pid:
    server = subprocess.Popen([DMLOP, 'lsp'], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    params = {'processId': pid, 'rootUri': None, 'capabilities': {}}
    message = {'jsonrpc': '2.0', 'id': 1, 'method': 'initialize', 'params': params}
    server.stdin.write(frame(message))
    server.stdin.flush()
    assert 'result' in unframe(server.stdout), pid
    if pid != editor.pid:
        server.stdin.write(frame({'jsonrpc': '2.0', 'id': 2, 'method': 'shutdown'}))
        server.stdin.write(frame({'jsonrpc': '2.0', 'method': 'exit'}))
        server.stdin.close()
        assert server.wait(60) == 0, pid
time.sleep(0.1)
assert server.poll() is None
editor.communicate(b'x')
assert server.wait(60) == 1  # its standard input is still open
E
}

@test "the server ends with the process that --clientProcessId names" {
    client <<'E'
sleep = subprocess.Popen(['sleep', '1000'])
for pid in (1, os.getpid(), sleep.pid):
    p = subprocess.Popen([DMLOP, 'lsp', '--stdio', f'--clientProcessId={pid}'],
                         stdin=subprocess.PIPE)
    time.sleep(1)
    assert p.poll() is None
    if pid == sleep.pid:
        sleep.kill()
        sleep.wait()
    else:
        p.stdin.close()
    assert p.wait(60) == 1
E
    run -2 dmlop lsp --clientProcessId=0 </dev/null
}

@test "operands and options that it has not are refused" {
    run -2 dmlop lsp x.json </dev/null
    run -2 dmlop lsp --nonsense </dev/null
    run -0 dmlop lsp --help
    assert_output --partial "Language Server"
}

@test "its own files, by name, schema or content; silence in others; titles of quick fixes" {
    "$PYTHON" "$ROOT/tests/cli/lsp_own.py"
}
