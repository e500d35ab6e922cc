# Bindings for other languages, made from cloth.h.
#
# make unity        a package for Unity with the shared library, in build/unity/
# make npm          a package for npm with WebAssembly, in build/npm/
# make godot        an extension for Godot, in build/godot/; GODOT_HEADER is the folder of its gdextension_interface.h

.PHONY: unity npm godot

BINDINGS = port/bindings
GODOT_HEADER ?= .
UNITY_SOURCES = $(wildcard port/unity/Runtime/*)

$(BUILD)/bindings/cloth.txt: cloth.h $(BINDINGS)/read.awk
	@mkdir -p $(@D)
	awk -f $(BINDINGS)/read.awk cloth.h >$@

# Sizes and offsets as the C compiler has them.
$(BUILD)/bindings/layout: $(BUILD)/bindings/cloth.txt $(BINDINGS)/layout.awk
	awk -f $(BINDINGS)/layout.awk $< >$@.c
	$(CC) -std=c99 $(WARNINGS) -I. $@.c -o $@

$(BUILD)/unity/Runtime/ClothNative.cs: $(BUILD)/bindings/cloth.txt $(BINDINGS)/csharp.awk
	@mkdir -p $(@D)
	awk -f $(BINDINGS)/csharp.awk $< >$@

unity: $(BUILD)/unity/Runtime/ClothNative.cs $(BUILD)/libcloth.so $(UNITY_SOURCES)
	mkdir -p $(BUILD)/unity/Plugins
	cp port/unity/package.json $(BUILD)/unity
	cp $(UNITY_SOURCES) $(BUILD)/unity/Runtime
	cp $(BUILD)/libcloth.so $(BUILD)/unity/Plugins

# Every public function is exported, and nothing else but the memory and where it is free. What lies there is the caller's.
NPM_FLAGS = --target=wasm32 -std=c99 -O3 -mbulk-memory -ffreestanding -ffp-contract=off -fno-math-errno $(WARNINGS) -I. \
	-fvisibility=hidden -DCLOTH_SHARED -DCLOTH_BUILD -nostdlib -Wl,--no-entry -Wl,--export-dynamic \
	-Wl,--export=__heap_base -Wl,--strip-all -Wl,-z,stack-size=65536
NPM_FILES = $(addprefix port/npm/,package.json cloth.js cloth.d.ts)

$(BUILD)/npm/cloth.wasm $(BUILD)/npm/cloth_scalar.wasm: port/boards/memory.c $(SOURCES)
	@sh tests/install.sh npm
	@mkdir -p $(@D)
	clang $(NPM_FLAGS) $(if $(findstring scalar,$@),,$(WASM_SIMD)) cloth.c $< -o $@

# The layouts of structs are those of the compiler, or this does not compile.
$(BUILD)/npm/structs.js: $(BUILD)/bindings/cloth.txt $(BINDINGS)/javascript.awk
	@mkdir -p $(@D)
	awk -v output=checks -f $(BINDINGS)/javascript.awk $< >$(BUILD)/bindings/checks.c
	clang --target=wasm32 -std=c11 -ffreestanding -I. -fsyntax-only $(BUILD)/bindings/checks.c
	awk -v output=types -f $(BINDINGS)/javascript.awk $< >$(@:.js=.d.ts)
	awk -v output=script -f $(BINDINGS)/javascript.awk $< >$@

npm: $(BUILD)/npm/cloth.wasm $(BUILD)/npm/cloth_scalar.wasm $(BUILD)/npm/structs.js $(NPM_FILES)
	cp $(NPM_FILES) LICENSE $(BUILD)/npm

# What the results depend on is compiled apart from Godot's side.
$(BUILD)/godot/libcloth_godot.so: port/godot/extension.c $(SOURCES)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -std=gnu99 -fPIC -fvisibility=hidden $(RESULT_FLAGS) -c cloth.c -o $(@D)/cloth.o
	$(CC) $(CFLAGS) -std=gnu99 -fPIC -fvisibility=hidden -I$(GODOT_HEADER) -c $< -o $(@D)/cloth_godot.o
	$(CC) $(LDFLAGS) -shared $(@D)/cloth.o $(@D)/cloth_godot.o -o $@

godot: $(BUILD)/godot/libcloth_godot.so
	cp port/godot/cloth.gdextension $(BUILD)/godot
