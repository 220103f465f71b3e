# The command line itself: dmlop without a command, closed streams, numbers.
load helper

@test "--help of every command, whole" {
    golden help
}

@test "hints of the command line, whole" {
    golden hints
}

@test "commands that do not exist are not listed" {
    for c in emit stats diff export; do
        refuses 2 "unknown command '$c'" "$c"
        dmlop --help | grep -q "^  $c " && fail "$c is listed"
    done
    true
}

@test "every option of the help is taken, and needs its value or refuses one" {
    for c in slice topk qmatmul join validate run show info convert compare selftest completion; do
        n=0
        while read -r option value; do
            n=$((n + 1))
            case $value in
            '') # a flag
                refuses 2 "'--$option' does not take a value" "$c" "--$option=1"
                ;;
            '[='*) ;; # an optional value
            *)
                refuses 2 "'--$option' needs a value: $value" "$c" "--$option"
                ;;
            esac
            # A beginning of the name is no name, whether getopt finds one option for it or several.
            [ ${#option} -gt 2 ] || continue
            refuses 2 "unknown option '--${option%?}'" "$c" "--${option%?}"
        done < <(dmlop "$c" --help=all |
            sed -nE 's/^ {2,6}(-[a-zA-Z], )?--([a-zA-Z-]+)(\[=[A-Z]+\]| ([A-Z=]+))?( .*|$)/\2 \3/p')
        [ "$n" -ge 3 ] || fail "$c: $n options read from the help"
    done
}

@test "numbers of options are whole and decimal" {
    dmlop make --sizes 3 --fill 0 -o x.npy
    for option in threads repeat; do
        for n in +4 ' 4' $'\t4' '4 ' 04 0x4 4.0 1e1 -4 '' 99999999999999999999; do
            refuses 2 "--$option: '" slice x.npy -o y.npy "--$option=$n"
        done
    done
    assert_only_files x.npy
}

@test "a closed pipe is quiet where SIGPIPE is ignored, too" {
    dmlop make --sizes 3,4 --range -o x.npy
    "$PYTHON" - <<'P'
import os, signal, subprocess

for args in [["--help"], ["--version"], ["slice", "--help"], ["slice", "x.npy"],
             ["slice", "x.npy", "--format", "json"], ["slice", "x.npy", "--emit-descriptor"],
             ["validate", "--rules"]]:
    r, w = os.pipe()
    os.close(r)
    p = subprocess.run([os.environ["DMLOP"]] + args, stdout=w, stderr=subprocess.PIPE,
                       restore_signals=False,
                       preexec_fn=lambda: signal.signal(signal.SIGPIPE, signal.SIG_IGN))
    os.close(w)
    assert (p.returncode, p.stderr) == (4, b""), (args, p)
P
}

@test "closed standard streams: no message and no result goes into another's file" {
    dmlop make --sizes 12 --range -o x.npy
    dmlop topk -k 2 x.npy -o v.npy --indices i.npy
    for closed in '<&-' '>&-' '2>&-' '<&- >&- 2>&-'; do
        bash -c "\"\$1\" topk -k 2 x.npy -o a.npy --indices b.npy -v --timings $closed" _ "$DMLOP" \
            2>/dev/null
        assert_same_file v.npy a.npy
        assert_same_file i.npy b.npy
    done
    rm a.npy b.npy
    run -4 bash -c '"$1" topk -k 2 x.npy --indices b.npy >&-' _ "$DMLOP"
    assert_output --partial "standard output: cannot write"
    run -3 bash -c '"$1" slice - <&-' _ "$DMLOP"
    assert_only_files x.npy v.npy i.npy
}

@test "help opens the manual page where there is a man, and prints the options where not" {
    mkdir bin none
    printf '#!/bin/sh\necho "page $1"\n' >bin/man
    chmod +x bin/man
    assert_equal "$(PATH=$PWD/bin:$PATH dmlop help slice)" "page dmlop-slice"
    dmlop slice --help >want
    local none="dmlop: help: warning: there is no man here, or no page dmlop-slice; this is what"
    none+=" the program says itself"
    run -0 --separate-stderr env PATH="$PWD/none" "$DMLOP" help slice
    assert_equal "$output" "$(cat want)"
    assert_equal "$stderr" "$none"
    printf '#!/bin/sh\necho "no such page" >&2\nexit 16\n' >bin/man
    run -0 --separate-stderr env PATH="$PWD/bin:$PATH" "$DMLOP" help slice
    assert_equal "$output" "$(cat want)"
    assert_equal "$stderr" "$none"
    dmlop --help >want
    for words in '' '--help' 'help'; do
        # shellcheck disable=SC2086 # none or one
        dmlop help $words >got
        assert_same_file want got
    done
    for topic in rules descriptor model parts dump operators; do
        printf '#!/bin/sh\necho "page $1"\n' >bin/man
        assert_equal "$(PATH=$PWD/bin:$PATH dmlop help "$topic")" "page dmlop-$topic"
        case $topic in
        rules) dmlop validate --rules >want ;;
        descriptor) dmlop validate --template=slice1 >want ;;
        model) dmlop validate --template=model >want ;;
        parts) dmlop join --help >want ;;
        dump) dmlop validate --dump-header >want ;;
        operators) PATH=$PWD/none dmlop help operators 2>/dev/null >want ;;
        esac
        PATH=$PWD/none dmlop help "$topic" >got 2>/dev/null
        assert_same_file want got
    done
    assert_equal "$(grep -c '^[A-Z]' want)" 177 # operators
    for name in GEMM gemm DML_OPERATOR_GEMM; do
        assert_equal "$(dmlop help $name)" "$(dmlop validate --template=gemm)"
    done
    run -2 dmlop help descriptors
    assert_line "dmlop: help: there is no help on 'descriptors'; did you mean 'descriptor'?"
    refuses 2 "takes the name of one command" help slice topk
    refuses 2 "slic" help slic
}

@test "words of other programs get the command or the type that is meant" {
    local name
    while IFS='|' read -r name meant; do
        refuses 2 "unknown command '$name'; did you mean '$meant'?" "$name" x.npy
    done <<'END'
sort|topk -k all
argmax|topk -k 1 --indices FILE
diff|compare
cat|show
head|show
reshape|convert --sizes LIST
transpose|convert --permute AXES
END
    for name in fp16=float16 half=float16 u8=uint8 i32=int32 S8=int8 f64=float64 double=float64 \
        bf16=bfloat16; do
        refuses 2 "'${name%=*}'; did you mean '${name#*=}'?" convert --dtype "${name%=*}" x.npy
    done
    for name in u9 f fp x8 ''; do
        refuses 2 "; the types are FLOAT32" convert --dtype "$name" x.npy
    done
    refuses 2 "; the types are FLOAT32" make --sizes 2 --range --dtype bf16
}

@test "help fits 80 columns and 60 lines, and a narrower terminal" {
    local c
    for c in "" $(dmlop --help | sed -nE 's/^  ([a-z]+) {2,}.*/\1/p'); do
        [ "$c" != help ] || continue
        [ "$(env -u COLUMNS "$DMLOP" $c --help | wc -l)" -le 60 ] || fail "$c: too many lines"
        run env -u COLUMNS "$DMLOP" $c --help${c:+=all}
        refute_regex "$output" $'(^|\n)[^\n]{81}'
        for all in ${c:+=all} ""; do
            run env COLUMNS=48 "$DMLOP" $c --help$all
            refute_regex "$output" $'(^|\n)[^\n]{49}'
        done
    done
}
