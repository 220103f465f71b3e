
# Whether the command line has this command, or, without one, none yet.
function __dmlop_using
    set -l words (commandline -opc)
    test "$words[2]" = "$argv[1]"
end

# Names that end in one of the extensions, and folders.
function __dmlop_files
    set -l typed (commandline -ct | string replace -r '^--[^=]*=' '')
    __dmlop_paths "$typed" $argv
end

function __dmlop_paths
    set -l ends (string join '|' '/' '\.'$argv[2..-1])
    __fish_complete_path "$argv[1]" | string replace -r '\t.*' '' | string match -r ".*(?:$ends)\$"
end

# NAME=PATH: the names, then tensor files.
function __dmlop_bind
    set -l typed (commandline -ct | string replace -r '^--bind=' '')
    if string match -q '*=*' -- $typed
        set -l name (string replace -r '=.*' '=' -- $typed)
        printf '%s\n' $name(__dmlop_paths (string replace -r '^[^=]*=' '' -- $typed) npy npz json csv tsv)
    else
        printf '%s=\n' $argv
    end
end

complete -c dmlop -f
complete -c dmlop -n '__dmlop_using ""' -l help -d 'list the commands'
complete -c dmlop -n '__dmlop_using ""' -l version -d 'name the version and its kernels'
complete -c dmlop -n '__dmlop_using --version' -l format -x -a 'text json' -d 'how it is printed'
