# make              the library, build/libcloth.a
# make demo         simulate five scenes, leave pictures and animations in build/demo/
# make check        the quick tests: under a minute, with nothing but a C compiler
# make test         install what is missing, run every test: 20 minutes on two cores
# make test-NAME    one suite of it, as in make test-tethers; make list prints their names
# make install      header, sources, a static library, cloth.pc and CMake files below PREFIX (DESTDIR=... stages it)
# make install-shared  the same with a shared library
# make format       lay the sources out by .clang-format
# make clean
# make help         these lines
#
# Measurements, by tests/tests.mk and tests/bench/bench.mk:
# make list         every suite, and how long it takes
# make accuracy     table of analytic cases: expected and measured
# make thesis       the thesis's experiments beside its figures
# make conservation momentum and energy without air and damping, in every method
# make flag         a flag's frequency, amplitude and waves beside published ones
# make contact      intersections of cloth that folds on itself or meets other cloth, with and without contact
# make scenes       the scenes by which the step is judged
# make random       a thousand random cloths, and as many with bodies: finite, no energy gained, at rest
# make structures   tubes, pieces, targets, pins, momentum and energy beside their goals
# make abuse        adversarial scenes: what they do to a cloth, and what is left of it 5 s later
# make quality      stretch, area, roughness and rest of the standard scenes
# make settle       cloth_settle() beside stepping to rest: speeds afterwards, how many times cheaper
# make fabrics      bending, stretch, shear, damping and drape of every fabric: a table and build/fabrics/fabrics.png
# make geometry     instructions of a step on hulls, meshes, height fields, distance grids, beside a box
# make shapes       pictures of cloth over hulls, a mesh, a height field and a distance grid
# make crowd        a thousand people in capes, on one worker and on two
# make workers      a step of large cloths on one thread and on two
# make skin-time    time of a vertex of a mesh of 5,000 that follows 24 x 32 particles
# make races        the tests of steps on several threads with a detector of races
# make groups       pictures of two sheets on a ball, a cape in a curtain, a thrown towel and a wrung tube
# make torn         a picture of a round tablecloth with a hole, and of a flag that tears, with a film
# make fuzz         histories of random calls under sanitizers: FUZZ_SECONDS (600) of them; what they reach and find
# make mutants      MUTANTS (300) small faults put into the source, one at a time (SEED chooses): how many tests catch
# make switches     150 random combinations of the switches that leave parts out
# make coverage     lines and branches of cloth.c that the quick tests and the corpus of make fuzz reach
# make matrix       the same scenes on every machine, compiler and level: one hash; disassembles every target
# make size         bytes of code and stack for every target; writes docs/sizes.md
# make cost         instructions, memory and stack of a step beside its goals; make step-cost is the same
# make bench        time and quality beside an XPBD solver; the machine must have AVX2 (CORE=1 pins it to that core)
# make bench-unseen the same settings on scenes that nothing was tuned on
#
# Examples, by examples/examples.mk:
# make methods-pictures  one scene by every material, scheme and solver of examples/methods, on one sheet
# make ut           the student simulator of Sartor and Djeu (2004): its scenes, a table and a picture
# make web          a page that simulates in the browser, in build/web/, for any web server
# make test-web     the page in a headless Chromium
# make lockstep     two to four machines in lockstep over a lossy network
# make game         a walking figure with a cape, a shirt, a curtain and a flag in a game's loop, pictures in build/game/
# make coupling     cloth and bodies of the Bullet engine: a table, pictures and energies in build/coupling/
# make game-window  the same to play, in a window (needs SDL2)
# make board        a flag in the wind on two emulated microcontrollers
# make samples      a flag in a window, in one file (needs SDL2)
# make three        a page of three.js with the package for npm beside ammo.js, in build/three/
# make test-three   the same in a headless Chromium, with a table of times
#
# Other languages, by port/bindings/bindings.mk:
# make unity        a package of bindings for Unity and C#, in build/unity/
# make npm          a package of WebAssembly for browsers and Node, in build/npm/
# make godot        an extension for Godot 4.2 and later, in build/godot/; GODOT_HEADER=folder of its C interface
#
# Variables: CC, OPTIMISE (-O2; "-O0 -g" for a debugger), BUILD (build).
# Flags that must not be lost when cloth.c goes into another build: -ffp-contract=off, and never -ffast-math.

CC ?= cc
BUILD ?= build
OPTIMISE ?= -O2
WARNINGS = -Wall -Wextra -Wconversion -Wdouble-promotion -Wshadow
# clang before 16 reads what its own vectorisers gather too late, see docs/determinism.md
WASM_SIMD = -msimd128 -fno-slp-vectorize -fno-vectorize
CFLAGS = -std=c99 $(OPTIMISE) -ffp-contract=off -fno-math-errno $(WARNINGS) -I. -Iexamples

# What every program that contains the library depends on, and what it may include besides.
SOURCES = cloth.c cloth.h $(wildcard port/*.h)
HEADERS = cloth.h $(wildcard port/*.h examples/*.h examples/*/*.h examples/*/*/*.h tests/*.h tests/*/*.h)
LIBRARY = $(BUILD)/libcloth.a

.PHONY: library format clean help
.DELETE_ON_ERROR:

library: $(LIBRARY)

include examples/examples.mk tests/tests.mk tests/bench/bench.mk

# The library's source is made from its parts.
cloth.c: src/join.sh $(wildcard src/*.h src/*/*.h port/lanes_*.h)
	sh src/join.sh >$@

help:
	@awk '!/^#/ { exit } { sub(/^# ?/, ""); print }' Makefile

include port/packaging/install.mk port/bindings/bindings.mk

FORMATTED = cloth.h $(foreach folder,src src/* port port/boards port/godot examples examples/* examples/*/* tests tests/* tests/*/*,$(wildcard $(folder)/*.[ch] $(folder)/*.cpp $(folder)/*.hpp))

format:
	clang-format -i $(sort $(FORMATTED))

clean:
	rm -rf $(BUILD)
