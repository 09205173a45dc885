#!/bin/sh
# Eighty random cases, every filter and a picture of 600 x 400 among them, are what the documentation says:
# tests/model/model.py computes them from it alone. A filter without a model is an error.
set -eu
. "$(dirname "$0")/script.sh"
needs python3 "there is no python3: nothing is compared with the model"
PYTHONDONTWRITEBYTECODE=1 python3 "$source/tests/model/model.py" --satfilter "$satfilter" --cases 80 --seed 2
