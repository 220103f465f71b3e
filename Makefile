# dmlop. Two commands set a fresh machine up: `make deps demo`, `make deps check`.
# Variables: CC, CFLAGS, OPENMP=0, SANITIZE=address,undefined, WERROR=1, V=1, PREFIX, DESTDIR; STATIC=1 links the
# kernel checkers and benchmarks to run elsewhere (Debian's libcjson is shared only, so not the program).

# gcc-12 or clang-14 and later; everything that is built lies under B.
B       ?= build
PREFIX  ?= /usr/local
DESTDIR ?=
OPENMP  ?= 1
CFLAGS  ?= -O2 -g

PKG_CONFIG ?= pkg-config
PYTHON     ?= /usr/bin/python3

warnings = -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wstrict-prototypes -Wmissing-prototypes
base     = -std=c11 -D_GNU_SOURCE -Isrc -ffp-contract=off -fno-math-errno -fPIE $(warnings)
ldbase   = $(if $(STATIC),-static-pie,-pie) -Wl,-z,relro,-z,now
ifdef WERROR
base    += -Werror
endif
ifneq ($(OPENMP),0)
base    += -fopenmp
ldbase  += -fopenmp
endif
ifdef SANITIZE
base    += -fsanitize=$(SANITIZE) -fno-sanitize-recover=all -fno-omit-frame-pointer
ldbase  += -fsanitize=$(SANITIZE)
else
base    += -D_FORTIFY_SOURCE=2 -fstack-protector-strong
endif

version  = 0.1.0
src      = $(sort $(wildcard src/*/*.c src/*/*/*.c))
obj      = $(src:src/%.c=$(B)/obj/%.o)
lib      = $(B)/libdmlop.a
units    = $(patsubst tests/unit/%.c,$(B)/tests/unit/%,$(sort $(wildcard tests/unit/test_*.c)))
checkers = $(patsubst tests/kernel/%.c,$(B)/tests/kernel/%,$(sort $(wildcard tests/kernel/check_*.c)))
benches  = $(patsubst tests/bench/%.c,$(B)/tests/bench/%,$(sort $(wildcard tests/bench/bench_*.c)))

# Evaluated when a rule runs, so that `make deps demo` works where libcjson is not there yet.
cjson_cflags = $(shell $(PKG_CONFIG) --cflags libcjson)
cjson_libs   = $(shell $(PKG_CONFIG) --libs libcjson)
zip_cflags   = $(shell $(PKG_CONFIG) --cflags libzip)

Q = $(if $(V),,@)
say = $(if $(V),,@printf '  %-5s %s\n' '$(1)' '$(2)')

.PHONY: all deps demo check lint bench bench-peers deps-bench install uninstall clean tests FORCE
.DELETE_ON_ERROR:

all: $(B)/dmlop

# One instruction set per file, named by its suffix; nothing else is built with these flags. Files of the other
# architecture come out empty.
machine := $(shell $(CC) -dumpmachine)
ifneq ($(findstring x86_64,$(machine)),)
avx2   = -mavx2 -mbmi2 -mfma
avx512 = -mavx512f -mavx512bw -mavx512dq -mavx512vl $(avx2)
%_avx2.o:       isa = $(avx2)
%_avxvnni.o:    isa = $(avx2) -mavxvnni
%_avx512.o:     isa = $(avx512)
%_avx512vnni.o: isa = $(avx512) -mavx512vnni
%_amx.o:        isa = $(avx2) -mamx-tile -mamx-int8
else ifneq ($(findstring aarch64,$(machine)),)
%_dotprod.o:    isa = -march=armv8.2-a+dotprod
%_i8mm.o:       isa = -march=armv8.2-a+i8mm
endif

# Small arrays of vectors become registers where -O3 unrolls the loops over them.
$(B)/obj/kernel/x86/qmm_pack%.o $(B)/obj/kernel/arm/qmm_pack%.o: isa += -O3

# A change of compiler or flags rebuilds.
$(B)/flags: FORCE
	@mkdir -p $(B)
	@printf '%s\n' '$(CC) $(CFLAGS) $(CPPFLAGS) $(base) $(LDFLAGS) $(ldbase)' | cmp -s - $@ || \
	 printf '%s\n' '$(CC) $(CFLAGS) $(CPPFLAGS) $(base) $(LDFLAGS) $(ldbase)' > $@

$(B)/obj/%.o: src/%.c $(B)/flags Makefile | $(filter deps,$(MAKECMDGOALS))
	$(call say,CC,$<)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) $(CPPFLAGS) $(base) $(isa) -DDMLOP_VERSION='"$(version)"' \
	    $(if $(filter src/desc/% src/model/%,$<),$(cjson_cflags)) $(if $(filter src/io/npz.c,$<),$(zip_cflags)) -MMD -MP -c -o $@ $<

$(lib): $(obj)
	$(call say,AR,$@)
	$(Q)rm -f $@ && $(AR) rcs $@ $(obj)

# Where libc has what is needed of libm, libm is not loaded: that takes a tenth of a short run's time.
$(B)/dmlop: $(B)/obj/main.o $(lib)
	$(call say,LD,$@)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) $(ldbase) -o $@ $^ $(cjson_libs) -Wl,--as-needed -lc -lm

$(B)/tests/unit/%: tests/unit/%.c $(lib) $(B)/flags
	$(call say,CC,$<)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) $(CPPFLAGS) $(base) -Itests -MMD -MP -o $@ $< $(LDFLAGS) $(ldbase) $(lib) $(cjson_libs) -lcmocka -lm

$(B)/tests/%: tests/%.c $(lib) $(B)/flags
	$(call say,CC,$<)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) $(CPPFLAGS) $(base) -Itests -MMD -MP -o $@ $< $(LDFLAGS) $(ldbase) $(lib) -lm

-include $(obj:.o=.d) $(B)/obj/main.d $(units:=.d) $(checkers:=.d) $(benches:=.d)

# What the build needs, then what the tests need.
packages = libcjson-dev libzip-dev pkg-config bats bats-support bats-assert bats-file libcmocka-dev python3-numpy \
           python3-jsonschema mandoc shellcheck

deps:
	@tests/deps $(packages)

demo: $(B)/dmlop
	@samples/demo $(B)/dmlop

tests: $(B)/dmlop $(units) $(checkers)

check: tests | $(filter deps,$(MAKECMDGOALS))
	@DMLOP='$(abspath $(B))/dmlop' B='$(abspath $(B))' PYTHON='$(PYTHON)' tests/run

lint: $(B)/dmlop
	@DMLOP='$(abspath $(B))/dmlop' B='$(abspath $(B))' CC='$(CC)' tests/lint/run

bench: $(benches)
	@for b in $(benches); do $$b || exit; done

# The same work by other programs, where they are installed; `make deps-bench` fetches some.
onednn = $(and $(wildcard /usr/include/dnnl.h),$(B)/tests/bench/onednn_qmatmul)

$(B)/tests/bench/onednn_qmatmul: tests/bench/onednn_qmatmul.c $(lib)
	$(call say,CC,$<)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) -std=c11 -D_GNU_SOURCE -Isrc $(warnings) -o $@ $< $(lib) -ldnnl

bench-peers: $(B)/dmlop $(onednn)
	@export DMLOP='$(abspath $(B))/dmlop' ONEDNN='$(abspath $(B))/tests/bench/onednn_qmatmul' \
	    NODE_PATH='$(abspath $(B))/peers/node_modules'; \
	for p in tests/bench/peers_*.py; do $(PYTHON) $$p || exit; done

deps-bench:
	@tests/deps python3-torch || echo 'make deps-bench: no torch; bench-peers goes without'
	@tests/deps libdnnl-dev $(if $(shell command -v npm),,nodejs npm)
	npm install --prefix '$(B)/peers' --no-audit --no-fund --ignore-scripts onnxruntime-node

pages   = $(sort $(wildcard man/*.[1-8]))
schemas = model descriptor slice slice1 top_k top_k1 quantized_linear_matrix_multiply

install: $(B)/dmlop
	install -d $(DESTDIR)$(PREFIX)/bin
	install -m 755 $(B)/dmlop $(DESTDIR)$(PREFIX)/bin/dmlop
	set -e; for p in $(pages); do d=$(DESTDIR)$(PREFIX)/share/man/man$${p##*.}; install -d $$d; install -m 644 $$p $$d; done
	install -d $(DESTDIR)$(PREFIX)/share/dmlop
	set -e; for s in $(schemas); do $(B)/dmlop validate --schema=$$s > $(DESTDIR)$(PREFIX)/share/dmlop/$$s.schema.json; done

uninstall:
	rm -f $(DESTDIR)$(PREFIX)/bin/dmlop
	for p in $(pages); do rm -f $(DESTDIR)$(PREFIX)/share/man/man$${p##*.}/$${p##*/}; done
	for s in $(schemas); do rm -f $(DESTDIR)$(PREFIX)/share/dmlop/$$s.schema.json; done

clean:
	rm -rf $(B)
