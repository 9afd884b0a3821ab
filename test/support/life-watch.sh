#!/bin/sh
# The process that outlives a run of tests by a moment: it waits for the end of the run, and ends what the run has left, which it
# finds as `endMarked` of life.ts does. In shell: Node with a loader of TypeScript takes half a second of a processor to wait.
# $1: the mark, NAME=VALUE.
cat > /dev/null
sweeps=0
while [ "$sweeps" -lt 100 ]; do
  found=$(grep -lzsxF -- "$1" /proc/[0-9]*/environ | cut -d / -f 3)
  [ -n "$found" ] || exit 0
  # shellcheck disable=SC2086 # a list of numbers
  kill -KILL $found 2> /dev/null
  sweeps=$((sweeps + 1))
done
