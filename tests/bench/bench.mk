# The library as its users build it for speed, the baseline at the levels of its authors: it alone may contract.

.PHONY: bench bench-unseen

BENCH = $(filter-out tests/bench/xpbd.c,$(wildcard tests/bench/*.c))
BENCH_HEADERS = $(wildcard tests/bench/*.h)
BENCH_CLOTH_FLAGS = -O3 -mavx2 -ffp-contract=off
BENCH_XPBD_FLAGS = -O3 -march=x86-64-v3 -ffp-contract=fast
CORE ?= 1

$(BUILD)/bench/cloth.o: $(SOURCES)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(BENCH_CLOTH_FLAGS) $(EXTRA) -c cloth.c -o $@

$(BUILD)/bench/xpbd.o: tests/bench/xpbd.c $(BENCH_HEADERS)
	@mkdir -p $(@D)
	$(CC) -std=gnu99 $(WARNINGS) $(BENCH_XPBD_FLAGS) -c $< -o $@

$(BUILD)/bench/bench: $(BENCH) $(BUILD)/bench/cloth.o $(BUILD)/bench/xpbd.o $(HEADERS) $(BENCH_HEADERS)
	$(CC) $(CFLAGS) -std=gnu99 -DBENCH_FLAGS='"cloth.c $(BENCH_CLOTH_FLAGS), xpbd.c $(BENCH_XPBD_FLAGS)"' \
		$(BENCH) $(BUILD)/bench/cloth.o $(BUILD)/bench/xpbd.o -lm -o $@

bench: $(BUILD)/bench/bench
	taskset -c $(CORE) $< --csv $(BUILD)/bench/bench.csv

bench-unseen: $(BUILD)/bench/bench
	taskset -c $(CORE) $< --unseen --csv $(BUILD)/bench/bench-unseen.csv
