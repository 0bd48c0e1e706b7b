# Functions that .ci/run and .ci/full share. Sourced, not run.
#
# A script that sources this file prints each step with its start in seconds, stops at the first step that fails, and
# prints the number of tests as its last line.

cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1
export CARGO_TERM_COLOR=never
# No debugger reads these builds, and nothing is built twice.
export CARGO_PROFILE_DEV_DEBUG=0 CARGO_INCREMENTAL=0
# The same generated texts in every run, so that a failure is caused by the change. `cargo test` alone tries new ones.
export PROPTEST_RNG_SEED=1
target=${CARGO_TARGET_DIR:-target}
mkdir -p "$target"
target=$(cd "$target" && pwd)
# Features outside the defaults that the workspace's tests cover. `float_roundtrip` changes how numbers are rounded; any
# crate in a build can turn it on.
optional=jsonspigot-tests/stream,jsonspigot-tests/schemars,jsonspigot-framing/stream,serde_json/float_roundtrip

logs=$(mktemp -d)
now=starting
lane=

if [ -n "${JSONSPIGOT_SHARED:-}" ] && [ ! -d "$JSONSPIGOT_SHARED" ]; then
    echo "JSONSPIGOT_SHARED names no folder: $JSONSPIGOT_SHARED" >&2
    exit 1
fi

step() {
    now=$1
    printf '\n== %s (%d s)\n' "$now" "$SECONDS"
}

# Runs a command and keeps its output, in which the summary counts the tests.
counted() {
    "$@" 2>&1 | tee -a "$logs/tests"
}

# `unless_missing WHAT COMMAND...`: runs a command that exits with 2 if something that it needs is not here.
unless_missing() {
    local status=0
    "${@:2}" || status=$?
    if [ "$status" = 2 ]; then
        echo "left out: $1 here"
    elif [ "$status" != 0 ]; then
        exit "$status"
    fi
}

# Finds or installs redis-server. If there is one, the app's tests may not skip what needs it.
find_redis() {
    local status=0
    .ci/redis || status=$?
    case $status in
        0) export CHAT_NEEDS_REDIS=1 ;;
        2) echo "left out: no redis-server here" ;;
        *) exit "$status" ;;
    esac
}

# `beside FUNCTION...`: runs the functions one after the other in the background, in a process group of their own.
# `join FUNCTION` waits for one, prints its output and returns its status.
beside() {
    set -m
    (
        for name in "$@"; do
            status=0
            SECONDS=0
            ("$name") >"$logs/$name" 2>&1 || status=$?
            printf 'took %d s, beside the steps above\n' "$SECONDS" >>"$logs/$name"
            echo "$status" >"$logs/$name.part"
            mv "$logs/$name.part" "$logs/$name.status"
        done
    ) </dev/null &
    lane=$!
    set +m
}
join() {
    while [ ! -e "$logs/$1.status" ] && kill -0 "$lane" 2>/dev/null; do
        sleep 1
    done
    tee -a "$logs/tests" <"$logs/$1"
    return "$(cat "$logs/$1.status" || echo 1)"
}

# Copies the programs that the packages' tests run out of the way of later builds, and names them.
copy_programs() {
    cargo build --quiet --package jsonspigot-cli --bins --examples
    mkdir -p "$target/beside"
    cp "$target"/debug/{jsonspigot,examples/{signals,rewriting}} "$target/beside"
    export JSONSPIGOT_COMMAND=$target/beside/jsonspigot JSONSPIGOT_SIGNALS=$target/beside/signals
    export JSONSPIGOT_REWRITING=$target/beside/rewriting
}

# Prints the number of tests: cargo's lines `test result: ok. 16 passed; …`, pytest's `16 passed in …`, node's `# pass 16`.
summary() {
    local status=$?
    [ -z "$lane" ] || kill -- "-$lane" 2>/dev/null || true
    if [ "$status" -ne 0 ]; then
        printf '\nfailed: %s\n' "$now"
    fi
    touch "$logs/tests"
    awk '
        /^test result: / { passed += $4; failed += $6 }
        /^[0-9]+ passed.* in / { passed += $1 }
        /^[0-9]+ failed.* in / { failed += $1; for (i = 2; i <= NF; i++) if ($i ~ /^passed/) passed += $(i - 1) }
        /^# pass [0-9]+$/ { passed += $3 }
        /^# fail [0-9]+$/ { failed += $3 }
        /^ℹ pass [0-9]+$/ { passed += $3 }
        /^ℹ fail [0-9]+$/ { failed += $3 }
        END { printf "%d passed, %d failed\n", passed, failed }
    ' "$logs/tests"
    rm -rf "$logs"
    exit "$status"
}
trap summary EXIT
