# All operators: templates, the reference pages' examples, planted faults. See operators.py.
load helper

operators() {
    run -0 "$PYTHON" "$ROOT/tests/cli/operators.py" "$@"
}

@test "what the shape recipes say of one operator of each family, whole" {
    golden shapes
}

@test "feature levels, limits, and what the sources of DirectML do not agree on, whole" {
    golden levels
}

@test "the template of every operator is valid at every feature level that has the operator" {
    operators templates
}

@test "the examples of the reference pages are valid" {
    operators pages
}

@test "what the files of operators say in words is checked" {
    run -0 "$PYTHON" "$ROOT/tests/cli/operators_about.py"
}

@test "faults that a program plants are found at their place" {
    operators faults
}

@test "no fix of a planted fault changes right values and leaves errors" {
    operators fixes
}

@test "JSON Schemas of all operators accept what is valid, and refuse wrong JSON types" {
    "$PYTHON" -c 'import jsonschema' 2>/dev/null || skip "no python3-jsonschema"
    sanitized && skip "Python checks the schemas, not dmlop"
    operators schemas
}

@test "a vector for each channel: with the sizes of the hint the descriptor is valid" {
    "$PYTHON" "$ROOT/tests/cli/channels.py"
}
