#!/bin/sh
# Stands in for kubectl. Its answers are files in the folder that --kubeconfig names: for the path /api/v1/pods?limit=2 the file
# `_api_v1_pods_limit_2` is printed, or `….error` is printed as an error. An answer whose name ends with `.once` comes first, and
# only once. It refuses everything but reading.
if [ "$1" != --kubeconfig ] || [ "$3" != --context ] || [ "$5 $6 $7" != "get --request-timeout=5m --raw" ] || [ $# != 8 ] ||
    [ "$KUBECTL_KUBERC $KUBERC" != "false off" ]; then
    echo "unexpected: $*" >&2
    exit 1
fi
if [ "$4" != test ]; then
    echo "error: context \"$4\" does not exist" >&2
    exit 1
fi
answer=$2/$(printf %s "$8" | tr '/?&=' '____')
echo "$8" >> "$2/asked"
for file in "$answer.once" "$answer"; do
    for error in .error ""; do
        [ -f "$file$error" ] || continue
        text=$(cat "$file$error")
        case $file in *.once) rm "$file$error" ;; esac
        if [ -n "$error" ]; then
            echo "$text" >&2
            exit 1
        fi
        echo "Warning: v1 is deprecated" >&2
        echo "$text"
        exit 0
    done
done
echo "Error from server (NotFound): the server could not find the requested resource" >&2
exit 1
