
# Names that end in one of the extensions, and folders.
_dmlop_files() {
    local -a tags
    tags=('folders:folder:_path_files -/')
    (( $# )) && tags=("files:file:_path_files -g '*.(${(j:|:)@})(-.)'" $tags)
    _alternative $tags
}

# NAME=PATH: the names, then tensor files.
_dmlop_bind() {
    if compset -P '*='; then
        _dmlop_files npy npz json csv tsv
    else
        compadd -S = -- "$@"
    fi
}

_dmlop() {
    local context state line
    typeset -A opt_args
    if (( CURRENT == 2 )); then
        if [[ $PREFIX == -* ]]; then
            _arguments '--help[list the commands]' '--version[name the version and its kernels]'
        else
            _dmlop_commands
        fi
    elif [[ $words[2] == (--version|-V) ]]; then
        shift words
        (( CURRENT-- ))
        _arguments '--format=[how it is printed]:FORMAT:(text json)'
    elif (( $+functions[_dmlop_command_$words[2]] )); then
        shift words
        (( CURRENT-- ))
        _dmlop_command_$words[1]
    fi
}

if [[ $funcstack[1] == _dmlop ]]; then
    _dmlop "$@"
else
    compdef _dmlop dmlop
fi
