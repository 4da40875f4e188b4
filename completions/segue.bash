# Bash completion for segue.  The program itself prints the candidates.

# _segue_argument COMMAND OPTION: print the argument that help names, such as FILE; nothing for a flag.
_segue_argument()
{
    segue help "$1" 2> /dev/null | awk -v option="$2" '
        /^ +-/ {
            sub(/,/, "", $1)
            at = $1 ~ /^--/ ? 2 : 3
            if ($1 == option || $(at - 1) == option) {
                if ($at ~ /^[A-Z\/,]+$/)
                    print $at
                exit
            }
        }'
}

_segue()
{
    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} command=${COMP_WORDS[1]} takes=""
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
    [[ $prev == -* ]] && takes=$(_segue_argument "$command" "$prev")
    case $takes in
    FILE | FOLDER)
        mapfile -t COMPREPLY < <(compgen -f -- "$cur")
        return
        ;;
    "") # a flag, or not an option
        if [ "$prev" = help ]; then
            mapfile -t COMPREPLY < <(compgen -W "$(segue help --words help) $(segue help --words)" -- "$cur")
        elif [[ $command == store && $cur != -* ]]; then
            mapfile -t COMPREPLY < <(compgen -W "check upgrade export import" -- "$cur")
        elif [[ $command == @(estimate|tally|replay|plan|learn|run|merge|plot) && $cur != -* ]]; then
            mapfile -t COMPREPLY < <(compgen -f -- "$cur")
        else
            mapfile -t COMPREPLY < <(compgen -W "$(segue help --words "$command" 2> /dev/null)" -- "$cur")
        fi
        return
        ;;
    esac
    case $prev in
    --policy | -p)
        local list=${cur%"${cur##*,}"} # up to the last comma
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
        [ "$command" = learn ] && takes=policies || takes=methods
        mapfile -t COMPREPLY < <(compgen -W "$(segue help --words "$takes")" -- "$cur")
        ;;
    --order)
        mapfile -t COMPREPLY < <(compgen -W "$([ "$command" = learn ] || echo "shuffle ")file$([[ $command == @(replay|learn) ]] && echo " time")" -- "$cur")
        ;;
    --play)
        mapfile -t COMPREPLY < <(compgen -W "auto resampling replay" -- "$cur")
        ;;
    --delimiter)
        mapfile -t COMPREPLY < <(compgen -W "comma tab semicolon pipe" -- "$cur")
        ;;
    --missing)
        mapfile -t COMPREPLY < <(compgen -W "error skip" -- "$cur")
        ;;
    --kernel)
        mapfile -t COMPREPLY < <(compgen -W "fast plain" -- "$cur")
        ;;
    esac # numbers are not completed
}
complete -o filenames -F _segue segue
