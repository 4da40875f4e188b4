# Bash completion for segue.  The program itself prints the candidates.
# SPDX-License-Identifier: Apache-2.0

_segue()
{
    local cur=${COMP_WORDS[COMP_CWORD]} found
    mapfile -t found < <(segue help --complete "${COMP_WORDS[@]:1:COMP_CWORD}" 2> /dev/null)
    if [ "${found[*]}" = FILE ]; then
        [ "$cur" = "=" ] && cur=""
        compopt -o filenames 2> /dev/null # only here: a command may have the name of a folder
        mapfile -t COMPREPLY < <(compgen -f -- "$cur")
        return
    fi
    COMPREPLY=("${found[@]%%$'\t'*}") # without descriptions
}
complete -F _segue segue
