# Fish completion for segue.  The program itself prints the candidates, with their descriptions.
# SPDX-License-Identifier: Apache-2.0

function __segue_complete
    set -l words (commandline --cut-at-cursor --tokenize --current-process)
    set -l current (commandline --cut-at-cursor --current-token)
    set -l found (segue help --complete $words[2..-1] "$current" 2> /dev/null)
    if test "$found" = FILE
        set -l option (string match --regex '^--[^=]*=' -- "$current")
        for path in (__fish_complete_path (string replace -- "$option" "" "$current"))
            echo "$option$path"
        end
        return
    end
    printf '%s\n' $found
end

complete --command segue --no-files --arguments '(__segue_complete)'
