#!/bin/sh
# barriers.sh FILE: no kernel in the file moves convergence barriers to registers and also has
# barriers of its block. Where ptxas 13.0 has done so, lanes that had left a loop early went past
# __syncthreads(), and results were wrong. Without cuobjdump, nothing is said.
set -u
disassemble=$(command -v cuobjdump || echo /usr/local/cuda/bin/cuobjdump)
if [ ! -x "$disassemble" ]; then
    echo "barriers.sh: no cuobjdump here, not looked at" >&2
    exit 0
fi
"$disassemble" -sass "$1" | awk '
    function judge() {
        kernels++
        if (moved && barriers) {
            print name ": " moved " convergence barriers moved, " barriers " barriers"
            bad++
        }
    }
    /Function : / { if (name) judge(); name = $NF; moved = barriers = 0 }
    /BMOV/ { moved++ }
    /BAR\.SYNC/ { barriers++ }
    END {
        if (name) judge()
        print "barriers.sh: " kernels + 0 " kernels, " bad + 0 " of them wrong"
        exit bad > 0 || kernels == 0
    }'
