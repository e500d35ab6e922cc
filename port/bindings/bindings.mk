# Bindings for other languages, made from cloth.h.
#
# make unity        a package for Unity with the shared library, in build/unity/
# make npm          a package for npm with WebAssembly, in build/npm/

.PHONY: unity npm

BINDINGS = port/bindings
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
