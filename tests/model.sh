#!/bin/sh
# Eighty random cases, every filter and a picture of 600 x 400 among them, are what the documentation says:
# tests/model/model.py computes them from it alone. A filter without a model is an error.
set -eu
: "${top_srcdir:?is set by make check}" "${top_builddir:?is set by make check}"
. "$(dirname "$0")/sure.sh"
if ! python3 -c '' 2>/dev/null; then
    without python3 "there is no python3: nothing is compared with the model"
    exit 77
fi
PYTHONDONTWRITEBYTECODE=1 python3 "$top_srcdir/tests/model/model.py" \
    --satfilter "$top_builddir/satfilter" --cases 80 --seed 2
