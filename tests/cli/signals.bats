# Signals at random moments of a long write.
load helper

@test "INT, TERM, HUP, PIPE, XFSZ at random moments: no partial file is left, death by signal" {
    "$PYTHON" "$ROOT/tests/cli/signals.py"
}
