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

# _segue_offer LIST: offer those of a list that begin with what is typed.
_segue_offer()
{
    mapfile -t COMPREPLY < <(compgen -W "$1" -- "$cur")
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
        _segue_offer "$(segue help --words)"
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
            _segue_offer "$(segue help --words help) $(segue help --words)"
        elif [[ $command == store && $cur != -* ]]; then
            _segue_offer "check upgrade export import"
        elif [[ $command == @(estimate|tally|replay|plan|learn|run|merge|plot) && $cur != -* ]]; then
            mapfile -t COMPREPLY < <(compgen -f -- "$cur")
        else
            _segue_offer "$(segue help --words "$command" 2> /dev/null)"
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
        [ "$command" = plot ] && takes="svg pdf png" || takes="table csv json"
        _segue_offer "$takes"
        ;;
    --rewards)
        compopt -o nospace 2> /dev/null
        _segue_offer "bernoulli beta normal twopoint"
        ;;
    --method | -M)
        [ "$command" = learn ] && takes=learner-methods || takes=methods
        _segue_offer "$(segue help --words "$takes")"
        ;;
    --order)
        _segue_offer "$([ "$command" = learn ] || echo "shuffle ")file$([[ $command == @(replay|learn) ]] && echo " time")"
        ;;
    --play)
        _segue_offer "urn rows"
        ;;
    --views)
        _segue_offer "symmetric paper"
        ;;
    --batches)
        _segue_offer "interleaved consecutive"
        ;;
    --weights)
        _segue_offer "least-squares lambda"
        ;;
    --kind)
        _segue_offer "steps tasks models"
        ;;
    --track)
        _segue_offer "regret complexity error eps resolved distance fresh_error types"
        ;;
    --log)
        [ "$command" = plot ] && _segue_offer "x y xy"
        ;;
    --delimiter)
        _segue_offer "comma tab semicolon pipe"
        ;;
    --missing)
        _segue_offer "error skip"
        ;;
    --kernel)
        _segue_offer "fast plain"
        ;;
    esac # numbers are not completed
}
complete -o filenames -F _segue segue
