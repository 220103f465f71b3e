
# What is being typed is $cur. Names that end in one of the extensions, and folders.
_dmlop_files() {
    local name typed=${cur#[\'\"]} home=${HOME-}
    typed=${typed//\\/}
    compopt -o filenames 2>/dev/null
    while IFS= read -r name; do
        [[ -d ${name/#\~\//$home/} || " $* " == *" ${name##*.} "* && $name == *.* ]] && COMPREPLY+=("$name")
    done < <(compgen -f -- "$typed")
}

_dmlop_words() {
    local word
    for word in "$@"; do
        [[ $word == "$cur"* ]] && COMPREPLY+=("$word")
    done
    [[ ${#COMPREPLY[@]} == 1 && ${COMPREPLY[0]} == *= ]] && compopt -o nospace 2>/dev/null
    return 0
}

# NAME=PATH: the names, then tensor files.
_dmlop_bind() {
    if [[ $cur == *=* ]]; then
        before+=${cur%%=*}=
        cur=${cur#*=}
        _dmlop_files npy npz json csv tsv
    elif [[ $bound ]]; then
        _dmlop_files npy npz json csv tsv
    else
        _dmlop_words "${@/%/=}"
    fi
}

# The options that begin with what is typed; fails where no option is being typed.
_dmlop_options() {
    [[ $cur == -* && ! $operands ]] || return 1
    _dmlop_words "$@"
}

# Readline splits words at '=' and ':': --format=json is three of them.
_dmlop() {
    local cur=${COMP_WORDS[COMP_CWORD]} i=$((COMP_CWORD - 1)) before='' bound='' operands='' option='' word
    COMPREPLY=()
    for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do [[ $word == -- ]] && operands=1; done
    if [[ $cur == = ]]; then
        cur=
    elif ((i > 0)) && [[ ${COMP_WORDS[i]} == = ]]; then
        ((i--))
    elif [[ $cur == --*=* && ! $operands ]]; then
        before=${cur%%=*}=
        option=$before
        cur=${cur#*=}
    elif ((i > 0)); then
        option=${COMP_WORDS[i]}
    fi
    if [[ ! $option ]] && ((i > 0)); then
        case ${COMP_WORDS[i]} in
        --*) option=${COMP_WORDS[i]}= ;;
        *) # NAME of --bind NAME=PATH or of --bind=NAME=PATH
            bound=1
            ((i--))
            [[ ${COMP_WORDS[i]} == = ]] && ((i--))
            option=${COMP_WORDS[i]}
            ;;
        esac
    fi
    [[ $operands ]] && option=
    if ((COMP_CWORD == 1)); then
        _dmlop_options --help --version || _dmlop_words "${_dmlop_commands[@]}"
    elif [[ ${COMP_WORDS[1]} == --version || ${COMP_WORDS[1]} == -V ]]; then
        case ${option%=} in
        --format) _dmlop_words text json ;;
        *) _dmlop_options --format ;;
        esac
    elif declare -F "_dmlop_command_${COMP_WORDS[1]}" >/dev/null; then
        "_dmlop_command_${COMP_WORDS[1]}" "$option"
    fi
    COMPREPLY=("${COMPREPLY[@]/#/$before}")
}

complete -F _dmlop dmlop
