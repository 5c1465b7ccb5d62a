#!/bin/sh
# test.sh NAME: passes if edit prints what tests/NAME.out has for the commands in tests/NAME.in.
./edit < "tests/$1.in" > "actual-$1.txt" || exit 1
cmp "tests/$1.out" "actual-$1.txt"
