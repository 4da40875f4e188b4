# Bash completion for segue.  The words come from the program itself.
_segue()
{
    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} command=${COMP_WORDS[1]}
    COMPREPLY=()
    if [ "$prev" = "=" ]; then # --format=c: the shell splits at the sign
        prev=${COMP_WORDS[COMP_CWORD-2]}
    elif [ "$cur" = "=" ]; then
        prev=${COMP_WORDS[COMP_CWORD-1]}
        cur=""
    fi
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
        compopt -o nospace 2> /dev/null
        mapfile -t COMPREPLY < <(compgen -W "bernoulli beta normal twopoint" -- "$cur")
        ;;
    --method | -M)
        mapfile -t COMPREPLY < <(compgen -W "rtp algorithm-b eca em types" -- "$cur")
        ;;
    --order)
        mapfile -t COMPREPLY < <(compgen -W "shuffle file" -- "$cur")
        ;;
    --models | -m | --log | --token-file | --access-log | --create | --file | --estimated | -e | --switch-to | --out | -o | --curve | --explain | --save | --load | --experiments)
        mapfile -t COMPREPLY < <(compgen -f -- "$cur")
        ;;
    help)
        mapfile -t COMPREPLY < <(compgen -W "policies $(segue help --words)" -- "$cur")
        ;;
    --timing | --demo | --delete | --probability | --quiet | -q | --quick | --resume | --fresh | --redraw | [!-]*)
        mapfile -t COMPREPLY < <(compgen -W "$(segue help --words "$command" 2> /dev/null)" -- "$cur")
        if [[ $command == store && $cur != -* ]]; then
            mapfile -t COMPREPLY < <(compgen -W "check upgrade export import" -- "$cur")
        fi
        if [[ $command == @(estimate|run|merge) && $cur != -* ]]; then
            mapfile -t COMPREPLY < <(compgen -f -- "$cur")
        fi
        ;;
    esac # after an option that takes a number there is nothing to offer
}
complete -o filenames -F _segue segue
