"""The command ``sim completion``: it prints the script that lets a shell complete ``sim``'s command lines.

The script hands the words typed so far back to ``sim completion words``, which answers with one candidate a line,
a tab, and what it is. That never fails and never writes to standard error: it runs in the middle of a prompt.
"""

from __future__ import annotations

import click

from slimsched.cli.app import Application
from slimsched.cli.completion.values import Words
from slimsched.errors import UserError

BASH = """\
# bash completion of sim: eval "$(sim completion bash)"
_sim_complete() {
    local i=1 count=0 word joined=0 reply candidate
    local -a words
    if [ "${COMP_WORDS[0]##*/}" != sim ]; then
        words[0]=${COMP_WORDS[0]##*/}
        count=1
    fi
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
complete -o default -F _sim_complete {names}
"""

ZSH = """\
#compdef {names}
# zsh completion of sim: eval "$(sim completion zsh)", or this text as _sim in a directory of $fpath
_sim() {
    local line value
    local -a values shown open open_shown line_words
    line_words=("${(@)words[2,CURRENT]}")
    [[ ${words[1]:t} == sim ]] || line_words=("${words[1]:t}" "${line_words[@]}")
    while IFS= read -r line; do
        value=${line%%$'\\t'*}
        if [[ $value == *= ]]; then
            open+=("$value")
            open_shown+=("${line/$'\\t'/  -- }")
        else
            values+=("$value")
            shown+=("${line/$'\\t'/  -- }")
        fi
    done < <(command sim completion words "${(@)line_words}" 2>/dev/null)
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
    compdef _sim {names}
fi
"""

FISH = """\
# fish completion of sim: sim completion fish | source
function __sim_complete
    set -l words (commandline -opc) (commandline -ct)
    set words[1] (string replace -r '.*/' '' -- $words[1])
    test $words[1] = sim; and set -e words[1]
    set -l found (command sim completion words $words 2>/dev/null)
    if set -q found[1]
        printf '%s\\n' $found
    else
        __fish_complete_path (commandline -ct)
    end
end
for name in {names}
    complete -c $name -f -a '(__sim_complete)'
end
"""

SCRIPTS = {"bash": BASH, "zsh": ZSH, "fish": FISH}
"""Shell -> its script; ``{names}`` are the commands that are completed."""

PLACES = """\
\b
To have it in every shell, add a line to its start-up file:
  ~/.bashrc                    eval "$(sim completion bash)"
  ~/.zshrc, behind compinit    eval "$(sim completion zsh)"
  ~/.config/fish/config.fish   sim completion fish | source
"""


@click.command(name="completion", epilog=PLACES, context_settings={"allow_interspersed_args": False})
@click.option("--shims", is_flag=True, help="Complete sbatch, squeue and the other names of sim shims, too.")
@click.argument("shell", metavar="bash|zsh|fish", required=False, type=Words(tuple(SCRIPTS)))
@click.argument("line", metavar="", nargs=-1, type=click.UNPROCESSED)
@click.pass_obj
def command(app: Application, shims: bool, shell: str | None, line: tuple[str, ...]) -> None:
    """Print the script that completes sim's command lines in a shell.

    The script asks sim completion words WORD... for the candidates for the last word.
    """
    if shell == "words":
        from slimsched.cli.completion.words import candidates

        found = candidates(line)
        app.out("".join(f"{each.value}\t{each.help}".rstrip("\t") + "\n" for each in found), end="")
    elif shell in SCRIPTS and not line:
        from slimsched.cli.subcommands import COMMANDS, SLURM

        names = ["sim", *(name for name, entry in COMMANDS.items() if shims and entry.kind == SLURM)]
        app.out(SCRIPTS[shell].replace("{names}", " ".join(names)), end="")
    else:
        raise UserError(f"name a shell: {', '.join(SCRIPTS)}")
