#!/bin/sh
# Keep the index of the main branch where every job can start from it, for any CI.
#   pack.sh build STORE    in a job of the main branch, after each push
#   pack.sh start STORE    in any other job, in a fresh clone
# STORE is a directory that all jobs see, or a URL like s3://bucket/repo-mcp (pip install 'repo-mcp[shared]').
# PACK_KEY names the file of a key, if packs are to be signed. `build` needs the private half of an Ed25519
# pair (pip install 'repo-mcp[signed]'), and `start` the public one, which must not come from the repository:
#   openssl genpkey -algorithm ed25519 -out pack.pem && openssl pkey -in pack.pem -pubout -out pack.pub
set -eu

[ $# -eq 2 ] || { echo 'usage: pack.sh build|start STORE' >&2; exit 2; }
command=$1 pack=$2/main.pack
set -- ${PACK_KEY:+--pack-key "$PACK_KEY"}

case $command in
build)
    # It starts from the previous pack, so that only changed files are indexed.
    repo-mcp index --structure --from-pack "$pack" --pack "$pack" "$@" || {
        echo 'Going on without a pack.' >&2
        repo-mcp index --structure --pack "$pack" "$@"
    }
    ;;
start)
    # A pack that is missing, damaged or signed by somebody else costs time and nothing more.
    repo-mcp index --from-pack "$pack" "$@" || {
        echo 'Going on without a pack.' >&2
        repo-mcp index
    }
    ;;
*)
    echo "pack.sh: $command is neither build nor start" >&2
    exit 2
    ;;
esac
