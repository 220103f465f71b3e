"""The language server answers for its own files, and is silent in others. DMLOP is the program."""
import json
import os

from lsp_client import Server, position
from program import printed

SAMPLES = os.environ['SAMPLES']
DESCRIPTOR = open(SAMPLES + '/topk1-ex1.desc.json').read()
MODEL = open(SAMPLES + '/slice.model.json').read()
BROKEN = '{ "type": "DML_OPERATOR_TOPK1", "desc": { "K": '

# Other people's files: name and text.
FOREIGN = [
    ('tsconfig.json', '{\n  // comments\n  "compilerOptions": { "strict": true, },\n}\n'),
    ('package.json', '{ "name": "x", "type": "module", "scripts": {}, }'),
    ('package.json', '{ "contributes": { "commands": [] }, "commands": [], "resources": {} }'),
    ('settings.json', '{ "a": 1, /* b */ "b": [1,,2] '),
    ('devcontainer.json', '{ "$schema": "https://json.schemastore.org/devcontainer", "desc": 1 }'),
    ('package.json', '{ "type": "module", "desc": "a package" }'), ('x.json', '{ "type": "CAST" }'),
    ('x.json', '{ "$schema": "' + 'model' * 99 + '.schema.json", "type": "' + 'x' * 999 + '" }'),
    ('x.json', '{ "type": "SLICE1'), ('x.json', '{ "type":'),
    ('x.json', '{ "type": 5, "desc": {} }'), ('x.json', '{ "dispatchables": {} }'),
    ('x.json', '[{ "type": "DML_OPERATOR_TOPK1" }]'),
    ('x.json', '{ "a": { "type": "DML_OPERATOR_TOPK1", "desc": {} } }'),
    ('x.json', '"DML_OPERATOR_TOPK1"'),
    ('x.json', '{ "$schema": "https://example.org/x.schema.json" }'),
    ('x.json', '{ "$schema": ["descriptor.schema.json"], "type": "x" }'), ('x.json', '{ nul: 1, }'),
    ('x.json', '{'), ('x.json', ' '), ('x.json', ''), ('desc.json.txt', ''), ('mydesc.json', ''),
    ('x.c', 'DML_TOP_K1_OPERATOR_DESC d = { .Axis = 1, };'),
    ('x.json', '{ "a": "' + 'a' * (5 << 20))]
# Files of its own, each with something to find.
OWN = [
    ('x.desc.json', '{}'), ('X.DESC.JSON', '[]'), ('tsconfig.model.json', '{ "a": 1 }'),
    ('dir%20x/%41.desc.json', '[1,,'), ('x.json', BROKEN), ('x.json', '// a comment\n' + BROKEN),
    ('x.json', '\ufeff' + BROKEN), ('x.json', '{ "desc": {}, "type": "SLICE1" }'),
    ('x.json', '{ "Type": "DML_OPERATOR_X" }'),
    ('x.json', '{ "dispatchables": {}, "commands": 5 }'),
    ('x.json', '{ "resources": { "a": { ] }, "dispatchables": { }'),
    ('x.json', '{ "$schema": "descriptor.schema.json" }'),
    ('x.json', '{ "$schema": "/usr/share/dmlop/top_k1.schema.json" }'),
    ('x.json', '{ "$schema": "https://example.org/model.schema.json", "commands": 1 }'),
    ('x.json', '{ "$schema": "./dmlop.json" }'),
    ('x.json', '{ "$schema": "C:\\\\dmlop\\\\slice1.schema.json" }'),
    ('', '{ "type": "DML_OPERATOR_X" }')]


def answers(s, uri, text):
    """All that the server says of a text: diagnostics, and answers at places of it."""
    document = {'textDocument': {'uri': uri}}
    yield s.diagnostics(uri)
    for at in sorted({0, len(text) // 2, text.find('DML_') + 1, len(text)}):
        place = position(text, at, 'utf-16')
        for method in ('hover', 'completion', 'definition'):
            yield s.call('textDocument/' + method, {**document, 'position': place})
    yield s.call('textDocument/documentSymbol', document)
    yield actions(s, uri, text)


def actions(s, uri, text):
    """The code actions of a text."""
    whole = {'start': position(text, 0, 'utf-16'), 'end': position(text, len(text), 'utf-16')}
    where = {'textDocument': {'uri': uri}, 'range': whole}
    return s.call('textDocument/codeAction', {**where, 'context': {'diagnostics': []}})


with Server() as s:
    for name, text in FOREIGN:
        uri = 'file:///w/' + name
        s.open(uri, text)
        said = list(answers(s, uri, text))
        assert said[0] == [] and not any(said), (name, text[:80], said)
        s.close(uri)
    for i, (name, text) in enumerate(OWN):
        uri = f'file:///w{i}/{name}' if name else 'untitled:Untitled-1'
        s.open(uri, text)
        assert next(answers(s, uri, text)), (name, text)
        s.close(uri)
    for name, text in (('x.json', DESCRIPTOR), ('x.json', MODEL), ('y.desc.json', DESCRIPTOR)):
        uri = 'file:///v/' + name
        s.open(uri, text)
        said = list(answers(s, uri, text))
        assert said[0] == [] and said[-2], (name, said)
        s.close(uri)
    # A new file has completions by its name.
    for name in ('new.desc.json', 'new.model.json'):
        uri = 'file:///n/' + name
        s.open(uri, '')
        place = {'textDocument': {'uri': uri}, 'position': {'line': 0, 'character': 0}}
        assert s.call('textDocument/completion', place), name
        s.close(uri)
    # A file becomes one of its own, and another one again: its diagnostics come and go.
    uri = 'file:///c/x.json'
    s.open(uri, '{ "type": "module" }')
    assert s.diagnostics(uri) == []
    s.change(uri, [{'text': '{ "type": "DML_OPERATOR_TOPK1" }'}])
    assert s.diagnostics(uri)
    s.change(uri, [{'text': '{ "type": "module", }'}])
    assert s.diagnostics(uri) == []
    s.close(uri)


# Quick fixes say what they do.
TITLED = [
    ('{ "type": "DML_OPERATOR_TOPK1", "desc": {} }', {'Replace by DML_OPERATOR_TOP_K1'}),
    (DESCRIPTOR.replace('"K":                 2', '"K": "2"'), {'Replace by 2'}),
    (DESCRIPTOR.replace('"K":                 2', '"K": True'), {'Replace by true'}),
    (DESCRIPTOR.replace('"K"', 'K'), {'Replace by "K"'}),
    ('{ type: "TOP_K1", "desc": { "InputTensor": { "Sizes": {\n    1,\n    2\n  } } } }',
     {'Replace by "type"', 'Replace by [ 1, 2 ]'}),
    ('{ "type": "TOP_K1", "desc": { "InputTensor": { "Sizes": {%s} } } }' % ', '.join('1' * 80),
     {'Replace by [' + ', '.join('1' * 80)[:58] + '...'})]
EXAMPLES = [json.loads(printed('validate', '--explain', rule['rule'], '--format', 'json'))['wrong']
            for rule in json.loads(printed('validate', '--rules', '--format', 'json'))['rules']]
count = 0
with Server(options={'portable': True}) as s:
    for i, (text, want) in enumerate(TITLED + [(text, None) for text in EXAMPLES]):
        uri = f'file:///t/{i}.desc.json'
        s.open(uri, text)
        offered = actions(s, uri, text)
        titles = {a['title'] for a in offered if a['kind'] == 'quickfix'}
        assert want is None or want <= titles, (text, titles)
        assert all(t.split()[0] in ('Replace', 'Insert', 'Delete') for t in titles), titles
        assert not any('?' in a['title'] or '\n' in a['title'] for a in offered), offered
        count += len(titles)
        s.close(uri)
assert count > 25, count
