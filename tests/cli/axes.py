"""What validate hints at and fixes for an axis of -1, in every operator whose field is an axis:
axes.py FOLDER_OF_OPERATORS prints a line for each operator and field. The descriptor is the
template's, so the only error is the axis; NumPy's -1 is the last dimension."""
import json
import os
import re
import sys
from program import dmlop

(folder,) = sys.argv[1:]
for name in sorted(os.listdir(folder)):
    with open(os.path.join(folder, name)) as f:
        operator = json.load(f)
    for field in operator['fields']:
        key = field['name']
        if key not in ('Axis', 'Axes'):
            continue
        text = dmlop('validate', '--template=' + operator['operator']).stdout
        text = re.sub(r'(?m)^ *//.*', '', text)
        many = '[' if field['kind'] == 'uint_array' else ''
        text, n = re.subn(rf'("{key}": {re.escape(many)})\d+', r'\1-1', text)
        with open('axis.json', 'w') as f:
            f.write(text)
        hint = re.findall('hint: (.*)', dmlop('validate', 'axis.json').stdout)
        fixed = re.search(rf'"{key}": [^\]\n]*', dmlop('validate', '--fix', 'axis.json').stdout)
        print(operator['operator'], fixed.group().rstrip(','), *hint, sep='; ')
