# The examples: programs of a few sources and the library.

.PHONY: demo web test-web lockstep game game-window coupling board methods-pictures ut shapes crowd groups garment torn

EXAMPLES = examples/image.c examples/net.c examples/plot.c examples/png.c examples/render.c examples/scenes.c

# DEMO=sketch draws its animations with jagged edges, in a third of the time.
demo: $(BUILD)/demo/demo
	$(BUILD)/demo/demo $(BUILD)/demo $(DEMO)

$(BUILD)/demo/demo: examples/demo.c $(EXAMPLES) $(HEADERS) $(LIBRARY)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(filter %.c %.a,$^) -lm -o $@

# One scene by every method of examples/methods.
methods-pictures: $(BUILD)/methods/pictures
	@mkdir -p $(BUILD)/methods
	$< $(BUILD)/methods/methods.png

$(BUILD)/methods/pictures: $(addprefix examples/,methods/pictures.c methods/methods.c image.c png.c render.c) $(HEADERS) cloth.c
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(filter-out cloth.c,$(filter %.c,$^)) -lm -o $@

# The student simulator of 2004, by the public interface.
ut: $(BUILD)/ut/ut
	$< $(BUILD)/ut

$(BUILD)/ut/ut: $(addprefix examples/,ut/ut.c image.c png.c render.c) $(HEADERS) $(LIBRARY)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(filter %.c %.a,$^) -lm -o $@

# A thousand people in capes, on one worker and on two.
crowd: $(BUILD)/crowd/crowd
	$< $(BUILD)/crowd/crowd.png

$(BUILD)/crowd/crowd: $(addprefix examples/,$(addprefix crowd/,crowd.c jobs.c person.c) \
		figure.c image.c meander.c png.c render.c) $(HEADERS) $(LIBRARY)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -std=gnu99 $(filter %.c %.a,$^) -lm -lpthread -o $@

# Cloth over hulls, meshes, height fields and distance grids.
shapes: $(BUILD)/shapes/shapes
	$< $(BUILD)/shapes/shapes.png

$(BUILD)/shapes/shapes: $(addprefix examples/,shapes/shapes.c image.c png.c render.c) $(HEADERS) $(LIBRARY)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(filter %.c %.a,$^) -lm -o $@

# Cloths that are stepped together.
groups: $(BUILD)/groups/groups
	$< $(BUILD)/groups/groups.png $(BUILD)/groups/moving.png

$(BUILD)/groups/groups: $(addprefix examples/,groups/groups.c figure.c meander.c image.c png.c render.c) $(HEADERS) $(LIBRARY)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(filter %.c %.a,$^) -lm -o $@

# A T-shirt of panels that are sewn together, on a walking figure.
garment: $(BUILD)/garment/garment
	$< $(BUILD)/garment/garment.png $(BUILD)/garment/walk.png

$(BUILD)/garment/garment: $(addprefix examples/,garment/garment.c figure.c image.c png.c render.c shirt.c) \
		$(HEADERS) $(LIBRARY)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(filter %.c %.a,$^) -lm -o $@

torn: $(BUILD)/torn/torn
	$< $(BUILD)/torn

$(BUILD)/torn/torn: $(addprefix examples/,torn.c image.c png.c render.c) $(HEADERS) $(LIBRARY)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(filter %.c %.a,$^) -lm -o $@

# The page: WebAssembly with and without SIMD, and the hashes that a native build of the same scenes comes to.
WEB_GLUE = examples/figure.c examples/meander.c $(addprefix examples/web/,crossings.c hand.c springs.c stage.c) \
	examples/board/flag.c
WEB_PAGE = $(addprefix examples/web/,index.html page.css page.js cloth.js plot.js vectors.js view.js)
# What the page does not call: without it the page is smaller and compiles sooner, and comes to the same hashes.
WEB_WITHOUT = $(addprefix -DCLOTH_NO_,MESH HULL HEIGHT_FIELD DISTANCE_GRID SHARED_BODIES SKIN BLEND GROUPS SEAMS TEARING \
	PLANNING IMAGE SETTLE SLEEP MOVE_FRAME ORIGIN TARGETS REST_SHAPE BODIES SAVE_CHECKS WORKERS)
# The level without SIMD: tests/web.sh, which has a folder of its own, sets another.
WEB_SCALAR_LEVEL = -O3
WEB_FLAGS = $(WEB_WITHOUT) --target=wasm32 -std=c99 -mbulk-memory -ffreestanding -ffp-contract=off -fno-math-errno $(WARNINGS) \
	-I. -Iexamples -nostdlib -Wl,--no-entry -Wl,--strip-all -Wl,-z,stack-size=65536

web: $(BUILD)/web/cloth.wasm $(BUILD)/web/cloth_scalar.wasm $(BUILD)/web/hashes.json $(WEB_PAGE)
	cp $(WEB_PAGE) $(BUILD)/web

$(BUILD)/web/cloth.wasm $(BUILD)/web/cloth_scalar.wasm: examples/web/page.c examples/methods/methods.c $(WEB_GLUE) port/boards/memory.c $(HEADERS) cloth.c
	@sh tests/install.sh web
	@mkdir -p $(@D)
	clang $(WEB_FLAGS) $(if $(findstring scalar,$@),$(WEB_SCALAR_LEVEL),-O3 $(WASM_SIMD)) $(filter-out cloth.c,$(filter %.c,$^)) -o $@

# It runs once: -O1 compiles in half of the time, and the bits are the same.
$(BUILD)/web/hashes: examples/web/hashes.c examples/methods/methods.c $(WEB_GLUE) $(HEADERS) cloth.c
	@mkdir -p $(@D)
	$(CC) $(filter-out -O2,$(CFLAGS)) -O1 $(WEB_WITHOUT) $(filter-out cloth.c,$(filter %.c,$^)) -lm -o $@

$(BUILD)/web/hashes.json: $(BUILD)/web/hashes
	$< > $@

test-web:
	@sh tests/install.sh browser
	@sh tests/run.sh $(BUILD) one web

# Sockets and clocks are POSIX, not C99.
LOCKSTEP = $(wildcard examples/lockstep/*.c)

$(BUILD)/lockstep/lockstep: $(LOCKSTEP) $(HEADERS) $(LIBRARY)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -std=gnu99 $(filter %.c %.a,$^) -o $@

lockstep: $(BUILD)/lockstep/lockstep
	@sh tests/install.sh
	@sh tests/lockstep.sh $(BUILD)

# The game, once without a window and once with one; each has files of its own beside these.
GAME = examples/figure.c examples/meander.c examples/shirt.c examples/image.c examples/png.c examples/render.c \
	$(filter-out %/headless.c %/window.c %/record.c %/probe.c,$(wildcard examples/game/*.c))

HEADLESS_GAME = examples/game/headless.c examples/game/record.c examples/game/probe.c $(GAME)

$(BUILD)/game/game: $(HEADLESS_GAME) $(HEADERS) $(LIBRARY)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -std=gnu99 $(filter %.c %.a,$^) -lm -o $@

game: $(BUILD)/game/game
	$< $(BUILD)/game

$(BUILD)/game/window: examples/game/window.c $(GAME) $(HEADERS) $(LIBRARY)
	@sh tests/install.sh window
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -std=gnu99 $(filter %.c %.a,$^) $$(pkg-config --cflags --libs sdl2) -lm -o $@

game-window: $(BUILD)/game/window
	$<

board:
	@sh tests/install.sh
	@sh examples/board/board.sh $(BUILD)

# Cloth and the Bullet engine. The shim is C++, the rest is C.
CXX ?= c++
COUPLING = examples/coupling/coupling.c examples/image.c examples/plot.c examples/png.c examples/render.c

$(BUILD)/coupling/coupling: examples/coupling/engine.cpp $(COUPLING) $(HEADERS) $(LIBRARY)
	@sh tests/install.sh bullet
	@mkdir -p $(@D)
	for source in $(COUPLING); do $(CC) $(CFLAGS) -c $$source -o $(@D)/$$(basename $$source .c).o || exit 1; done
	$(CXX) -std=c++11 $(OPTIMISE) -I. -isystem /usr/include/bullet -c $< -o $(@D)/engine.o
	$(CXX) $(@D)/*.o $(LIBRARY) -lBulletDynamics -lBulletCollision -lLinearMath -lm -o $@

coupling: $(BUILD)/coupling/coupling $(BUILD)/tests/coupling
	$< $(BUILD)/coupling
	$(BUILD)/tests/coupling --table

# The package for npm in a page of three.js, beside ammo.js. Both come with the package of three, at the versions of
# examples/three/package-lock.json.
THREE_PAGE = $(addprefix examples/three/,index.html page.js race.js ammo_sheet.js flag.js)
THREE_MODULES = $(BUILD)/three_modules/node_modules
.PHONY: three test-three

$(THREE_MODULES)/.installed: $(addprefix examples/three/,package.json package-lock.json .npmrc)
	@sh tests/install.sh npm
	@mkdir -p $(dir $(@D))
	cp $^ $(dir $(@D))
	cd $(dir $(@D)) && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error
	touch $@

three: npm $(THREE_MODULES)/.installed $(THREE_PAGE)
	mkdir -p $(BUILD)/three/lib $(BUILD)/three/cloth
	cp $(THREE_PAGE) $(BUILD)/three
	cp $(BUILD)/npm/* $(BUILD)/three/cloth
	cp $(addprefix $(THREE_MODULES)/three/,build/three.module.js examples/jsm/libs/ammo.wasm.js) \
		$(THREE_MODULES)/three/examples/jsm/libs/ammo.wasm.wasm $(BUILD)/three/lib

test-three:
	@sh tests/install.sh browser
	@sh tests/run.sh $(BUILD) one three

# Samples of one file each.
.PHONY: samples

$(BUILD)/samples/sdl2_flag: examples/samples/sdl2_flag.c $(SOURCES)
	@sh tests/install.sh sdl
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(filter %.c,$^) $$(pkg-config --cflags --libs sdl2) -lm -o $@

samples: $(BUILD)/samples/sdl2_flag
