#!/bin/sh
# digests.sh: records the digests of all results in tools/satfilter/selftest/digests.inc, from the self-test of
# ./satfilter. Those that were recorded stay for the witnesses that have them (docs/witness.md).
set -eu
recorded=tools/satfilter/selftest/digests.inc
all=$(sed -n 's/^{"integers", "\(.*\)"},$/\1/p' $recorded)
kept=results/witness/digests-$(echo "$all" | cut -c 1-12).inc
./satfilter --self-test-digests >digests.new
if ! cmp -s digests.new $recorded; then
    grep -rq "integers=$all" results/witness && cp $recorded "$kept"
    cp digests.new $recorded
fi
rm digests.new
