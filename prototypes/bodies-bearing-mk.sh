set -e
sh src/join.sh > cloth.c
gcc -std=c99 -O3 -march=native -ffp-contract=off -fno-math-errno -DCLOTH_SCALAR -I. -c cloth.c -o cloth.o 2>&1 | grep -E "error|implicit" || true
gcc -std=c99 -O3 -march=native -ffp-contract=off -DCLOTH_SCALAR -I. -Itests -Iexamples exp.c cloth.o examples/scenes.c -Iport -lm -o exp 2>&1 | grep -E "error|undefined|warning: impl" | head -5 || true
