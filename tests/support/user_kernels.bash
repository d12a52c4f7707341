# tests/support/user_kernels.bash: verdicts.bash, and what tests of users' kernels need: $sources, the folder k of kernels, and
# one in which they are compiled. Ends the test, skipped, where that is not there.
# shellcheck source=tests/support/verdicts.bash
. "$(dirname "${BASH_SOURCE[0]}")/verdicts.bash"
if "$cgsolve" --version | grep -q -- -fsanitize=thread; then
    echo "skipped: libomp's tool Archer crashes at the end of a process that has let its threads go"
    exit 77
fi
if [ "${1-}" != cuda ] && { ! command -v cc >/dev/null || [ ! -f "$sources/tests/user_kernels/user_kernel.h" ]; }; then
    echo "SKIP: no C compiler, or no tests/user_kernels here"
    exit 77
fi
export TMPDIR=$work/tmp
export ASAN_OPTIONS=handle_segv=0:allow_user_segv_handler=1${ASAN_OPTIONS:+:$ASAN_OPTIONS} # crashes are the tests' own
mkdir "$TMPDIR"
[ "${1-}" = cuda ] || ln -s "$sources/tests/user_kernels" k
