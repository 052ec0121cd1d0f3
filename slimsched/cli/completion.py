"""``sim completion``: the script that makes a shell complete ``sim``'s command lines.

The script hands the words typed so far back to ``sim completion words``, which answers with one candidate a line,
a tab, and what it is. That never fails and never writes to standard error: it runs in the middle of a prompt.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from slimsched.cli.command import OURS, STANDARD_H, Given, Option, SlurmCommand
from slimsched.errors import UserError

if TYPE_CHECKING:
    from slimsched.cli.app import Application

BASH = """\
# bash completion of sim: eval "$(sim completion bash)"
_sim_complete() {
    local i=1 count=0 word joined=0 reply candidate
    local -a words
    # bash splits words at = and :, and completes only the last part
    while [ "$i" -le "$COMP_CWORD" ]; do
        word=${COMP_WORDS[i]}
        if [ "$count" -gt 0 ] && { [ "$joined" = 1 ] || [[ $word == [=:]* ]]; }; then
            words[count-1]+=$word
        else
            words[count]=$word
            count=$((count + 1))
        fi
        joined=0
        case $word in *[=:]) joined=1 ;; esac
        i=$((i + 1))
    done
    word=${words[count-1]}
    reply=${COMP_WORDS[COMP_CWORD]}
    case $reply in [=:]*) reply=${reply#[=:]} ;; esac
    COMPREPLY=()
    while IFS= read -r candidate; do
        candidate=${candidate%%$'\\t'*}
        COMPREPLY+=("${candidate:$((${#word} - ${#reply}))}")
    done < <(command sim completion words "${words[@]}" 2>/dev/null)
    if [ "${#COMPREPLY[@]}" = 1 ] && [[ ${COMPREPLY[0]} == *= ]]; then
        compopt -o nospace 2>/dev/null
    fi
}
complete -o default -F _sim_complete sim
"""

ZSH = """\
#compdef sim
# zsh completion of sim: eval "$(sim completion zsh)", or this text as _sim in a directory of $fpath
_sim() {
    local line value
    local -a values shown open open_shown
    while IFS= read -r line; do
        value=${line%%$'\\t'*}
        if [[ $value == *= ]]; then
            open+=("$value")
            open_shown+=("${line/$'\\t'/  -- }")
        else
            values+=("$value")
            shown+=("${line/$'\\t'/  -- }")
        fi
    done < <(command sim completion words "${(@)words[2,CURRENT]}" 2>/dev/null)
    if (( $#values + $#open == 0 )); then
        _files
        return
    fi
    (( $#values )) && compadd -l -d shown -a values
    (( $#open )) && compadd -l -S '' -d open_shown -a open
}
if [[ $zsh_eval_context[-1] == loadautofunc ]]; then
    _sim "$@"
else
    compdef _sim sim
fi
"""

FISH = """\
# fish completion of sim: sim completion fish | source
function __sim_complete
    set -l words (commandline -opc) (commandline -ct)
    set -l found (command sim completion words $words[2..-1] 2>/dev/null)
    if set -q found[1]
        printf '%s\\n' $found
    else
        __fish_complete_path (commandline -ct)
    end
end
complete -c sim -f -a '(__sim_complete)'
"""

SCRIPTS = {"bash": BASH, "zsh": ZSH, "fish": FISH}
OPTIONS = (*(Option(o.long, o.short, o.arg, o.help, OURS) for o in STANDARD_H),)


def run(app: Application, given: Given, args: list[str]) -> int:
    """Print the script of a shell; with ``words`` the candidates for the last of the words that follow."""
    if args[:1] == ["words"]:
        from slimsched.cli.completion_words import candidates

        lines = [f"{text}\t{said}" if said else text for text, said in candidates(args[1:])]
        if lines:
            app.out("\n".join(lines))
        return 0
    if len(args) != 1 or args[0] not in SCRIPTS:
        raise UserError(f"name a shell: {', '.join(SCRIPTS)}")
    app.out(SCRIPTS[args[0]], end="")
    return 0


command = SlurmCommand(
    "sim completion",
    OPTIONS,
    run,
    summary="Print the script that completes sim's command lines in a shell",
    arguments="bash|zsh|fish",
    posix=True,
    usage_exit=2,
)
