# make              the library, build/libcloth.a
# make demo         simulate three scenes, leave pictures in build/demo/
# make check        the quick tests: under a minute, with nothing but a C compiler
# make test         install what is missing, run every test: about a quarter of an hour on two cores
# make test-NAME    one suite of it, as in make test-tethers; make list prints their names
# make install      header, sources, a static library and cloth.pc below PREFIX, for pkg-config (DESTDIR=... stages it)
# make format       lay the sources out by .clang-format
# make clean
# make help         these lines
#
# Measurements, by tests/tests.mk and tests/bench/bench.mk:
# make list         every suite, and how long it takes
# make accuracy     table of analytic cases: expected and measured
# make thesis       the thesis's experiments beside its figures
# make quality      stretch, area, roughness and rest of the standard scenes
# make matrix       the same scenes on every machine, compiler and level: one hash
# make size         bytes of code and stack for every target; writes docs/sizes.md
# make cost         instructions of the library's parts for every microcontroller
# make bench        time and quality beside an XPBD solver; the machine must have AVX2 (CORE=1 pins it to that core)
# make bench-unseen the same settings on scenes that nothing was tuned on
#
# Examples, by examples/examples.mk:
# make web          a page that simulates in the browser, in build/web/, for any web server
# make test-web     the page in a headless Chromium
# make lockstep     two machines in lockstep over a lossy network
# make game         a walking figure with a cape, a curtain and a flag in a game's loop, pictures in build/game/
# make game-window  the same to play, in a window (needs SDL2)
# make board        a flag in the wind on two emulated microcontrollers
#
# Variables: CC, OPTIMISE (-O2; "-O0 -g" for a debugger), BUILD (build).
# Flags that must not be lost when cloth.c goes into another build: -ffp-contract=off, and never -ffast-math.

CC ?= cc
BUILD ?= build
OPTIMISE ?= -O2
WARNINGS = -Wall -Wextra -Wconversion -Wdouble-promotion -Wshadow
CFLAGS = -std=c99 $(OPTIMISE) -ffp-contract=off -fno-math-errno $(WARNINGS) -I. -Iexamples

# What every program that contains the library depends on.
SOURCES = cloth.c cloth.h $(wildcard port/*.h)
HEADERS = $(SOURCES) $(wildcard examples/*.h examples/*/*.h tests/*.h)

.PHONY: library install format clean help
.DELETE_ON_ERROR:

library: $(BUILD)/libcloth.a

include examples/examples.mk tests/tests.mk tests/bench/bench.mk

# The library's source is made from its parts.
cloth.c: src/join.sh $(wildcard src/*.h port/lanes_*.h)
	sh src/join.sh >$@

help:
	@awk '!/^#/ { exit } { sub(/^# ?/, ""); print }' Makefile

# Whatever CFLAGS a packager sets, what the results depend on comes after them.
$(BUILD)/libcloth.a: $(SOURCES)
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) -fPIC -fno-fast-math -fno-math-errno -ffp-contract=off -c cloth.c -o $(@:.a=.o)
	rm -f $@
	$(AR) rcs $@ $(@:.a=.o)

PREFIX ?= /usr/local
INCLUDEDIR ?= $(PREFIX)/include
LIBDIR ?= $(PREFIX)/lib
SOURCEDIR ?= $(PREFIX)/share/cloth
VERSION = $(shell awk '/define CLOTH_VERSION_/ { printf "%s%s", dot, $$3; dot = "." }' cloth.h)

install: $(BUILD)/libcloth.a
	mkdir -p $(DESTDIR)$(INCLUDEDIR) $(DESTDIR)$(LIBDIR)/pkgconfig $(DESTDIR)$(SOURCEDIR)
	install -m 644 cloth.h $(DESTDIR)$(INCLUDEDIR)
	install -m 644 $< $(DESTDIR)$(LIBDIR)
	for file in cloth.h cloth.c $$(find port -type f); do \
		mkdir -p $(DESTDIR)$(SOURCEDIR)/$$(dirname $$file) && \
		install -m 644 $$file $(DESTDIR)$(SOURCEDIR)/$$file || exit 1; done
	sed 's|@PREFIX@|$(PREFIX)|; s|@INCLUDEDIR@|$(INCLUDEDIR)|; s|@LIBDIR@|$(LIBDIR)|; s|@SOURCEDIR@|$(SOURCEDIR)|; s|@VERSION@|$(VERSION)|' \
		port/packaging/pkg-config/cloth.pc.in >$(BUILD)/cloth.pc
	install -m 644 $(BUILD)/cloth.pc $(DESTDIR)$(LIBDIR)/pkgconfig

FORMATTED = cloth.h $(foreach folder,src port port/boards examples examples/* tests tests/*,$(wildcard $(folder)/*.[ch]))

format:
	clang-format -i $(sort $(FORMATTED))

clean:
	rm -rf $(BUILD)
