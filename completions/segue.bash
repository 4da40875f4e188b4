# Bash completion for segue.  The words come from the program itself.
_segue()
{
    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} command=${COMP_WORDS[1]}
    COMPREPLY=()
    if [ "$COMP_CWORD" -eq 1 ]; then
        mapfile -t COMPREPLY < <(compgen -W "$(segue help --words)" -- "$cur")
        return
    fi
    case $prev in
    --policy | -p)
        local list=${cur%"${cur##*,}"} # what stands before the last comma
        mapfile -t COMPREPLY < <(compgen -P "$list" -W "$(segue help --words policies)" -- "${cur##*,}")
        ;;
    --format | -f)
        mapfile -t COMPREPLY < <(compgen -W "table csv json" -- "$cur")
        ;;
    --rewards)
        mapfile -t COMPREPLY < <(compgen -W "bernoulli beta: normal: twopoint:" -- "$cur")
        ;;
    --models | -m | --estimated | -e | --switch-to | --out | -o | --curve)
        mapfile -t COMPREPLY < <(compgen -f -- "$cur")
        ;;
    help)
        mapfile -t COMPREPLY < <(compgen -W "policies $(segue help --words)" -- "$cur")
        ;;
    *)
        mapfile -t COMPREPLY < <(compgen -W "$(segue help --words "$command" 2>/dev/null)" -- "$cur")
        ;;
    esac
}
complete -o filenames -F _segue segue
