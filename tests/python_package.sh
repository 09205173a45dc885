#!/bin/sh
# The Python package is built as users build it; minutes, so beside the tests of what it does.
exec "${top_srcdir:?is set by make check}/tests/python.sh" package_build
