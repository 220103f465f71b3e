# Completions: what bash, zsh, fish and PowerShell offer with the scripts that dmlop prints.
load helper

# shell NAME: its script is in the current folder; the test is skipped where the shell is not
# installed.
shell() {
    command -v "$1" >/dev/null || skip "$1 is not installed"
    SHELL_NAME=$1
    dmlop completion "$1" >"script.$1"
}

# offers LINE...: what the shell offers at the end of each, a line each, in a folder with a file of
# each kind.
offers() {
    mkdir -p files/folder
    (
        cd files || exit 1
        touch a.npy b.npz c.json d.csv d.tsv d.txt d.html e.dat f.bin 'my file.npy'
        printf '%s\n' "$@" | "$PYTHON" "$BATS_TEST_DIRNAME/complete.py" "$SHELL_NAME" \
            "$T/script.$SHELL_NAME"
    )
}

# check_offers: reads LINE|OFFERS lines, checks all of them.
check_offers() {
    local table lines
    table=$(cat)
    mapfile -t lines < <(cut -d'|' -f1 <<<"$table")
    diff -u <(cut -d'|' -f2 <<<"$table") <(offers "${lines[@]}" | alike)
}

# alike: offers without what shells write differently: escaped blanks, folders with '/', the part of
# a word before '='.
alike() {
    sed -E 's/\\ / /g
        s|folder/|folder|g
        s/(^| )--[a-zA-Z-]+=(InputTensor=)?([^ ])/\1\3/g
        s/InputTensor=([^ ])/\1/g'
}

offers_of_every_shell() {
    check_offers <<'END'
dmlop --|--help --version
dmlop --version --format |json text
dmlop sl|slice
dmlop slice -d |c.json folder
dmlop slice --descriptor |c.json folder
dmlop slice --descriptor=|c.json folder
dmlop slice --emit-model=|c.json folder
dmlop slice --timings=|c.json folder
dmlop slice --format |csv json npy raw tsv
dmlop slice --format=j|json
dmlop slice --index |
dmlop slice --offsets |
dmlop slice --threads |
dmlop slice --kernel r|reference
dmlop slice --kernel amx|
dmlop slice --bind InputTensor=|a.npy b.npz c.json d.csv d.tsv folder my file.npy
dmlop slice --bind=InputTensor=a|a.npy
dmlop slice |a.npy b.npz c.json d.csv d.tsv folder my file.npy
dmlop slice a.npy -o |a.npy b.npz c.json d.csv d.tsv folder my file.npy
dmlop slice m|my file.npy
dmlop slice --quiet a.npy --dtype int|int16 int32 int64 int8
dmlop slice -- |a.npy b.npz c.json d.csv d.tsv folder my file.npy
dmlop slice -- --|
dmlop slice --output-dir |folder
dmlop topk -k |
dmlop topk --indices |a.npy b.npz c.json d.csv d.tsv folder my file.npy
dmlop topk --index-type |int64 uint32 uint64
dmlop qmatmul --a-scale |a.npy b.npz c.json d.csv d.tsv folder my file.npy
dmlop qmatmul --explain |
dmlop validate |c.json folder
dmlop validate --fix -o |c.json folder
dmlop validate --schema=sl|slice slice1 slice_grad
dmlop validate --template=g|gather gather_elements gather_nd gather_nd1 gemm gru
dmlop validate --template=mo|model
dmlop validate --explain slice.s|slice.stride-zero
dmlop validate --feature-level 5|5_0 5_1 5_2
dmlop validate --feature-level 6|6_0 6_1 6_2 6_3 6_4
dmlop validate --schema=de|depth_to_space depth_to_space1 dequantize descriptor
dmlop validate --format |json sarif text
dmlop run |c.json folder
dmlop run --kernel amx|amx
dmlop run -I |folder
dmlop convert |a.npy b.npz c.json d.csv d.tsv e.dat f.bin folder my file.npy
dmlop convert a.npy -o |a.npy b.npz c.json d.csv d.tsv e.dat f.bin folder my file.npy
dmlop make -o |a.npy b.npz c.json d.csv d.tsv e.dat f.bin folder my file.npy
dmlop join -o |a.npy folder my file.npy
dmlop join --indices |a.npy folder my file.npy
dmlop compare --atol |
dmlop compare a.npy |a.npy b.npz c.json d.csv d.tsv folder my file.npy
dmlop help v|validate
dmlop completion |bash fish powershell zsh
dmlop nothing |
END
}

# Every command is offered, and of every command exactly the options of its help.
every_option_of_the_help() {
    local commands c lines=() want=()
    mapfile -t commands < <(dmlop --help | sed -nE 's/^  ([a-z]+) {2,}.*/\1/p')
    lines=("dmlop ")
    want=("$(printf '%s\n' "${commands[@]}" | LC_ALL=C sort | paste -sd' ')")
    for c in "${commands[@]}"; do
        [ "$c" != help ] || continue
        lines+=("dmlop $c --")
        want+=("$(dmlop "$c" --help=all | grep -oE '^ {2,6}(-[a-zA-Z], )?--[a-zA-Z-]+' |
            grep -oE -- '--[a-zA-Z-]+' | LC_ALL=C sort | paste -sd' ')")
    done
    diff -u <(printf '%s\n' "${want[@]}") <(offers "${lines[@]}" | sed 's/ --[a-zA-Z-]*=//g')
}

# An option that takes no word of a list and no file gets nothing; the help's FILE gets files.
values_of_every_option() {
    local c option value lines=() kinds=() i=0
    while read -r c option value; do
        lines+=("dmlop $c --$option=")
        kinds+=("$value")
    done < <(for c in $(dmlop --help | sed -nE 's/^  ([a-z]+) {2,}.*/\1/p'); do
        [ "$c" = help ] || dmlop "$c" --help=all |
            sed -nE "s/^ +(-[A-z], )?--([A-Za-z-]+)(\[=([A-Z]+)\]| ([A-Z=]+))( .*|\$)/$c \2 \4\5/p"
    done)
    [ ${#lines[@]} -gt 90 ]
    while IFS= read -r offered; do
        case ${kinds[i]} in
        FILE) [[ ${lines[i]} == "dmlop join --"[oi]* && $offered == *a.npy* &&
            $offered != *c.json* ]] || [[ $offered == *c.json* ]] ;;
        DIR | FOLDER) [[ $offered == *folder* && $offered != *c.json* ]] ;;
        N | K | L | A | X | LIST | SPEC | SECONDS | INDEX) [[ $offered != *c.json* ]] ;;
        FORMAT | TYPE | WHEN | LAYOUT | RULE) [[ -n $offered && $offered != *c.json* ]] ;;
        *) true ;;
        esac || fail "${lines[i]} ${kinds[i]}: $offered"
        i=$((i + 1))
    done < <(offers "${lines[@]}")
    assert_equal "$i" "${#lines[@]}"
}

@test "bash: what is offered" {
    shell bash
    offers_of_every_shell
    check_offers <<'END'
dmlop slice --em|--emit-descriptor --emit-descriptor= --emit-model --emit-model=
dmlop slice --bind |InputTensor= OutputTensor=
END
}

@test "bash: options are those of the help, and values what they take" {
    shell bash
    every_option_of_the_help
    values_of_every_option
}

@test "bash: what is completed is what runs" {
    shell bash
    mkdir files
    run offers 'dmlop slice my!' 'dmlop sl!' 'dmlop slice --desc!' 'dmlop slice --descriptor=c!' \
        'dmlop slice "my!' 'dmlop slice --bind InputTensor=a!' 'dmlop slice ./a!' \
        'dmlop slice --form=!' $'dmlop slice --quie\ta!' $'dmlop slice --dty\tfloat3\ta!' \
        $'dmlop slice --bin\tIn\ta!'
    assert_output "slice my file.npy
slice
slice --descriptor
slice --descriptor=c.json
slice my file.npy
slice --bind InputTensor=a.npy
slice ./a.npy
slice --form=
slice --quiet a.npy
slice --dtype float32 a.npy
slice --bind InputTensor=a.npy"
}

@test "bash: the function alone, as other programs call it" {
    dmlop completion bash >script
    touch x.npy x.json
    run -0 bash -c 'set -u; source ./script
        COMP_WORDS=(dmlop slice -d ""); COMP_CWORD=3; _dmlop; echo "${COMPREPLY[@]}"
        COMP_WORDS=(dmlop slice --format=n); COMP_CWORD=2; _dmlop; echo "${COMPREPLY[@]}"
        complete -p dmlop'
    assert_output "x.json
--format=npy
complete -F _dmlop dmlop"
}

@test "zsh: what is offered" {
    shell zsh
    offers_of_every_shell
}

@test "zsh: options are those of the help, and values what they take" {
    shell zsh
    every_option_of_the_help
    values_of_every_option
}

@test "zsh: what is completed is what runs, and the script is found by itself" {
    shell zsh
    mkdir files
    run offers 'dmlop slice my!' 'dmlop slice --descriptor=c!' 'dmlop slice --bind InputTensor=a!' \
        'dmlop slice --forma!'
    assert_output "slice my file.npy
slice --descriptor=c.json
slice --bind InputTensor=a.npy
slice --format"
    mkdir functions
    cp script.zsh functions/_dmlop
    run -0 zsh -f -c '
        fpath=($PWD/functions $fpath)
        autoload -Uz compinit
        compinit -u -D
        echo $_comps[dmlop]
        autoload +X _dmlop
        whence -w _dmlop'
    assert_output "_dmlop
_dmlop: function"
}

@test "fish: what is offered" {
    shell fish
    offers_of_every_shell
    check_offers <<'END'
dmlop slice --bind |InputTensor= OutputTensor=
END
}

@test "fish: options are those of the help, and values what they take" {
    shell fish
    every_option_of_the_help
    values_of_every_option
}

@test "PowerShell: options are those of the help" {
    "$PYTHON" "$BATS_TEST_DIRNAME/completion_powershell.py"
}

@test "zsh and fish show the help of options" {
    command -v fish >/dev/null || skip "fish is not installed"
    dmlop completion fish >script
    run -0 fish --no-config \
        -c 'source script; complete -C "dmlop topk --smal"; complete -C "dmlop sli"'
    assert_output $'--smallest\tfind the smallest elements, the smallest first
slice\tcopy a strided window of a tensor'
}
