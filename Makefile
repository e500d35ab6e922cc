# make demo      simulate three scenes, leave pictures in build/demo/
# make test      install what is missing, run every test
# make accuracy  table of analytic cases: expected and measured
# make thesis    the thesis's experiments beside its figures
# make quality   stretch, area, roughness and rest of the standard scenes
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
PROGRAMS = accuracy api internals physics quality stability thesis
HEADERS = $(wildcard *.h examples/*.h tests/*.h)

.PHONY: demo test accuracy thesis quality format clean tools programs sanitized
.DELETE_ON_ERROR:

demo: $(BUILD)/demo/demo
	$(BUILD)/demo/demo $(BUILD)/demo

$(BUILD)/demo/demo: examples/demo.c $(EXAMPLES) cloth.c $(HEADERS)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) examples/demo.c $(EXAMPLES) cloth.c -lm -o $@

test:
	@sh tests/install.sh
	@sh tests/run.sh $(BUILD)

# The tests of what is inside include cloth.c; the others link it.
$(BUILD)/tests/internals $(BUILD)/tests/thesis: $(BUILD)/tests/%: tests/%.c cloth.c $(HEADERS)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(EXTRA) $< -lm -o $@

$(BUILD)/tests/%: tests/%.c examples/scenes.c cloth.c $(HEADERS)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(EXTRA) $< examples/scenes.c cloth.c -lm -o $@

programs: $(PROGRAMS:%=$(BUILD)/tests/%)

accuracy: $(BUILD)/tests/accuracy $(BUILD)/tests/internals
	$(BUILD)/tests/accuracy
	$(BUILD)/tests/internals

thesis: $(BUILD)/tests/thesis
	@sh tests/install.sh
	sh tests/thesis.sh $(BUILD)/tests

quality: $(BUILD)/tests/quality
	$(BUILD)/tests/quality

format:
	clang-format -i cloth.h cloth.c examples/*.[ch] tests/*.[ch]

clean:
	rm -rf $(BUILD)
