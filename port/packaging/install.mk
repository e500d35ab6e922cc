# Included by the Makefile: make install and make install-shared. It sets no goal of its own before those of the Makefile,
# which has CC, CFLAGS, BUILD and HEADERS.
#
# PREFIX, INCLUDEDIR, LIBDIR, SOURCEDIR  where to; DESTDIR stages it
#
# Whatever CFLAGS a packager sets, what the results depend on comes after them.

PREFIX ?= /usr/local
INCLUDEDIR ?= $(PREFIX)/include
LIBDIR ?= $(PREFIX)/lib
SOURCEDIR ?= $(PREFIX)/share/cloth
VERSION = $(shell awk '/define CLOTH_VERSION_/ { printf "%s%s", dot, $$3; dot = "." }' cloth.h)
# While the first number is 0, the second says what is compatible.
SOVERSION = $(shell echo $(VERSION) | cut -d. -f1,2)
RESULT_FLAGS = -fno-fast-math -fno-math-errno -ffp-contract=off
FILLED_IN = sed 's|@PREFIX@|$(PREFIX)|; s|@INCLUDEDIR@|$(INCLUDEDIR)|; s|@LIBDIR@|$(LIBDIR)|; \
	s|@SOURCEDIR@|$(SOURCEDIR)|; s|@VERSION@|$(VERSION)|; s|@SOVERSION@|$(SOVERSION)|'

.PHONY: install install-shared

$(BUILD)/install/libcloth.a: cloth.c $(HEADERS)
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) -fPIC $(RESULT_FLAGS) -c $< -o $(@:.a=.o)
	rm -f $@
	$(AR) rcs $@ $(@:.a=.o)

# The linker gets no CFLAGS: GCC's start-up code for -ffast-math would change the arithmetic of whole programs.
$(BUILD)/install/libcloth.so: cloth.c $(HEADERS)
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) -fPIC -fvisibility=hidden -DCLOTH_SHARED -DCLOTH_BUILD $(RESULT_FLAGS) -c $< -o $@.o
	$(CC) $(LDFLAGS) -shared -Wl,-soname,libcloth.so.$(SOVERSION) $@.o -o $@

install: $(BUILD)/install/libcloth.a
	mkdir -p $(DESTDIR)$(INCLUDEDIR) $(DESTDIR)$(LIBDIR)/pkgconfig $(DESTDIR)$(LIBDIR)/cmake/cloth $(DESTDIR)$(SOURCEDIR)
	install -m 644 cloth.h $(DESTDIR)$(INCLUDEDIR)
	install -m 644 $< $(DESTDIR)$(LIBDIR)
	for file in cloth.h cloth.c port/cloth_port.h; do \
		mkdir -p $(DESTDIR)$(SOURCEDIR)/$$(dirname $$file) && \
		install -m 644 $$file $(DESTDIR)$(SOURCEDIR)/$$file || exit 1; done
	$(FILLED_IN) port/packaging/pkg-config/cloth.pc.in >$(BUILD)/install/cloth.pc
	install -m 644 $(BUILD)/install/cloth.pc $(DESTDIR)$(LIBDIR)/pkgconfig
	for file in cloth-config.cmake cloth-config-version.cmake; do \
		$(FILLED_IN) port/packaging/cmake/$$file.in >$(BUILD)/install/$$file && \
		install -m 644 $(BUILD)/install/$$file $(DESTDIR)$(LIBDIR)/cmake/cloth || exit 1; done

# The shared library beside the static one, for systems with ELF files; CMake and Meson know the others.
install-shared: install $(BUILD)/install/libcloth.so
	install -m 755 $(BUILD)/install/libcloth.so $(DESTDIR)$(LIBDIR)/libcloth.so.$(VERSION)
	ln -sf libcloth.so.$(VERSION) $(DESTDIR)$(LIBDIR)/libcloth.so.$(SOVERSION)
	ln -sf libcloth.so.$(SOVERSION) $(DESTDIR)$(LIBDIR)/libcloth.so
