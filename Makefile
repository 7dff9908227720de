# SPDX-License-Identifier: GPL-2.0-or-later
#
#   make            builds the tool, and the module for every kernel whose headers are installed
#   make demo       everything in one command: sets up, builds, traces a guest, and reports
#   make check      sets up and runs the tests; check-quick: the tests for each commit; check-kunit: the tests in a kernel;
#                   check-matrix: all guests of all kernels, and packages; check-long: tests that take too long for every run
#   make html       rebuilds the program in the page of export -f html, with npm
#   make fuzz       builds the fuzz targets for tests/fuzz/run; fuzz-long runs each for an hour
#   make install-dkms  installs the module's sources for DKMS, below DESTDIR
#   make install-initramfs  installs the hooks of initramfs-tools and dracut that start the tracer, below DESTDIR
#   make install    installs the tool, its SQLite extension, manual pages, completion and systemd unit, below DESTDIR and PREFIX
#   make install-doc  installs the documentation as HTML, below DESTDIR and PREFIX
#   make dist       makes build/kmemtrace-VERSION.tar.xz, which builds without git, node and network
#   make deb        builds Debian packages of the tool, the module (DKMS) and the documentation, in build/deb
#
# SAN=1 builds with clang, AddressSanitizer and UBSan into build/san. V=1 shows the commands.

PREFIX ?= /usr/local
BUILD ?= build$(if $(SAN),/san)
VERSION := 0.1

ifeq ($(origin CC),default)
CC := $(if $(SAN),clang,gcc)
endif
# With sanitizers, debug information about variables would double the compile time, and a report needs only lines.
CFLAGS ?= $(if $(SAN),-O1 -g1,-O2 -g)
PKGS := glib-2.0 gio-2.0 gio-unix-2.0 json-glib-1.0 sqlite3 zlib libzstd libdw libelf libprotobuf-c ncursesw
WARNINGS := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith \
	    -Wwrite-strings -Wvla $(if $(SAN),-Wno-missing-field-initializers -Wno-string-concatenation \
	    -Wno-unknown-attributes)
# The tool and the unit tests get libFuzzer's coverage, too, as they share their objects with the fuzz targets. gcc's macro
# __SANITIZE_ADDRESS__ marks the sanitizer.
SANFLAGS = $(if $(SAN),-fsanitize=address$(comma)undefined$(comma)fuzzer-no-link -fno-sanitize-recover=undefined \
	    -fno-omit-frame-pointer -D__SANITIZE_ADDRESS__)
comma := ,
# BPF programs are a second source of events besides the module.
BPFTOOL := $(shell PATH="$$PATH:/usr/sbin:/sbin" command -v bpftool)
IS_X86 := $(shell $(CC) -dumpmachine | grep ^x86_64)
HAS_BPF := $(if $(BPFTOOL),$(if $(IS_X86),$(shell command -v clang >/dev/null && pkg-config --exists libbpf && echo yes)))
PKGS += $(if $(HAS_BPF),libbpf)
READLINE := $(shell pkg-config --exists readline && echo readline)
# pkg-config runs on first use, and only once.
PKG_CFLAGS = $(eval PKG_CFLAGS := $(shell pkg-config --cflags $(PKGS) $(READLINE)) $(if $(READLINE),-DHAVE_READLINE))$(PKG_CFLAGS)
PKG_LIBS = $(eval PKG_LIBS := $(shell pkg-config --libs $(PKGS) $(READLINE)))$(PKG_LIBS)
ALL_CFLAGS = -std=gnu11 -D_GNU_SOURCE -DKMEMTRACE_VERSION='"$(VERSION)"' -DG_LOG_DOMAIN='"kmemtrace"' \
	     $(WARNINGS) $(CPPFLAGS) $(CFLAGS) $(SANFLAGS) -Iabi -Iuser -I$(BUILD) $(if $(SAN),-I$(BPF_BUILD)) -Ikernel $(if $(HAS_BPF),-DHAVE_BPF) $(PKG_CFLAGS)

Q := $(if $(V),,@)
say = $(if $(V),@:,@printf '  %-8s%s\n' $(1) $(2))

.PRECIOUS: $(BUILD)/%.o $(BUILD)/bpf/%.bpf.o
.DELETE_ON_ERROR:
.PHONY: all tool modules html demo check check-quick check-kunit check-matrix check-long install install-dkms install-initramfs \
	install-doc dist deb clean unit fuzz fuzz-afl fuzz-long fuzzers vm-modules vm-arm64 bench-modules bench-arm64

all: tool modules

# ---- the tool ----

LIB_SRCS := $(filter-out user/store/query/extension.c,$(sort $(wildcard user/*/*.c user/*/*/*.c)))
ifeq ($(HAS_BPF),)
LIB_SRCS := $(filter-out user/capture/bpf/%,$(LIB_SRCS))
endif
LIB_OBJS := $(LIB_SRCS:%.c=$(BUILD)/%.o) $(BUILD)/user/store/sql.o $(BUILD)/report/export/pprof.pb-c.o \
	$(BUILD)/user/html/page.o
TOOL := $(BUILD)/kmemtrace-user
EXTENSION := $(BUILD)/kmemtrace.so

tool: $(TOOL) $(EXTENSION)
ifeq ($(IS_X86),)
	@echo "without BPF programs, which are for x86-64" >&2
else ifeq ($(HAS_BPF),)
	@echo "without BPF programs: clang, bpftool or libbpf is missing (Debian: clang bpftool libbpf-dev)" >&2
endif

$(TOOL): $(BUILD)/user/main.o $(BUILD)/user/alloc.o $(BUILD)/libkmemtrace.a
	$(call say,LD,$@)
	$(Q)$(CC) $(CFLAGS) $(SANFLAGS) $(LDFLAGS) -o $@ $^ $(PKG_LIBS) -lm -pthread

$(BUILD)/libkmemtrace.a: $(LIB_OBJS)
	$(call say,AR,$@)
	$(Q)rm -f $@ && ar rcs $@ $^

# These sum up values from databases, which may be untrusted: overflowing sums wrap.
$(BUILD)/user/analysis/%.o $(BUILD)/user/report/%.o $(BUILD)/user/store/%.o: WRAPS := -fwrapv

$(BUILD)/%.o: %.c | $(BUILD)/.tools
	$(call say,CC,$<)
	$(Q)mkdir -p $(@D) && $(CC) $(ALL_CFLAGS) $(WRAPS) -MMD -MP -c -o $@ $<

# The BPF programs, stripped of debug information except BTF, embedded by a skeleton.
BPF_CFLAGS = -O2 -g -target bpf -mcpu=v3 -D__TARGET_ARCH_x86 -Wall -Wextra -Wno-unused-parameter -Iabi -Ikernel/bpf \
	-I/usr/include/$(shell $(CC) -print-multiarch) -ffile-prefix-map=$(CURDIR)=.
# Builds with sanitizers use the same programs.
BPF_BUILD := $(BUILD:%/san=%)
BPF_SKELETONS := $(patsubst %,$(BPF_BUILD)/bpf/%.skel.h,kmemtrace direct preemptible by_hot by_stack by_stack_direct)

$(BPF_BUILD)/bpf/by_hot.bpf.o: BPF_CFLAGS += -DKMT_CONTEXT_BY_HOT -DKMT_DIRECT_LOADS
$(BPF_BUILD)/bpf/by_stack.bpf.o $(BPF_BUILD)/bpf/by_stack_direct.bpf.o: BPF_CFLAGS += -DKMT_CONTEXT_BY_STACK
$(BPF_BUILD)/bpf/direct.bpf.o $(BPF_BUILD)/bpf/by_stack_direct.bpf.o: BPF_CFLAGS += -DKMT_DIRECT_LOADS
$(BPF_BUILD)/bpf/preemptible.bpf.o: BPF_CFLAGS += -DKMT_DIRECT_LOADS -DKMT_PREEMPTIBLE
$(BPF_BUILD)/bpf/%.bpf.o: kernel/bpf/kmemtrace.bpf.c $(wildcard kernel/bpf/*.h) abi/kmemtrace_abi.h
	$(call say,BPF,$@)
	$(Q)mkdir -p $(@D) && clang $(BPF_CFLAGS) -c -o $@.debug $< && $(BPFTOOL) gen object $@ $@.debug && rm $@.debug

$(BPF_BUILD)/bpf/%.skel.h: $(BPF_BUILD)/bpf/%.bpf.o
	$(call say,GEN,$@)
	$(Q)$(BPFTOOL) gen skeleton $< name kmt_$* >$@

$(patsubst %.c,$(BUILD)/%.o,$(wildcard user/capture/bpf/*.c)): $(BPF_SKELETONS)

# All SQL statements, as a resource.
SQL := $(sort $(wildcard user/store/sql/*/*.sql))
$(BUILD)/user/store/sql.xml: $(SQL) $(sort $(dir $(SQL)))
	$(Q)mkdir -p $(@D) && { echo '<gresources><gresource prefix="/kmemtrace">'; \
		$(foreach file,$(SQL:user/store/%=%),echo '<file alias="sql/$(notdir $(file))">$(file)</file>';) echo '</gresource></gresources>'; } >$@

RESOURCE := glib-compile-resources --sourcedir=user/store --c-name kmt_store --internal
$(BUILD)/user/store/sql.c: $(BUILD)/user/store/sql.xml $(SQL)
	$(call say,GEN,$@)
	$(Q)mkdir -p $(@D) && $(RESOURCE) --generate-source --target=$@ $<

$(BUILD)/user/store/sql.o: $(BUILD)/user/store/sql.c
	$(call say,CC,$<)
	$(Q)$(CC) $(filter-out $(WARNINGS),$(ALL_CFLAGS)) -c -o $@ $<

# The contents of the page of export -f html, as a resource. Its program, bundled by "make html", is committed.
PAGE := $(addprefix user/html/,html.gresource.xml page.html page.css bundle.js LICENCES.txt)
$(BUILD)/user/html/page.c: $(PAGE)
	$(call say,GEN,$@)
	$(Q)mkdir -p $(@D) && glib-compile-resources --sourcedir=user/html --c-name kmt_html --internal \
		--generate-source --target=$@ $<

$(BUILD)/user/html/page.o: $(BUILD)/user/html/page.c
	$(call say,CC,$<)
	$(Q)$(CC) $(filter-out $(WARNINGS),$(ALL_CFLAGS)) -c -o $@ $<

# Builds bundle.js and LICENCES.txt from the modules beside them and the libraries in package-lock.json.
html:
	$(Q)command -v npm >/dev/null || { echo "npm is missing: tests/setup check installs it" >&2; exit 1; }
	$(Q)cd user/html && npm ci --silent --no-audit --no-fund && node build.js

# The protobuf messages of pprof.
$(BUILD)/report/export/pprof.pb-c.c: user/report/export/pprof.proto
	$(call say,GEN,$@)
	$(Q)mkdir -p $(BUILD) && protoc-c --proto_path=user --c_out=$(BUILD) $<

$(BUILD)/report/export/pprof.pb-c.o: $(BUILD)/report/export/pprof.pb-c.c
	$(call say,CC,$<)
	$(Q)$(CC) $(filter-out $(WARNINGS),$(ALL_CFLAGS)) -c -o $@ $<

$(BUILD)/user/report/export/pprof.o $(BUILD)/tests/unit/test-calllines.o: $(BUILD)/report/export/pprof.pb-c.c

# The SQL functions again, as an extension of the sqlite3 shell, which contains SQLite. Without sanitizers, as the shell has none.
EXTENSION_SRCS := $(addprefix user/,$(addprefix store/,query/extension.c $(addprefix schema/,functions.c live_at.c restrict.c statements.c) \
	$(addprefix scan/,asked_origin.c leaves.c restriction.c scanner.c table_addresses.c table_functions.c table_module.c table_origins.c \
	table_live.c table_ranks.c table_slabs.c table_temporaries.c table_totals.c)) $(addprefix analysis/containers/,intern.c tally.c) \
	$(addprefix base/,gfptext.c quickselect.c seed.c sorted.c units.c))
EXTENSION_OBJS := $(EXTENSION_SRCS:%.c=$(BUILD)/extension/%.o) $(BUILD)/extension/user/store/sql.o
EXTENSION_CFLAGS = $(filter-out $(SANFLAGS),$(ALL_CFLAGS)) -fPIC -fvisibility=hidden -DKMT_EXTENSION

$(EXTENSION): $(EXTENSION_OBJS)
	$(call say,LD,$@)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -shared -Wl,-z,defs -o $@ $^ $(shell pkg-config --libs gio-2.0) -lm

$(BUILD)/extension/%.o: %.c | $(BUILD)/.tools
	$(call say,CC,$@)
	$(Q)mkdir -p $(@D) && $(CC) $(EXTENSION_CFLAGS) -MMD -MP -c -o $@ $<

$(BUILD)/extension/user/store/sql.o: $(BUILD)/user/store/sql.c
	$(call say,CC,$@)
	$(Q)mkdir -p $(@D) && $(CC) $(filter-out $(WARNINGS),$(EXTENSION_CFLAGS)) -c -o $@ $<

# Reports missing tools in one line, before the compiler fails.
$(BUILD)/.tools:
	$(Q)for tool in $(firstword $(CC)) pkg-config protoc-c; do command -v $$tool >/dev/null || \
		{ echo "$$tool is missing: tests/setup build installs what a build needs" >&2; exit 1; }; done
	$(Q)pkg-config --exists $(PKGS) || \
		{ echo "libraries are missing (of $(PKGS)): tests/setup build installs them" >&2; exit 1; }
	$(Q)mkdir -p $(BUILD) && touch $@

# ---- the modules ----

RELEASES := $(notdir $(patsubst %/build,%,$(wildcard /lib/modules/*/build)))
# Tests also use headers in systems of other suites and architectures: tests/vm/suite.
SUITES := $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/kmemtrace/suites
ARM64_SYSTEM := $(SUITES)/bookworm-arm64
ARM64_RELEASES := $(notdir $(patsubst %/build,%,$(wildcard $(ARM64_SYSTEM)/lib/modules/*/build)))
TESTED_RELEASES := $(filter-out $(ARM64_RELEASES),$(RELEASES) \
	$(notdir $(patsubst %/build,%,$(wildcard $(SUITES)/*/lib/modules/*/build))))

RUNNING := $(shell uname -r)

modules: $(RELEASES:%=build/%/kmemtrace.ko)
ifeq ($(filter $(RUNNING),$(RELEASES)),)
	@echo "no module for the running kernel, whose headers are missing" \
		"(Debian, Ubuntu: apt install linux-headers-$(RUNNING); Fedora: dnf install kernel-devel-$(RUNNING))" >&2
endif

# The kernel's build system builds where the sources are, so each kernel gets a folder of links to them.
build/%/kmemtrace.ko: $(wildcard kernel/kmemtrace/*.[ch]) kernel/kmemtrace/Kbuild abi/kmemtrace_abi.h
	$(call say,MODULE,$@)
	$(Q)tests/build-module $* kernel/kmemtrace build/$*

build/%/kmemtrace_truth.ko: $(wildcard tests/vm/truth/*.c) tests/vm/truth/Kbuild
	$(call say,MODULE,$@)
	$(Q)tests/build-module $* tests/vm/truth build/$*

# Programs for tests: some with known calls, also for costs of user stacks; one that stalls; one that stays in the
# kernel; one that starves others; one that fuzzes files; one that allocates all memory; one that waits for a file.
# tsc-khz runs on the host.
USER_CFLAGS := -O1 -g0 -fno-omit-frame-pointer -mno-omit-leaf-frame-pointer -fno-optimize-sibling-calls \
	$(if $(IS_X86),,-mbranch-protection=pac-ret)

$(BUILD)/user-stacks/.made: $(wildcard tests/vm/user/*)
	$(call say,CC,tests/vm/user)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(USER_CFLAGS) $(WARNINGS) -o $(@D)/calls tests/vm/user/calls.c -ldl
	$(Q)cp $(@D)/calls $(@D)/before
	$(Q)$(CC) $(USER_CFLAGS) $(WARNINGS) -o $(@D)/deep tests/vm/user/deep.c
	$(Q)$(CC) $(USER_CFLAGS) $(WARNINGS) -o $(@D)/maps tests/vm/user/maps.c
	$(Q)$(CC) $(USER_CFLAGS) $(WARNINGS) -o $(@D)/stall tests/vm/user/stall.c -pthread
	$(Q)$(CC) $(USER_CFLAGS) -D_GNU_SOURCE $(WARNINGS) -o $(@D)/migrate tests/vm/user/migrate.c
	$(Q)$(CC) $(USER_CFLAGS) -D_GNU_SOURCE $(WARNINGS) -o $(@D)/fuzz-files tests/vm/user/fuzz-files.c
	$(Q)$(CC) $(USER_CFLAGS) -D_GNU_SOURCE $(WARNINGS) -o $(@D)/hog tests/vm/user/hog.c
	$(Q)$(CC) $(USER_CFLAGS) $(WARNINGS) -o $(@D)/stay tests/vm/user/stay.c
	$(Q)$(CC) $(USER_CFLAGS) $(WARNINGS) -o $(@D)/greedy tests/vm/user/greedy.c
	$(Q)$(CC) $(USER_CFLAGS) -D_GNU_SOURCE $(WARNINGS) -o $(@D)/fuse-twin tests/vm/user/fuse-twin.c
	$(Q)$(CC) $(USER_CFLAGS) -D_GNU_SOURCE $(WARNINGS) -o $(@D)/fuse-hold tests/vm/user/fuse-hold.c
	$(Q)$(CC) $(USER_CFLAGS) -D_GNU_SOURCE $(WARNINGS) -o $(@D)/bpf-code tests/vm/user/bpf-code.c
	$(Q)$(CC) $(USER_CFLAGS) -D_GNU_SOURCE $(WARNINGS) -o $(@D)/lock-dirs tests/vm/user/lock-dirs.c
	$(Q)$(if $(IS_X86),$(CC) $(USER_CFLAGS) $(WARNINGS) -o $(@D)/tsc-khz tests/vm/user/tsc-khz.c)
	$(Q)for name in first other; do $(CC) $(USER_CFLAGS) $(WARNINGS) -DFUNCTION=made_by_$$name \
		-Wl,--build-id -o $(@D)/$$name tests/vm/user/twin.c || exit 1; done
	$(Q)$(if $(IS_X86),$(CC) $(USER_CFLAGS) -D_GNU_SOURCE $(WARNINGS) -no-pie -o $(@D)/heap tests/vm/user/heap.c -pthread)
	$(Q)for name in await opener crowd automount many-stacks starve; do $(CC) $(USER_CFLAGS) -D_GNU_SOURCE $(WARNINGS) \
		-o $(@D)/$$name tests/vm/user/$$name.c || exit 1; done
	$(Q)for name in one two; do $(CC) $(USER_CFLAGS) $(WARNINGS) -shared -fPIC -DNAME=library_$$name \
		-o $(@D)/$$name.so tests/vm/user/library.c || exit 1; done
	$(Q)touch $@

vm-modules: modules $(TESTED_RELEASES:%=build/%/kmemtrace.ko) $(TESTED_RELEASES:%=build/%/kmemtrace_truth.ko) build/user-stacks/.made

# Modules for arm64 guests, and the tool and the programs, linked with the libraries of the guests' system.
vm-arm64: $(ARM64_RELEASES:%=build/%/kmemtrace.ko) $(ARM64_RELEASES:%=build/%/kmemtrace_truth.ko)
	$(Q)[ -d $(ARM64_SYSTEM) ] || { echo "there is no system of arm64: tests/setup check makes it" >&2; exit 1; }
	$(Q)PKG_CONFIG_SYSROOT_DIR=$(ARM64_SYSTEM) \
		PKG_CONFIG_LIBDIR=$(ARM64_SYSTEM)/usr/lib/aarch64-linux-gnu/pkgconfig:$(ARM64_SYSTEM)/usr/share/pkgconfig \
		$(MAKE) --no-print-directory BUILD=build/arm64 CC='aarch64-linux-gnu-gcc --sysroot=$(ARM64_SYSTEM)' \
		tool build/arm64/user-stacks/.made

build/%/kmt_bench.ko: tests/bench/kmt_bench/kmt_bench.c tests/bench/kmt_bench/Kbuild
	$(call say,MODULE,$@)
	$(Q)tests/build-module $* tests/bench/kmt_bench build/$*

bench-modules: vm-modules $(TESTED_RELEASES:%=build/%/kmt_bench.ko) build/user-stacks/.made

bench-arm64: vm-arm64 $(ARM64_RELEASES:%=build/%/kmt_bench.ko)

$(BUILD)/bench-%: $(BUILD)/tests/bench/%.o $(BUILD)/libkmemtrace.a
	$(call say,LD,$@)
	$(Q)$(CC) $(CFLAGS) $(SANFLAGS) -o $@ $^ $(PKG_LIBS) -lm -pthread

# ---- tests ----

UNIT_TESTS := $(patsubst tests/unit/%.c,%,$(wildcard tests/unit/test-*.c))
ifeq ($(HAS_BPF),)
UNIT_TESTS := $(filter-out test-bpf-%,$(UNIT_TESTS))
endif
UNIT_BINS := $(UNIT_TESTS:%=$(BUILD)/tests/unit/%)

unit: $(UNIT_BINS)

# A test function gets a fixture and data, even if it doesn't use them.
$(BUILD)/tests/%.o: WARNINGS += -Wno-unused-parameter

$(BUILD)/tests/unit/test-%: $(BUILD)/tests/unit/test-%.o $(BUILD)/tests/unit/trace-builder.o $(BUILD)/libkmemtrace.a
	$(call say,LD,$@)
	$(Q)$(CC) $(CFLAGS) $(SANFLAGS) -o $@ $^ $(PKG_LIBS) -lm -pthread

# ---- fuzz targets, each built for libFuzzer (SAN=1) and to run by hand; with fuzz-afl for AFL++ ----

FUZZERS := $(patsubst tests/fuzz/fuzz-%.c,%,$(wildcard tests/fuzz/fuzz-*.c))
FUZZ_SHARED := tests/fuzz/chunks.c tests/fuzz/command.c tests/fuzz/crcs.c tests/fuzz/folder.c tests/fuzz/mutate.c tests/unit/trace-builder.c
# Targets that read whole traces, which a mutator changes and gives correct CRCs.
TRACE_FUZZERS := load reader receive

# The caller of the target: libFuzzer or a main().
FUZZ_MAIN := $(if $(SAN),,$(BUILD)/tests/fuzz/main.o)
FUZZ_LINK := $(if $(SAN),-fsanitize=fuzzer)

fuzz:
	$(Q)$(MAKE) --no-print-directory SAN=1 fuzzers
	$(Q)$(MAKE) --no-print-directory fuzzers

fuzz-afl:
	$(Q)AFL_QUIET=1 $(MAKE) --no-print-directory fuzzers BUILD=build/fuzz/afl CC=afl-clang-fast \
		CFLAGS='-O1 -g1 -fno-omit-frame-pointer -Wno-missing-field-initializers -Wno-string-concatenation'

fuzz-long: fuzz
	$(Q)tests/fuzz/run 3600

fuzzers: $(FUZZERS:%=$(BUILD)/fuzz-%)

$(BUILD)/tests/fuzz/%.o: ALL_CFLAGS += -Itests/unit

# An archive: fuzz-events has its own reader, and must not be linked with objects that need the real one.
$(BUILD)/libfuzz.a: $(FUZZ_SHARED:%.c=$(BUILD)/%.o)
	$(call say,AR,$@)
	$(Q)rm -f $@ && ar rcs $@ $^

$(BUILD)/fuzz-%: $(BUILD)/tests/fuzz/fuzz-%.o $(FUZZ_MAIN) $(BUILD)/libfuzz.a $(BUILD)/libkmemtrace.a
	$(call say,LD,$@)
	$(Q)$(CC) $(CFLAGS) $(SANFLAGS) $(FUZZ_LINK) -o $@ $(filter %.o,$^) $(filter %.a,$^) $(PKG_LIBS) -lm -pthread

$(TRACE_FUZZERS:%=$(BUILD)/fuzz-%): $(BUILD)/tests/fuzz/mutator.o

$(BUILD)/fuzz-seeds: $(BUILD)/tests/fuzz/seeds.o $(FUZZ_SHARED:%.c=$(BUILD)/%.o) $(BUILD)/libkmemtrace.a
	$(call say,LD,$@)
	$(Q)$(CC) $(CFLAGS) $(SANFLAGS) -o $@ $^ $(PKG_LIBS) -lm -pthread

demo:
	$(Q)tests/setup demo
	$(Q)$(MAKE) --no-print-directory tool build/$$(tests/vm/kernel --release 6.1)/kmemtrace.ko
	$(Q)tests/demo

# tests/check installs the remaining packages while the first builds run.
check:
	$(Q)tests/setup build san
	$(Q)tests/check setup default

check-quick:
	$(Q)tests/setup check
	$(Q)tests/check quick

check-kunit:
	$(Q)tests/setup check kernel
	$(Q)tests/check kunit

check-matrix:
	$(Q)tests/setup check kernel
	$(Q)tests/check build packages kunit debug vm matrix

check-long:
	$(Q)tests/setup check kernel
	$(Q)tests/check build long

# ---- the rest ----

# The sources from which DKMS builds the module for each kernel.
DKMS_DIR = $(DESTDIR)/usr/src/kmemtrace-$(VERSION)
install-dkms:
	umask 022 && install -d $(DKMS_DIR)
	install -m 644 kernel/kmemtrace/*.[ch] kernel/kmemtrace/Kbuild kernel/kmemtrace/Kconfig \
		kernel/kmemtrace/dkms.conf abi/kmemtrace_abi.h $(DKMS_DIR)

INITRAMFS_DIR = $(DESTDIR)/usr/share/initramfs-tools
DRACUT_DIR = $(DESTDIR)/usr/lib/dracut/modules.d/50kmemtrace
install-initramfs:
	umask 022 && install -D -m 755 user/packaging/boot/initramfs-tools/hook $(INITRAMFS_DIR)/hooks/kmemtrace
	umask 022 && install -D -m 755 user/packaging/boot/initramfs-tools/script $(INITRAMFS_DIR)/scripts/init-top/kmemtrace
	umask 022 && install -d $(DRACUT_DIR)
	install -m 755 user/packaging/boot/dracut/*.sh $(DRACUT_DIR)

UNITDIR = $(PREFIX)/lib/systemd/system
install: $(TOOL) $(EXTENSION)
	umask 022 && install -D -m 755 $(TOOL) $(DESTDIR)$(PREFIX)/bin/kmemtrace-user
	umask 022 && install -D -m 644 $(EXTENSION) $(DESTDIR)$(PREFIX)/lib/kmemtrace-user/kmemtrace.so
	umask 022 && install -D -m 644 user/kmemtrace-user.bash \
		$(DESTDIR)$(PREFIX)/share/bash-completion/completions/kmemtrace-user
	umask 022 && install -d $(DESTDIR)$(UNITDIR)
	umask 022 && sed 's,@PREFIX@,$(PREFIX),' user/packaging/boot/kmemtrace.service >$(DESTDIR)$(UNITDIR)/kmemtrace.service
	@command -v rst2man >/dev/null || echo "no manual pages: rst2man is missing (Debian: python3-docutils)"
	$(Q)umask 022; ! command -v rst2man >/dev/null || for page in Documentation/*.1.rst; do \
		man=$(DESTDIR)$(PREFIX)/share/man/man1/$$(basename $$page .rst); \
		mkdir -p $$(dirname $$man) && rst2man $$page $$man || exit 1; done

# Each page for readers, with links between them.
DOC_DIR = $(DESTDIR)$(or $(DOCDIR),$(PREFIX)/share/doc/kmemtrace)
install-doc:
	$(Q)command -v rst2html >/dev/null || { echo "rst2html is missing (Debian: python3-docutils)" >&2; exit 1; }
	umask 022 && install -d $(DOC_DIR)
	$(Q)umask 022; for page in Documentation/*.rst; do \
		rst2html $$page | sed -E 's/(href="[^":]*)\.rst([#"])/\1.html\2/g' >$(DOC_DIR)/$$(basename $$page .rst).html || exit 1; done

DIST := build/kmemtrace-$(VERSION).tar.xz
dist:
	$(call say,TAR,$(DIST))
	$(Q)user/packaging/dist kmemtrace-$(VERSION) $(DIST)

# Built from the tarball, so that the packages match it.
DEB_WORK := build/deb/work
deb: dist
	$(Q)command -v dpkg-buildpackage >/dev/null && command -v dh_dkms >/dev/null || \
		{ echo "debhelper is missing: tests/setup deb installs what packages need" >&2; exit 1; }
	$(Q)rm -rf build/deb && mkdir -p $(DEB_WORK) && tar -xf $(DIST) -C $(DEB_WORK)
	$(Q)cp -R user/packaging/debian $(DEB_WORK)/kmemtrace-$(VERSION)/
	$(call say,DEB,build/deb)
	$(Q)cd $(DEB_WORK)/kmemtrace-$(VERSION) && env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL \
		DEB_BUILD_OPTIONS="$${DEB_BUILD_OPTIONS-noautodbgsym nocheck parallel=$$(nproc)}" \
		dpkg-buildpackage -us -uc -b >$(CURDIR)/build/deb/build.log 2>&1 || { tail -n 20 $(CURDIR)/build/deb/build.log >&2; exit 1; }
	$(Q)mv $(DEB_WORK)/*.deb $(DEB_WORK)/*.changes $(DEB_WORK)/*.buildinfo build/deb/
	$(Q)ls build/deb/*.deb

clean:
	rm -rf build

-include $(shell find $(BUILD)/user $(BUILD)/extension $(BUILD)/tests -name '*.d' 2>/dev/null)
