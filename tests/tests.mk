# Tests and measurements. Every program and suite stands once, in tests/suites; tests/README.md explains them.

.PHONY: check test list programs abuse accuracy contact conservation flag thesis quality fabrics geometry matrix size
.PHONY: scenes random structures
.PHONY: cost step-cost libraries methods settle fuzz mutants switches coverage skin-time
.SECONDARY:

comma := ,

check:
	@sh tests/run.sh $(BUILD) quick

test:
	@sh tests/run.sh $(BUILD)

# One suite. What a suite of scripts needs besides a compiler: sh tests/install.sh.
test-%:
	@sh tests/run.sh $(BUILD) one $*

list:
	@sh tests/run.sh $(BUILD) list

PROGRAMS := $(shell awk '/^[^\#]/ && $$2 !~ /^(script|alone|clock|first)$$/ { print $$5 }' tests/suites | sort -u)

# These include cloth.c to test what is inside; the others link it. Those of WITHIN need no public function outside their
# own file: public functions are static there, and compilers leave out what a test does not reach, most of the library.
INSIDE = planning thesis
WITHIN = internals method_cloths method_contact method_pieces method_self methods self_test

programs: $(PROGRAMS:%=$(BUILD)/tests/%)

# The library is compiled as users do. The tests, some of which include it, compile in two thirds of the time at -O1.
TEST_CFLAGS = $(if $(filter -O2,$(OPTIMISE)),$(filter-out -O2,$(CFLAGS)) -O1,$(CFLAGS))

TRAP = '-DCLOTH_ASSERT(condition)=((condition)?(void)0:__builtin_trap())'
# Lines alone are told, so nobody asks where variables are: to follow them takes a third of the time of compilation.
# Registers are given out for a whole function at once: by loops that takes a fourth of it, and tests run no sooner.
SANITIZE = -O1 -g1 -fno-var-tracking-assignments -fira-region=one -fsanitize=address$(comma)undefined -fno-sanitize-recover=all $(TRAP)

# $(call TEST_SET,DIRECTORY,COMPILER,FLAGS,LIBRARY): tests/NAME.c becomes DIRECTORY/tests/NAME, with cloth.c compiled once.
# DIRECTORY/tests/cloth.o is that, as strict C99 with every warning an error.
define TEST_SET
$(1)/tests/%.o: tests/%.c $(HEADERS)
	@mkdir -p $$(@D)
	$(2) $(TEST_CFLAGS) -DSOURCE_DIRECTORY='"$(CURDIR)"' $(3) $$(LEVEL) $$(WITHOUT) -c $$< -o $$@

$(1)/tests/cloth.o: $(SOURCES)
	@mkdir -p $$(@D)
	$(2) $(CFLAGS) -pedantic -Werror $(3) -c cloth.c -o $$@

$(1)/tests/scenes.o: examples/scenes.c $(HEADERS)
	@mkdir -p $$(@D)
	$(2) $(CFLAGS) $(3) -c $$< -o $$@

$(1)/tests/fuzz_functions.h: cloth.h tests/fuzz_functions.awk
	@mkdir -p $$(@D)
	awk -f tests/fuzz_functions.awk cloth.h >$$@

$(1)/tests/known_histories.o: tests/known_histories.c $(1)/tests/fuzz_functions.h $(HEADERS)
	$(2) $(TEST_CFLAGS) $(3) -I$(1)/tests -c $$< -o $$@

$(INSIDE:%=$(1)/tests/%): $(1)/tests/%: $(1)/tests/%.o $(1)/tests/scenes.o
	$(2) $(CFLAGS) $(3) $$^ -lm -lpthread -o $$@

$(INSIDE:%=$(1)/tests/%.o): cloth.c

$(WITHIN:%=$(1)/tests/%.o): $(1)/tests/%.o: tests/%.c cloth.c $(HEADERS)
	@mkdir -p $$(@D)
	$(2) $$(TEST_CFLAGS) -DSOURCE_DIRECTORY='"$(CURDIR)"' $(3) -DCLOTH_API=static -Wno-unused-function $$(WITHOUT) -c $$< -o $$@

$(WITHIN:%=$(1)/tests/%): $(1)/tests/%: $(1)/tests/%.o
	$(2) $(CFLAGS) $(3) $$^ -lm -lpthread -o $$@

$(1)/tests/%: $(1)/tests/%.o $(1)/tests/scenes.o $(4)
	$(2) $(CFLAGS) $(3) $$^ -lm -lpthread -o $$@
endef

$(eval $(call TEST_SET,$(BUILD),$(CC),$(EXTRA),$(if $(EXTRA),$(BUILD)/tests/cloth.o,$(LIBRARY))))
# With AVX2 where there is AVX2: the long tests take three quarters of the time that they take with GCC.
CLANG_LANES := $(shell grep -q avx2 /proc/cpuinfo 2>/dev/null && echo -mavx2)
$(eval $(call TEST_SET,$(BUILD)/clang,clang,$(CLANG_LANES),$(BUILD)/clang/tests/cloth.o))
$(eval $(call TEST_SET,$(BUILD)/avx2,$(CC),-mavx2,$(BUILD)/avx2/tests/cloth.o))
$(eval $(call TEST_SET,$(BUILD)/sanitized,$(CC),$(SANITIZE),$(BUILD)/sanitized/tests/cloth.o))

# $(call POISONED_SET,DIRECTORY,FLAGS,LIBRARY): DIRECTORY/poisoned/NAME is DIRECTORY/NAME whose steps go by way of
# tests/poisoned.c.
WRAPPED_CALLS = $(shell sed -n 's/^WRAPPED[_A-Z]*.\(cloth_[a-z_]*\),.*/-Wl,--wrap=\1/p' tests/poisoned.c)

define POISONED_SET
$(1)/poisoned.o: tests/poisoned.c $(HEADERS)
	@mkdir -p $$(@D)
	$(CC) $(TEST_CFLAGS) -std=gnu11 $(2) -c $$< -o $$@

$(1)/poisoned/%: $(1)/%.o $(1)/scenes.o $(1)/poisoned.o $(3)
	@mkdir -p $$(@D)
	$(CC) $(CFLAGS) $(2) $(WRAPPED_CALLS) $$^ -lm -lpthread -o $$@
endef

$(eval $(call POISONED_SET,$(BUILD)/tests,,$(LIBRARY)))

# Libraries that several scripts link.
libraries: $(LIBRARY) $(BUILD)/libraries/s390x.o $(BUILD)/libraries/aarch64.o $(BUILD)/libraries/small.o

$(BUILD)/libraries/s390x.o: $(SOURCES)
	@mkdir -p $(@D)
	s390x-linux-gnu-gcc -std=gnu99 -O1 -ffp-contract=off -fno-math-errno $(TRAP) -c cloth.c -o $@

# tests/disassembly.sh looks into it: contraction is left on.
$(BUILD)/libraries/aarch64.o: $(SOURCES)
	@mkdir -p $(@D)
	clang --target=aarch64-linux-gnu -std=gnu99 -O1 -ffreestanding -fno-math-errno -I. -c cloth.c -o $@

# For tests/package/consumer.c.
$(BUILD)/libraries/small.o: $(SOURCES) tests/package/small.sh
	@mkdir -p $(@D)
	. tests/package/small.sh && $(CC) -O1 -ffp-contract=off $$small -c cloth.c -o $@

# The game with the libraries of two sets, for tests/game.sh.
define GAME_OF_SET
$(1)/game/game: $(HEADLESS_GAME) $(HEADERS) $(1)/tests/cloth.o
	@mkdir -p $$(@D)
	$(2) $(CFLAGS) -std=gnu99 $(3) $$(filter %.c %.o,$$^) -lm -o $$@
endef

$(eval $(call GAME_OF_SET,$(BUILD)/clang,clang,-O1 $(CLANG_LANES)))
$(eval $(call GAME_OF_SET,$(BUILD)/sanitized,$(CC),$(SANITIZE)))

accuracy: $(BUILD)/tests/accuracy $(BUILD)/tests/internals
	$(BUILD)/tests/accuracy
	$(BUILD)/tests/internals

thesis: $(BUILD)/tests/thesis
	@sh tests/install.sh
	sh tests/thesis.sh $(BUILD)/tests

# The scenes by which the step is judged: make scenes SCENES="S1 S17 --substeps 2".
scenes: $(BUILD)/tests/scenes/scenes
	@$< $(SCENES)

# A thousand random cloths, and a thousand with bodies: make random WORLDS="0 50" for some, WORLDS="one 7" for the course
# of one of each.
random: $(BUILD)/tests/random_cloths
	@status=0; $< $(WORLDS) || status=1; $< bodies $(WORLDS) || status=1; exit $$status

# Tubes, pieces, targets, pins; momentum and energy. A later table is printed even where a line of an earlier one is
# missed.
STRUCTURES = structures conservation

structures: $(STRUCTURES:%=$(BUILD)/tests/structures/%)
	@status=0; for program in $^; do $$program || status=1; done; exit $$status

conservation: $(BUILD)/tests/structures/conservation
	$<

flag: $(BUILD)/tests/flag
	$<

# How many times cheaper cloth_settle() is than stepping to rest.
settle: $(BUILD)/tests/settle
	@$< --table

# Materials, time schemes and solvers of examples/methods beside the documents that they come from.
methods: $(BUILD)/tests/methods $(BUILD)/tests/method_contact $(BUILD)/tests/method_self $(BUILD)/tests/method_pieces
	$(BUILD)/tests/methods
	$(BUILD)/tests/method_contact
	$(BUILD)/tests/method_self
	$(BUILD)/tests/method_pieces

SETS = $(BUILD) $(BUILD)/clang $(BUILD)/avx2 $(BUILD)/sanitized
METHODS = $(foreach set,$(SETS),$(addprefix $(set)/tests/,methods.o method_contact.o method_self.o method_pieces.o))

$(METHODS) $(METHODS:methods.o=method_cloths.o): examples/methods/methods.c

# Of tests/folds/worn.h.
$(foreach set,$(SETS),$(set)/tests/folds/folds): examples/figure.c examples/meander.c examples/shirt.c

# By tests/piece_threads.h.
$(foreach set,$(SETS),$(addprefix $(set)/tests/,workers.o method_pieces.o)): examples/crowd/jobs.c

# Most of a run is the library's time: without optimisation tests compile in a third of the time, and run as long. Not
# those that compute much themselves, nor those that run for long.
COMPUTING = $(INSIDE) $(STRUCTURES:%=structures/%) folds/folds scenes/scenes abuse abuse_geometry common_bodies contact_cells contact_conflicts coupling flag \
	geometry_world group material origin quality queries random_cloths save_mutations seam_folds self_contact self_crumples settle skin \
	workers
UNOPTIMISED := $(if $(filter -O2,$(OPTIMISE)),-O0)

$(foreach set,$(SETS),$(set)/tests/%.o): LEVEL = $(UNOPTIMISED)
$(foreach set,$(filter-out %/sanitized,$(SETS)),$(COMPUTING:%=$(set)/tests/%.o)): LEVEL =
$(BUILD)/sanitized/tests/queries.o: LEVEL =

# These run for so long that -O2 pays.
$(BUILD)/tests/method_self.o $(BUILD)/tests/method_contact.o: TEST_CFLAGS = $(CFLAGS)

# Parts that no test of the methods uses: without them compilers take two thirds of the time, with the same results.
# tests/method_cloths.c has cloths with all parts.
$(METHODS): WITHOUT = $(addprefix -DCLOTH_NO_,MESH HULL HEIGHT_FIELD DISTANCE_GRID SHARED_BODIES SKIN BLEND GROUPS SEAMS \
	TEARING PLANNING IMAGE SETTLE SLEEP MOVE_FRAME ORIGIN TARGETS REST_SHAPE SELF BODIES \
	SAVE_CHECKS WRAP)

# Nor does a test of INSIDE but tests/planning.c use these.
$(foreach set,$(SETS),$(patsubst %,$(set)/tests/%.o,$(filter-out planning,$(INSIDE)))): WITHOUT = $(addprefix -DCLOTH_NO_,MESH HULL HEIGHT_FIELD DISTANCE_GRID \
	SHARED_BODIES SKIN BLEND GROUPS SEAMS TEARING IMAGE SETTLE MOVE_FRAME ORIGIN TARGETS REST_SHAPE SELF WRAP MASK QUERIES)
$(foreach set,$(SETS),$(patsubst %,$(set)/tests/%.o,$(filter-out planning,$(INSIDE)))): WITHOUT += $(addprefix -DCLOTH_NO_,BODIES SAVE_CHECKS WORKERS)

quality: $(BUILD)/tests/quality
	$(BUILD)/tests/quality

# What floors with geometry cost beside a box.
geometry:
	@sh tests/geometry_cost.sh $(BUILD)

# The experiments of tests/material.c as a table, and a picture.
fabrics: $(BUILD)/tests/material $(BUILD)/tests/fabrics_picture
	@mkdir -p $(BUILD)/fabrics
	$(BUILD)/tests/fabrics_picture $(BUILD)/fabrics/fabrics.png
	@$(BUILD)/tests/material --table

$(BUILD)/tests/fabrics_picture: tests/fabrics_picture.c examples/image.c examples/png.c examples/render.c $(HEADERS) $(LIBRARY)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(filter %.c %.a,$^) -lm -o $@

# Scenes in which cloth folds on itself or meets other cloth, with goals (FOLDS="bag sleeve --substeps 2": some of them),
# random crumples, and instructions: 30 minutes.
contact: $(BUILD)/tests/folds/folds $(BUILD)/tests/self_crumples
	@status=0; $(BUILD)/tests/folds/folds $(FOLDS) || status=1; sh tests/contact_cost.sh $(BUILD) || status=1; \
		$(BUILD)/tests/self_crumples --all || status=1; exit $$status

# The adversarial scenes of tests/abuse.c and tests/abuse_geometry.c as tables.
abuse: $(BUILD)/tests/abuse $(BUILD)/tests/abuse_geometry
	@$(BUILD)/tests/abuse --table
	@$(BUILD)/tests/abuse_geometry --table

# Steps of large cloths on one thread and on two; and the tests of pieces on threads with a detector of races. There
# lanes are scalar: wider ones load what lies beside a piece, and discard it.
workers: $(BUILD)/workers/time
	@$<

$(BUILD)/workers/time: tests/workers_time.c examples/crowd/jobs.c $(HEADERS) $(LIBRARY)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -std=gnu99 -I. tests/workers_time.c $(LIBRARY) -lpthread -o $@

# A mesh of 5,000 vertices on 24 x 32 particles: time of a vertex, with the lanes of this machine.
skin-time: $(BUILD)/skin/time
	@$<

$(BUILD)/skin/time: tests/skin_time.c $(SOURCES)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -std=gnu99 -march=native -ffp-contract=off -I. -Itests tests/skin_time.c cloth.c -lm -o $@

races: $(BUILD)/races/workers
	@$<

$(BUILD)/races/%: tests/%.c examples/crowd/jobs.c $(HEADERS) $(SOURCES)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -std=gnu99 -g -fsanitize=thread -DCLOTH_SCALAR -I. -Iexamples -Itests $< cloth.c -lm -lpthread -o $@

matrix:
	@sh tests/install.sh
	@sh tests/matrix.sh $(BUILD) full
	@sh tests/disassembly.sh $(BUILD) full

size:
	@sh tests/install.sh
	@sh tests/size.sh $(BUILD) full

# Instructions, memory and stack of a step, beside its goals.
cost step-cost:
	@sh tests/install.sh
	@sh tests/cost/step.sh $(BUILD)

# Faults looked for: histories of calls (FUZZ_SECONDS of them), small faults put into the source (MUTANTS of them), and
# combinations of switches.
fuzz:
	@sh tests/install.sh
	@sh tests/fuzz.sh $(BUILD)

mutants:
	@sh tests/mutants.sh $(BUILD) $(or $(MUTANTS),300) $(or $(SEED),1)

switches:
	@sh tests/switches.sh $(BUILD) 150

# Lines and branches of cloth.c that the quick tests and the corpus reach.
coverage:
	@sh tests/coverage.sh $(BUILD)
