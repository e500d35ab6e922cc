# make demo      simulate three scenes, leave pictures in build/demo/
# make web       a page that simulates in the browser, in build/web/, for any web server
# make test-web  the page in a headless Chromium
# make test      install what is missing, run every test
# make accuracy  table of analytic cases: expected and measured
# make thesis    the thesis's experiments beside its figures
# make quality   stretch, area, roughness and rest of the standard scenes
# make bench     time and quality beside an XPBD solver; the machine must have AVX2 (CORE=1 pins it to that core)
# make bench-unseen  the same settings on scenes that nothing was tuned on
# make matrix    the same scenes on every machine, compiler and level: one hash
# make size      bytes of code and stack for every target
# make cost      instructions of the library's parts for every microcontroller
# make lockstep  two machines in lockstep over a lossy network
# make game      a walking figure with a cape, a curtain and a flag in a game's loop, pictures in build/game/
# make game-window  the same to play, in a window (needs SDL2)
# make board     a flag in the wind on two emulated microcontrollers
# make install   header, sources, a static library and cloth.pc below PREFIX, for pkg-config (DESTDIR=... stages it)
# make format    lay the sources out by .clang-format
# make clean
#
# Flags that must not be lost when cloth.c goes into another build: -ffp-contract=off, and never -ffast-math.

CC ?= cc
BUILD ?= build
OPTIMISE ?= -O2
WARNINGS = -Wall -Wextra -Wconversion -Wdouble-promotion -Wshadow
CFLAGS = -std=gnu99 $(OPTIMISE) -g -ffp-contract=off -fno-math-errno $(WARNINGS) -I. -Iexamples

EXAMPLES = examples/image.c examples/plot.c examples/png.c examples/render.c examples/scenes.c
PROGRAMS = accuracy animation api bounds flags internals physics quality save_rate stability state stress thesis timed
HEADERS = $(wildcard *.h port/*.h examples/*.h examples/*/*.h tests/*.h)
LOCKSTEP = $(wildcard examples/lockstep/*.c)

.PHONY: demo web test-web test accuracy thesis quality bench bench-unseen matrix size cost lockstep game game-window board install
.PHONY: format clean programs
.DELETE_ON_ERROR:

# The library is made from its parts.
cloth.c: src/join.sh $(wildcard src/*.h port/lanes_*.h)
	sh src/join.sh >$@

demo: $(BUILD)/demo/demo
	$(BUILD)/demo/demo $(BUILD)/demo

$(BUILD)/demo/demo: examples/demo.c $(EXAMPLES) cloth.c $(HEADERS)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) examples/demo.c $(EXAMPLES) cloth.c -lm -o $@

# The page: WebAssembly with and without SIMD, and the hashes that a native build of the same scenes comes to.
WEB_GLUE = examples/figure.c examples/meander.c $(addprefix examples/web/,hand.c springs.c stage.c) \
	examples/board/flag.c
WEB_PAGE = $(addprefix examples/web/,index.html page.css page.js cloth.js plot.js vectors.js view.js)
WEB_FLAGS = --target=wasm32 -std=gnu99 -O3 -mbulk-memory -ffreestanding -ffp-contract=off -fno-math-errno $(WARNINGS) \
	-I. -Iexamples -nostdlib -Wl,--no-entry -Wl,--strip-all -Wl,-z,stack-size=65536

web: $(BUILD)/web/cloth.wasm $(BUILD)/web/cloth_scalar.wasm $(BUILD)/web/hashes.json $(WEB_PAGE)
	cp $(WEB_PAGE) $(BUILD)/web

$(BUILD)/web/cloth.wasm $(BUILD)/web/cloth_scalar.wasm: examples/web/page.c $(WEB_GLUE) port/boards/memory.c cloth.c $(HEADERS)
	@sh tests/install.sh web
	@mkdir -p $(@D)
	clang $(WEB_FLAGS) $(if $(findstring scalar,$@),,-msimd128) $(filter %.c,$^) -o $@

$(BUILD)/tests/web_hashes: examples/web/hashes.c $(WEB_GLUE) cloth.c $(HEADERS)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(filter %.c,$^) -lm -o $@

$(BUILD)/web/hashes.json: $(BUILD)/tests/web_hashes
	@mkdir -p $(@D)
	$< > $@

test-web:
	@sh tests/install.sh browser
	@sh tests/web.sh $(BUILD)

test:
	@sh tests/install.sh
	@sh tests/install.sh browser
	@sh tests/run.sh $(BUILD)

# The tests of what is inside include cloth.c; the others link it.
$(BUILD)/tests/internals $(BUILD)/tests/thesis: $(BUILD)/tests/%: tests/%.c cloth.c $(HEADERS)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(EXTRA) $< -lm -o $@

$(BUILD)/tests/timed: tests/timed.c examples/scenes.c cloth.c $(HEADERS)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(EXTRA) $< examples/scenes.c -lm -o $@

$(BUILD)/tests/cloth.o: cloth.c $(HEADERS)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(EXTRA) -c $< -o $@

$(BUILD)/tests/scenes.o: examples/scenes.c $(HEADERS)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(EXTRA) -c $< -o $@

$(BUILD)/tests/%: tests/%.c $(BUILD)/tests/scenes.o $(BUILD)/tests/cloth.o $(HEADERS)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(EXTRA) $< $(filter %.o,$^) -lm -o $@

programs: $(PROGRAMS:%=$(BUILD)/tests/%)

accuracy: $(BUILD)/tests/accuracy $(BUILD)/tests/internals
	$(BUILD)/tests/accuracy
	$(BUILD)/tests/internals

thesis: $(BUILD)/tests/thesis
	@sh tests/install.sh
	sh tests/thesis.sh $(BUILD)/tests

quality: $(BUILD)/tests/quality
	$(BUILD)/tests/quality

# The library as its users build it for speed, the baseline at the levels of its authors: it alone may contract.
BENCH = $(filter-out tests/bench/xpbd.c,$(wildcard tests/bench/*.c))
BENCH_EXAMPLES = examples/image.c examples/png.c examples/render.c
BENCH_CLOTH_FLAGS = -O3 -mavx2 -ffp-contract=off
BENCH_XPBD_FLAGS = -O3 -march=x86-64-v3 -ffp-contract=fast
CORE ?= 1

$(BUILD)/bench/cloth.o: cloth.c $(HEADERS)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(BENCH_CLOTH_FLAGS) $(EXTRA) -c $< -o $@

$(BUILD)/bench/xpbd.o: tests/bench/xpbd.c $(wildcard tests/bench/*.h)
	@mkdir -p $(@D)
	$(CC) -std=gnu99 $(WARNINGS) $(BENCH_XPBD_FLAGS) -c $< -o $@

$(BUILD)/bench/bench: $(BENCH) $(BENCH_EXAMPLES) $(BUILD)/bench/cloth.o $(BUILD)/bench/xpbd.o \
		$(HEADERS) $(wildcard tests/bench/*.h)
	$(CC) $(CFLAGS) -DBENCH_FLAGS='"cloth.c $(BENCH_CLOTH_FLAGS), xpbd.c $(BENCH_XPBD_FLAGS)"' \
		$(BENCH) $(BENCH_EXAMPLES) $(BUILD)/bench/cloth.o $(BUILD)/bench/xpbd.o -lm -o $@

bench: $(BUILD)/bench/bench
	taskset -c $(CORE) $< --csv $(BUILD)/bench/bench.csv --pictures $(BUILD)/bench

bench-unseen: $(BUILD)/bench/bench
	taskset -c $(CORE) $< --unseen --csv $(BUILD)/bench/bench-unseen.csv --pictures $(BUILD)/bench

matrix:
	@sh tests/install.sh
	@sh tests/matrix.sh $(BUILD) full

size:
	@sh tests/install.sh
	@sh tests/size.sh $(BUILD)

cost:
	@sh tests/install.sh
	@sh tests/cost/cost.sh $(BUILD)

$(BUILD)/lockstep/lockstep: $(LOCKSTEP) cloth.c $(HEADERS)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(LOCKSTEP) cloth.c -o $@

lockstep: $(BUILD)/lockstep/lockstep
	@sh tests/install.sh
	@sh tests/lockstep.sh $(BUILD)

# The game, once without a window and once with one; each has files of its own beside these.
GAME = examples/figure.c examples/meander.c examples/image.c examples/png.c examples/render.c \
	$(filter-out %/headless.c %/window.c %/record.c %/probe.c,$(wildcard examples/game/*.c))

$(BUILD)/game/game: examples/game/headless.c examples/game/record.c examples/game/probe.c $(GAME) cloth.c $(HEADERS)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(filter %.c,$^) -lm -o $@

game: $(BUILD)/game/game
	$< $(BUILD)/game

$(BUILD)/game/window: examples/game/window.c $(GAME) cloth.c $(HEADERS)
	@sh tests/install.sh window
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(filter %.c,$^) $$(pkg-config --cflags --libs sdl2) -lm -o $@

game-window: $(BUILD)/game/window
	$<

board:
	@sh tests/install.sh
	@sh examples/board/board.sh $(BUILD)

# Whatever CFLAGS a packager sets, what the results depend on comes after them.
PREFIX ?= /usr/local
INCLUDEDIR ?= $(PREFIX)/include
LIBDIR ?= $(PREFIX)/lib
SOURCEDIR ?= $(PREFIX)/share/cloth
VERSION = $(shell awk '/define CLOTH_VERSION_/ { printf "%s%s", dot, $$3; dot = "." }' cloth.h)

$(BUILD)/install/libcloth.a: cloth.c $(HEADERS)
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) -fPIC -fno-fast-math -fno-math-errno -ffp-contract=off -c $< -o $(@:.a=.o)
	rm -f $@
	$(AR) rcs $@ $(@:.a=.o)

install: $(BUILD)/install/libcloth.a
	mkdir -p $(DESTDIR)$(INCLUDEDIR) $(DESTDIR)$(LIBDIR)/pkgconfig $(DESTDIR)$(SOURCEDIR)
	install -m 644 cloth.h $(DESTDIR)$(INCLUDEDIR)
	install -m 644 $< $(DESTDIR)$(LIBDIR)
	for file in cloth.h cloth.c $$(find port -type f); do \
		mkdir -p $(DESTDIR)$(SOURCEDIR)/$$(dirname $$file) && \
		install -m 644 $$file $(DESTDIR)$(SOURCEDIR)/$$file || exit 1; done
	sed 's|@PREFIX@|$(PREFIX)|; s|@INCLUDEDIR@|$(INCLUDEDIR)|; s|@LIBDIR@|$(LIBDIR)|; s|@SOURCEDIR@|$(SOURCEDIR)|; s|@VERSION@|$(VERSION)|' \
		port/packaging/pkg-config/cloth.pc.in >$(BUILD)/install/cloth.pc
	install -m 644 $(BUILD)/install/cloth.pc $(DESTDIR)$(LIBDIR)/pkgconfig

format:
	clang-format -i cloth.h src/*.h port/*.h port/boards/*.[ch] examples/*.[ch] examples/*/*.[ch] tests/*.[ch] tests/*/*.[ch]

clean:
	rm -rf $(BUILD)
