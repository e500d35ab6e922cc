# Included by the Makefile: the library, make install and make install-shared. Stands behind the first goal of the Makefile,
# which has CC, CFLAGS and BUILD.
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

$(BUILD)/libcloth.a: cloth.c cloth.h
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) -fPIC $(RESULT_FLAGS) -c $< -o $(@:.a=.o)
	rm -f $@
	$(AR) rcs $@ $(@:.a=.o)

# The linker gets no CFLAGS: GCC's start-up code for -ffast-math would change the arithmetic of whole programs.
$(BUILD)/libcloth.so: cloth.c cloth.h
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) -fPIC -fvisibility=hidden -DCLOTH_SHARED -DCLOTH_BUILD $(RESULT_FLAGS) -c $< -o $@.o
	$(CC) $(LDFLAGS) -shared -Wl,-soname,libcloth.so.$(SOVERSION) $@.o -o $@

install: $(BUILD)/libcloth.a
	mkdir -p $(DESTDIR)$(INCLUDEDIR) $(DESTDIR)$(LIBDIR)/pkgconfig $(DESTDIR)$(LIBDIR)/cmake/cloth $(DESTDIR)$(SOURCEDIR)
	install -m 644 cloth.h port/cloth.hpp $(DESTDIR)$(INCLUDEDIR)
	install -m 644 $< $(DESTDIR)$(LIBDIR)
	for file in cloth.h cloth.c port/cloth.hpp port/cloth_port.h; do \
		mkdir -p $(DESTDIR)$(SOURCEDIR)/$$(dirname $$file) && \
		install -m 644 $$file $(DESTDIR)$(SOURCEDIR)/$$file || exit 1; done
	$(FILLED_IN) port/packaging/pkg-config/cloth.pc.in >$(BUILD)/cloth.pc
	install -m 644 $(BUILD)/cloth.pc $(DESTDIR)$(LIBDIR)/pkgconfig
	for file in cloth-config.cmake cloth-config-version.cmake; do \
		$(FILLED_IN) port/packaging/cmake/$$file.in >$(BUILD)/$$file && \
		install -m 644 $(BUILD)/$$file $(DESTDIR)$(LIBDIR)/cmake/cloth || exit 1; done

# The shared library beside the static one, for systems with ELF files; CMake and Meson know the others.
install-shared: install $(BUILD)/libcloth.so
	install -m 755 $(BUILD)/libcloth.so $(DESTDIR)$(LIBDIR)/libcloth.so.$(VERSION)
	ln -sf libcloth.so.$(VERSION) $(DESTDIR)$(LIBDIR)/libcloth.so.$(SOVERSION)
	ln -sf libcloth.so.$(SOVERSION) $(DESTDIR)$(LIBDIR)/libcloth.so
