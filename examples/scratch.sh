# Read in by the examples: a cluster of their own, which goes when they end, and `run`, which shows a command as one
# would type it and then runs it. Without a `sim` on PATH, the one that quickstart.sh has installed serves.
PATH=$PATH:$(cd "$(dirname "$0")/.." && pwd)/.venv/bin
SLIMSCHED_STATE=$(mktemp -d)
export SLIMSCHED_STATE
trap 'rm -rf "$SLIMSCHED_STATE"' EXIT

run() {
    printf '\n$'
    for word; do
        case $word in *[!A-Za-z0-9_=./,:+@%^-]*) printf " '%s'" "$word" ;; *) printf ' %s' "$word" ;; esac
    done
    printf '\n'
    "$@"
}
