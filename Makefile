# dmlop. Two commands set a fresh machine up: `make deps demo`, `make deps check`.
# Variables: CC, CFLAGS, OPENMP=0, SANITIZE=address,undefined, WERROR=1, V=1, PREFIX, DESTDIR; STATIC=1 links statically:
# kernel checkers and benchmarks, to run elsewhere; the program only with the libraries of `make release`, as Debian's are shared.

# gcc-12 or clang-14 and later; everything that is built lies under B.
B       ?= build
PREFIX  ?= /usr/local
DESTDIR ?=
OPENMP  ?= 1
CFLAGS  ?= -O2 -g1

PKG_CONFIG ?= pkg-config
PYTHON     ?= /usr/bin/python3

# What the compiler builds for. A compiler of MinGW builds dmlop.exe.
machine := $(shell $(CC) -dumpmachine)
system   = $(if $(findstring mingw,$(machine)),windows,linux)
exe      = $(if $(filter windows,$(system)),.exe)
program  = $(B)/dmlop$(exe)

# Headers that the build makes; lint calls make with the whole path of B, and nothing is to be built again for that.
gen      = $(patsubst $(CURDIR)/%,%,$(abspath $(B)))/gen
warnings = -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wstrict-prototypes -Wmissing-prototypes
language = -std=c11 -D_GNU_SOURCE -Isrc -I$(gen) -ffp-contract=off -fno-math-errno $(platform)
openmp   = $(if $(filter 0,$(OPENMP)),,-fopenmp)
base     = $(warnings) $(language)
ifeq ($(system),windows)
# Formats are checked where they are C's; <math.h> casts to float silently; src/os/windows/posix.h has its own names for C's.
platform = -D__USE_MINGW_ANSI_STDIO=1 -D_FILE_OFFSET_BITS=64 -D_WIN32_WINNT=0x0A00 -DXXH_INLINE_ALL -Isrc/os/windows/include \
           -include os/windows/posix.h -Wno-format -Wno-float-conversion -Wno-missing-prototypes -Wno-pedantic -Wno-unused-parameter
# Compilers that offer control-flow guard have -mguard=cf; Debian's for Windows does not. The loader refuses older systems.
guard   := $(shell $(CC) -mguard=cf -x c -E /dev/null >/dev/null 2>&1 && echo -mguard=cf)
ldbase   = -static -municode $(guard) -Wl,--no-insert-timestamp \
           -Wl,--major-os-version=10,--minor-os-version=0,--major-subsystem-version=10,--minor-subsystem-version=0
hardened = $(guard)
test_flags = -Itests/windows/include -include posix_tests.h
else
platform = -fPIE
# AddressSanitizer's tables need 250,000 relocations in a program that can be anywhere: it starts in 25 ms, not 13.
pie      = $(if $(filter address%,$(SANITIZE)),-no-pie,-pie)
# GCC's OpenMP library looks for what drives accelerators. A static program loads nothing: it is NULL that dlerror returns.
static   = -static-pie -Wl,--wrap=dlopen,--defsym=__wrap_dlopen=dlerror
ldbase   = $(if $(STATIC),$(static),$(pie)) -Wl,-z,relro,-z,now
hardened = -D_FORTIFY_SOURCE=2 -fstack-protector-strong
endif
ifdef WERROR
base    += -Werror
endif
ifdef SANITIZE
base    += -fsanitize=$(SANITIZE) -fno-sanitize-recover=all -fno-omit-frame-pointer -DQUICK_COMPILE
ldbase  += -fsanitize=$(SANITIZE)
else
base    += $(hardened)
endif

version  = 0.1.0
# What a job may need, libraries and locales, is part of the program (linked) or loaded then.
linked   = $(or $(STATIC),$(filter windows,$(system)))
system_c = $(patsubst %,src/os/%/*.c,$(system) $(if $(linked),linked,loaded) $(if $(filter windows,$(system)),single))
src      = $(sort $(filter-out src/os/% src/web/%,$(wildcard src/*/*.c src/*/*/*.c)) $(wildcard $(system_c)))
data     = $(wildcard $(addprefix src/*/*/*.,json txt py bash zsh fish powershell))
tables   = $(patsubst src/%/,%,$(sort $(dir $(data))))
obj      = $(src:src/%.c=$(B)/obj/%.o) $(tables:%=$(B)/obj/%.o)
lib      = $(B)/libdmlop.a
units    = $(patsubst tests/unit/%.c,$(B)/tests/unit/%$(exe),$(sort $(wildcard tests/unit/test_*.c)))
checkers = $(patsubst tests/kernel/%.c,$(B)/tests/kernel/%$(exe),$(sort $(wildcard tests/kernel/check_*.c)))
fuzzers  = $(patsubst tests/fuzz/fuzz_%.c,%,$(sort $(wildcard tests/fuzz/fuzz_*.c)))
replays  = $(fuzzers:%=$(B)/tests/fuzz/replay_%)
benches  = $(patsubst tests/bench/%.c,$(B)/tests/bench/%,$(sort $(wildcard tests/bench/bench_*.c)))

# Evaluated when a rule runs, so that `make deps demo` works where libcjson is not there yet.
cjson_cflags = $(shell $(PKG_CONFIG) --cflags libcjson 2>/dev/null)
cjson_libs   = $(shell $(PKG_CONFIG) --libs libcjson)
zip_cflags   = $(shell $(PKG_CONFIG) --cflags libzip 2>/dev/null)

# xxHash's archive where there is one: loading a library takes a tenth of a short run's time.
ifeq ($(system),windows)
libraries = $(shell $(PKG_CONFIG) --static --libs libzip liblzma) -lntdll -lssp
else
libraries = $(or $(if $(STATIC),,$(wildcard $(shell $(CC) -print-file-name=libxxhash.a))),-lxxhash)
static_libraries = $(if $(STATIC),$(shell $(PKG_CONFIG) --static --libs libzip liblzma))
endif

Q = $(if $(V),,@)
say = $(if $(V),,@printf '  %-5s %s\n' '$(1)' '$(2)')

.PHONY: all deps demo check golden check-editors deps-editors coverage mutate-random lint operators pages deps-lint analyze-gcc analyze-clang-tidy \
        analyze-cppcheck bench bench-peers bench-report bench-show bench-kernels bench-crowd bench-parts deps-bench install uninstall deb check-deb deps-deb clean tests \
        FORCE check-engines deps-engines check-machines deps-machines checkers \
        fuzz fuzz-folder fuzz-targets fuzz-replays fuzz-coverage web deps-web check-web windows deps-windows check-windows boot-windows tests-windows release deps-release
.DELETE_ON_ERROR:

all: $(program)

# One instruction set per file, named by its suffix; nothing else is built with these flags. Files of the other
# architecture come out empty.
ifneq ($(findstring x86_64,$(machine)),)
isa_avx2       = -mavx2 -mbmi2 -mfma
isa_avxvnni    = $(isa_avx2) -mavxvnni
isa_avx512     = -mavx512f -mavx512bw -mavx512dq -mavx512vl $(isa_avx2)
isa_avx512vnni = $(isa_avx512) -mavx512vnni
isa_amx        = $(isa_avx2) -mamx-tile -mamx-int8
else ifneq ($(findstring aarch64,$(machine)),)
isa_dotprod    = -march=armv8.2-a+dotprod
isa_i8mm       = -march=armv8.2-a+i8mm
endif

# Files that differ without OpenMP.
openmp_files = base/openmp_messages base/parallel base/team

# What a rule's file has of its own.
own = $(isa_$(lastword $(subst _, ,$(*F)))) $(if $(filter $(openmp_files),$*),$(openmp)) -DDMLOP_VERSION='"$(version)"' \
      $(if $(filter json/unescape,$*),$(cjson_cflags)) $(if $(filter io/npz,$*),$(zip_cflags))

# What values are compared with helps a fuzzer through texts; in loops over elements it only takes time.
ifneq ($(findstring fuzzer,$(SANITIZE)),)
untraced = $(if $(filter src/kernel/% src/op/% src/tensor/% tests/%,$<),-fno-sanitize-coverage=trace-cmp)
endif

# The rows of src/desc/rule_list.h: a rule without a severity is an error, one without a class plain. C reads the strings as they are.
rule_rows = $(B)/gen/desc/rule_rows.h
$(rule_rows): src/desc/rules.json Makefile
	@mkdir -p $(@D)
	@awk -F'"' '/^  "/ { id = $$2; name = toupper(id); gsub(/[.-]/, "_", name); severity = "ERROR"; class = "PLAIN" } \
	    /^    "severity"/ { severity = toupper($$4) } /^    "class"/ { class = toupper($$4) } \
	    /^    "(sentence|remedy)"/ { text[$$2] = substr($$0, index($$0, ": ") + 2); sub(/,$$/, "", text[$$2]) } \
	    /^  }/ { printf "X(%s, \"%s\", SEV_%s, CLASS_%s, %s, %s)\n", name, id, severity, class, text["sentence"], text["remedy"] }' $< >$@

# The rows of DirectML's enumerations, see struct enum_schema.
enum_rows = $(B)/gen/desc/enum_rows.h
$(enum_rows): src/desc/enumerations.json Makefile
	@mkdir -p $(@D)
	@awk -F'"' '/^  "/ { printf "{ .type = \"%s\", .prefix = \"%s_\", ", $$2, $$2 } /^    "what"/ { printf ".what = \"%s\", ", $$4 } \
	    /^    "names"/ { printf ".n = %d, .names = { ", (NF - 3) / 2; for (i = 4; i < NF; i += 2) printf "\"%s\", ", $$i } \
	    /^    "since"/ { printf "}, .since = { "; for (i = 4; i < NF; i += 2) printf "LEVEL_%s, ", $$i; print "} }," }' $< >$@

# Rows of C of the lists in other files, a list a line: names of C's constants and of recipes and hexadecimal numbers have no quotes
# there, a member of a struct is its offset, and a constant as the first value of a row is the index. tests/lint/rows compares these
# headers with the JSON. The lists are not a level deeper, where JSON is embedded as it is (data).
row_lists = check/model_keys check/sources cli/called_commands cli/called_types desc/field_kinds desc/members \
    desc/parameter_rules desc/edits desc/programs desc/syntax_hints desc/runnable desc/schema_keys desc/recipes desc/reduced_types desc/scalar_members io/spellings json/power10 \
    json/special_keys json/words lsp/init_forms model/other_keys os/columns os/errors part/arrays part/ranks
row_files = $(row_lists:%=$(B)/gen/%_rows.h)
$(row_files): $(B)/gen/%_rows.h: src/%.json Makefile
	@mkdir -p $(@D)
	@sed -nE 's/, null/, NULL/g; s/"((DT|ERROR|FIELD|INIT|JSON|KEY|LEVEL|OP|PROGRAM|RULE|SLOT)_[A-Z0-9_]+|E[A-Z]+|0x[0-9a-f]+|shape_[a-z_]+)"/\1/g; s/"(struct [a-z_]+)\.([a-z_.]+)"/offsetof(\1, \2)/g; s/^  \[([A-Z_0-9]+), (.*)\],?$$/[\1] = { \2 },/p; s/^  \[(.*)\],?$$/{ \1 },/p' $< >$@

# Tables of options, see src/cli/options.h: the keys are members of struct option_row, "to" is the member of a command's struct that
# gets the value, and text is text, except for constants of C, which have a '_'.
option_lists = cli/option_groups run/shared_options run/tensor_options $(patsubst src/%.json,%,$(wildcard src/cmd/*.json))
option_files = $(option_lists:%=$(B)/gen/%_rows.h)
$(option_files): $(B)/gen/%_rows.h: src/%.json Makefile
	@mkdir -p $(@D)
	@sed -E -e '/^[{}]$$/d; s/^  "([a-z_]+)": \[$$/const struct option_row \1[] = {/; s/^  \],?$$/, { .kind = OPTION_END } };/' \
	    -e 's/"kind": "([A-Z]+)", "to": "([a-z_]+)\.([^"]+)"/OPTION_TO(\1, struct \2, \3)/; s/"kind": "/.kind = "OPTION_/' \
	    -e 's/"takes": "/.takes = "TAKES_/; s/"letter": "(.)"/.letter = '\''\1'\''/; s/"(name|why|choices)": /.\1 = /g' \
	    -e 's/"words": \[/.words = (const char *const[]){ /; s/"\]/", NULL }/; s/"([a-z_]+)": "?([^", ]+)"?/.\1 = \2/g' \
	    -e 's/"([A-Z]+_[A-Z_]+)"/\1/g' $< >$@

# A change of compiler or flags rebuilds. Whether there is OpenMP is a matter of one file and of linking: what else is built
# is the same.
$(B)/flags: FORCE | $(rule_rows) $(enum_rows) $(row_files) $(option_files)
	@mkdir -p $(B)
	@printf '%s\n' '$(CC) $(CFLAGS) $(CPPFLAGS) $(base) $(LDFLAGS) $(ldbase)' | cmp -s - $@ || \
	 printf '%s\n' '$(CC) $(CFLAGS) $(CPPFLAGS) $(base) $(LDFLAGS) $(ldbase)' > $@

$(B)/openmp: FORCE
	@mkdir -p $(B)
	@echo '$(openmp)' | cmp -s - $@ || echo '$(openmp)' >$@

$(openmp_files:%=$(B)/obj/%.o): $(B)/openmp

# A clear word where the build or the tests lack something, before anything is compiled.
has_openmp = $(if $(openmp),omp.h)
$(B)/found: $(B)/flags $(B)/openmp tests/found | $(filter deps deps-deb,$(MAKECMDGOALS))
	@tests/found '$(CC)' '$(CFLAGS) $(CPPFLAGS) $(base) $(cjson_cflags) $(zip_cflags)' errno.h cJSON.h lzma.h xxhash.h zip.h $(has_openmp)
	@touch $@

$(B)/found-tests: $(B)/found
	@tests/found '$(CC)' '$(CFLAGS) $(CPPFLAGS) $(base)' cmocka.h
	@touch $@

# Windows: its ABI aligns stacks to 16 bytes, and gcc stores vectors of 32 there as if they were aligned, so the assembler makes
# all such moves unaligned; gcc's intrinsics of AMX take a long for an address.
compiler = $(CC)
ifeq ($(system),windows)
compiler = $(if $(filter %_amx,$*),clang --target=$(machine) -Wno-unused-command-line-argument,$(CC) $(if $(isa_$(lastword $(subst _, ,$(*F)))),-Wa$(comma)-muse-unaligned-vector-move))
endif
comma    = ,
$(B)/obj/%.o: src/%.c $(B)/flags Makefile | $(B)/found
	$(call say,CC,$<)
	@mkdir -p $(@D)
	$(Q)$(compiler) $(CFLAGS) $(CPPFLAGS) $(base) $(own) $(untraced) -MMD -MP -c -o $@ $<

# Texts that are part of the program: the files of a folder, see src/base/util.h.
$(B)/gen/%.c: $(data) $(tables:%=src/%) Makefile
	$(call say,GEN,$@)
	@mkdir -p $(@D)
	$(Q)LC_ALL=C awk 'function put() { printf "\"%s\\0\\%03o\\%03o\\%03o\"\n%s\"\n\"\\0\"\n", name, n % 256, int(n / 256) % 256, int(n / 65536), text } \
	    BEGIN { print "extern const char $(subst /,_,$*)[];\nconst char $(subst /,_,$*)[] =" } \
	    FNR == 1 { if (name != "") put(); name = FILENAME; sub(/.*\//, "", name); text = "\""; n = -1 } \
	    { n += length($$0) + 1; gsub(/[\\"]/, "\\\\&"); text = text (FNR > 1 ? "\\n\"\n\"" : "") $$0 } \
	    END { put(); print ";" }' $(filter src/$*/%,$(data)) >$@

$(tables:%=$(B)/obj/%.o): $(B)/obj/%.o: $(B)/gen/%.c $(B)/flags | $(B)/found
	$(call say,CC,$<)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) $(CPPFLAGS) $(base) -Wno-overlength-strings -MMD -MP -c -o $@ $<

$(lib): $(obj)
	$(call say,AR,$@)
	$(Q)rm -f $@ && $(AR) qcsT $@ $(obj)

# Loading a library takes a tenth of a short run's time. Where libc has what is needed of libm, that is not loaded; GCC's
# OpenMP library becomes part of the program where there is the archive. GCC's only: clang finds the archive too, but its
# threads are another library's, and all would be number 0.
libgomp = $(if $(findstring Free Software Foundation,$(shell $(CC) --version)),$(wildcard $(shell $(CC) -print-file-name=libgomp.a)))
threads = -Wl,--as-needed $(libgomp)
$(program): $(B)/obj/main.o $(if $(exe),$(B)/obj/resource.o) $(lib)
	$(call say,LD,$@)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) $(ldbase) $(openmp) $(if $(linked),-Wl$(comma)-Map=$(B)/map) \
	    -o $@ $^ $(cjson_libs) $(static_libraries) $(libraries) $(threads) $(if $(exe),,-lc) -lm

# cmocka passes a state to every test; few have one.
$(B)/tests/unit/%$(exe): tests/unit/%.c $(lib) $(B)/flags | $(B)/found-tests
	$(call say,CC,$<)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) $(CPPFLAGS) $(base) -Itests $(test_flags) -Wno-unused-parameter -MMD -MP -o $@ $< $(LDFLAGS) $(ldbase) $(openmp) $(lib) $(cjson_libs) -lcmocka $(libraries) $(threads) -lm

# dmlop with faults: any call of these can be made to fail.
wrapped = malloc calloc realloc aligned_alloc open openat __open_2 __openat_2 read mmap mremap write fsync close renameat renameat2 linkat fallocate \
          copy_file_range fstat lseek fchmod mkdir mkdirat fcntl mprotect
$(B)/tests/faults/dmlop: tests/faults/faults.c $(B)/obj/main.o $(lib)
	$(call say,CC,$<)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) $(CPPFLAGS) $(base) -Wno-missing-prototypes $(cjson_cflags) -o $@ $^ $(LDFLAGS) $(ldbase) $(openmp) \
	    $(wrapped:%=-Wl,--wrap=%) $(cjson_libs) $(libraries) -lm

# Benchmarks share what measures and prints.
bench_shared = $(addprefix $(B)/tests/bench/,bench.o machine.o multiply_loops.o reading.o)

$(bench_shared): $(B)/tests/bench/%.o: tests/bench/%.c $(B)/flags Makefile
	$(call say,CC,$<)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) $(CPPFLAGS) $(base) -MMD -MP -c -o $@ $<

$(benches): $(B)/tests/bench/%: tests/bench/%.c $(bench_shared) $(lib) $(B)/flags
	$(call say,CC,$<)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) $(CPPFLAGS) $(base) -Itests -MMD -MP -o $@ $< $(bench_shared) $(LDFLAGS) $(ldbase) $(openmp) $(lib) $(if $(STATIC),,$(cjson_libs)) $(libraries) -lm

$(B)/tests/%$(exe): tests/%.c $(lib) $(B)/flags
	$(call say,CC,$<)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) $(CPPFLAGS) $(base) -Itests $(test_flags) -MMD -MP -o $@ $< $(LDFLAGS) $(ldbase) $(openmp) $(lib) $(libraries) $(threads) -lm

# A fuzz target that runs files through itself, and, where SANITIZE is fuzzer-no-link,..., one with libFuzzer's main.
$(B)/tests/fuzz/replay_%: tests/fuzz/fuzz_%.c tests/fuzz/replay.c $(lib) $(B)/flags
	$(call say,CC,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) $(CPPFLAGS) $(base) -Itests -MMD -MP -MF $@.d -o $@ $< tests/fuzz/replay.c $(LDFLAGS) $(ldbase) $(openmp) $(lib) \
	    $(cjson_cflags) $(cjson_libs) $(libraries) $(threads) -lm

$(B)/tests/fuzz/fuzz_%: tests/fuzz/fuzz_%.c $(lib) $(B)/flags
	$(call say,CC,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) $(CPPFLAGS) $(base) -Itests -MMD -MP -MF $@.d -o $@ $< $(LDFLAGS) $(ldbase) $(openmp) -fsanitize=fuzzer \
	    $(untraced) -static-libstdc++ -static-libgcc $(lib) $(cjson_cflags) $(cjson_libs) $(libraries) -lm

-include $(obj:.o=.d) $(B)/obj/main.d $(units:=.d) $(checkers:=.d) $(benches:=.d) $(bench_shared:.o=.d) $(replays:=.d) \
         $(fuzzers:%=$(B)/tests/fuzz/fuzz_%.d)

# What the build needs, then what the tests need. clang's OpenMP library is a package of its own, of its version.
clangs   = $(filter clang clang-%,$(notdir $(CC)))
to_build = libc6-dev libcjson-dev liblzma-dev libxxhash-dev libzip-dev pkg-config $(clangs) $(clangs:clang%=libomp%-dev)
packages = $(to_build) \
           bats bats-support bats-assert bats-file libcmocka-dev python3-numpy python3-jsonschema mandoc cmark shellcheck

deps:
	@tests/deps $(packages)

demo: | $(filter deps,$(MAKECMDGOALS))
	+@$(MAKE) --no-print-directory $(if $(findstring -j,$(MAKEFLAGS)),,-j "$$(nproc)") $(program)
	@samples/demo $(B)/dmlop
	@b=$$(cd '$(B)' && pwd) && printf '%s\n' "The program is $$b/dmlop. To put it on the PATH: export PATH=\"$$b:\$$PATH\", or: sudo make install"

checkers: $(checkers)

program_of = $(if $(filter test_%,$1),unit/$1,$(if $(filter check_%,$1),kernel/$1,$(if $(filter replay_%,$1),fuzz/$1)))
tests: $(program) $(B)/tests/faults/dmlop $(filter-out $(foreach t,$(EXCEPT),$(B)/tests/$(call program_of,$t)),\
           $(units) $(checkers) $(replays) $(if $(filter bench.bats,$(EXCEPT)),,$(benches)))

# The tests, or those that TESTS names, and only what these run; EXCEPT names some that are left out. What takes long is tried in
# all cases with EXPENSIVE=1. Tests run side by side; so does what builds them, unless -j says otherwise.
needed     = $(if $(TESTS),$(foreach t,$(TESTS),$(or $(addprefix $(B)/tests/,$(call program_of,$t)),$(B)/dmlop)) \
               $(if $(filter faults.bats thread_start.bats,$(TESTS)),$(B)/tests/faults/dmlop) $(if $(filter bench.bats,$(TESTS)),$(benches)),tests)
check: | $(filter deps,$(MAKECMDGOALS))
	+@$(MAKE) --no-print-directory $(if $(findstring -j,$(MAKEFLAGS)),,-j "$$(nproc)") $(needed)
	@DMLOP='$(abspath $(B))/dmlop' B='$(abspath $(B))' PYTHON='$(PYTHON)' tests/run $(TESTS)

# Makes the golden files say what the commands in them print now (tests/cli/golden.py): read the difference, then commit it.
golden: $(program)
	@DMLOP='$(abspath $(B))/dmlop' PYTHON='$(PYTHON)' $(PYTHON) tests/cli/golden.py --write $(or $(GOLDEN:%=tests/cli/golden/%.txt),\
	    $(sort $(wildcard tests/cli/golden/*.txt)))

# Editors with dmlop as their language server, those that are installed; EDITORS names some.
check-editors: $(program)
	@DMLOP='$(abspath $(B))/dmlop' tests/editors/run $(EDITORS)

deps-editors:
	@tests/deps neovim emacs-nox elpa-eglot

# Parts as tasks of GNU parallel, ssh, Open MPI, MPICH and Slurm, all of which must be installed; ENGINES names some.
check-engines: $(program)
	@DMLOP='$(abspath $(B))/dmlop' PYTHON='$(PYTHON)' tests/engines/run $(ENGINES)

deps-engines:
	@tests/deps python3-numpy parallel openssh-client openssh-server openmpi-bin mpich munge slurm-client slurmctld slurmd

# Other processors, by cross compilers and qemu; MACHINES names some.
check-machines: $(program)
	+@DMLOP='$(abspath $(B))/dmlop' B='$(abspath $(B))' PYTHON='$(PYTHON)' MAKE='$(MAKE) --no-print-directory' tests/machines/run $(MACHINES)

deps-machines:
	@tests/deps gcc-aarch64-linux-gnu gcc-riscv64-linux-gnu gcc-powerpc64le-linux-gnu gcc-s390x-linux-gnu \
	            $(patsubst %,libc6-dev-%-cross,arm64 riscv64 ppc64el s390x) qemu-user musl-tools python3-numpy

# Races between threads, by clang's ThreadSanitizer, which OpenMP tells what follows what (libarcher, of libomp-dev). check_topk
# starts no threads.
tsan:
	+@$(MAKE) --no-print-directory B='$(abspath $(B))/tsan' CC=clang SANITIZE=thread all \
	    $(addprefix '$(abspath $(B))'/tsan/tests/,kernel/check_slice kernel/check_qmatmul unit/test_base)
	@B='$(abspath $(B))/tsan' PYTHON='$(PYTHON)' TSAN_OPTIONS='ignore_noninstrumented_modules=1' \
	    tests/run check_slice check_qmatmul test_base threads.bats

# The quick part of the tests, and all examples, under valgrind's memcheck; the language server is asked at fewer places.
memcheck = valgrind -q --error-exitcode=99 --leak-check=full --show-leak-kinds=definite --errors-for-leak-kinds=definite
valgrind: tests
	@B='$(abspath $(B))' PYTHON='$(PYTHON)' RUNNER='$(memcheck)' LSP_STEP=40009 tests/run test_base test_json_doc test_npy test_tensor \
	    test_tensor_file test_lsp replay_lsp demo

# Which lines and branches of src/ the test suite runs, by clang; fails under 95 % and 85 %.
coverage:
	+@$(MAKE) --no-print-directory B='$(abspath $(B))/coverage' CC=clang \
	    CFLAGS='-O1 -g -fprofile-instr-generate -fcoverage-mapping' tests
	@B='$(abspath $(B))/coverage' PYTHON='$(PYTHON)' EXPENSIVE=1 tests/coverage/run

# Breaks the code in COUNT places that chance chooses, for each SEED, and shows what no test notices; fails where a folder of
# src/ is under 95 %. Started again, it goes on; MINUTES ends it, REST=0 leaves out tests that do not run the line.
SEED  ?= 1
COUNT ?= 100
mutate-random:
	@EXPENSIVE=1 tests/mutate/random '$(B)' -j "$$(nproc)" --seed '$(SEED)' --count '$(COUNT)' $(MINUTES:%=--minutes %) $(if $(filter 0,$(REST)),--no-rest)

# Source text, manual and help against each other, then three analyzers; STRICT=1 fails where one is not installed.
lint: $(B)/dmlop
	+@DMLOP='$(abspath $(B))/dmlop' B='$(abspath $(B))' PYTHON='$(PYTHON)' CC='$(CC)' MAKE='$(MAKE)' STRICT='$(STRICT)' tests/lint/run

# The page of all operators, of the files in src/desc/operators; lint holds it to them.
operators:
	@$(PYTHON) tests/operators_page.py write

# The manual in Markdown and the README's picture, in man/, of the pages and what the program prints; lint holds them to that.
pages: $(B)/dmlop operators
	@DMLOP='$(abspath $(B))/dmlop' $(PYTHON) tests/pages.py write

deps-lint:
	@tests/deps clang-tidy cppcheck

# A stamp a file and analyzer: an object that need not be built again need not be analyzed again. gcc's follows memory, files and
# descriptors that code takes: kernels of one instruction set take none, and their intrinsics would be half of its time.
all_src = src/main.c $(src)
analyze-gcc:        $(patsubst src/%.c,$(B)/lint/%.gcc,$(filter-out %_avx2.c %_avxvnni.c %_avx512.c %_avx512vnni.c %_amx.c,$(all_src)))
analyze-clang-tidy: $(all_src:src/%.c=$(B)/lint/%.clang-tidy)

$(B)/lint/%.gcc: src/%.c $(B)/obj/%.o
	@mkdir -p $(@D)
	$(Q)gcc -O1 $(language) $(own) -DQUICK_COMPILE -Werror -fanalyzer -c -o /dev/null $<
	@touch $@

$(B)/lint/%.clang-tidy: src/%.c $(B)/obj/%.o .clang-tidy src/kernel/.clang-tidy
	@mkdir -p $(@D)
	$(Q)clang-tidy --quiet --warnings-as-errors='*' $< -- $(language) $(own) >$@.log 2>&1 || \
	    { grep -v 'warnings generated' $@.log; exit 1; }
	@touch $@

analyze-cppcheck:
	@mkdir -p $(B)/lint/cppcheck
	$(Q)cppcheck --quiet --std=c11 --enable=warning,performance,portability --inline-suppr --error-exitcode=1 \
	    --suppressions-list=tests/lint/cppcheck --cppcheck-build-dir='$(B)/lint/cppcheck' -j $$(nproc) -Isrc -I$(gen) \
	    -D__x86_64__ -D__linux__ -D_OPENMP -DDMLOP_VERSION='"$(version)"' src 2>$(B)/lint/cppcheck.log && \
	    [ ! -s $(B)/lint/cppcheck.log ] || { cat $(B)/lint/cppcheck.log; exit 1; }

# Fuzzing, see tests/fuzz/: every target for TIME seconds. FUZZ is the folder that campaigns run in, which can be taken to
# another machine; what they find stays below it. STRIP=1 makes it smaller, without symbols.
TIME ?= 30
FUZZ ?= $(B)/fuzz/run

fuzz: fuzz-folder
	@'$(FUZZ)/campaign' $(TIME) 1

fuzz-folder:
	@$(MAKE) --no-print-directory B='$(B)/fuzz' CC=clang SANITIZE=fuzzer-no-link,address,undefined fuzz-targets
	@tests/fuzz/pack '$(B)/fuzz/tests/fuzz' '$(FUZZ)' $(STRIP)

fuzz-targets: $(fuzzers:%=$(B)/tests/fuzz/fuzz_%)

# Lines of src/ that seeds and what campaigns kept run through, target by target.
fuzz-coverage:
	@$(MAKE) --no-print-directory B='$(B)/fuzz-coverage' CC=clang CFLAGS='-O1 -g -fprofile-instr-generate -fcoverage-mapping' \
	    SANITIZE= fuzz-replays
	@tests/fuzz/coverage '$(B)/fuzz-coverage/tests/fuzz' '$(FUZZ)'

fuzz-replays: $(replays)

bench: $(benches)
	@for b in $(benches); do $$b || exit; done

# Whether the kernel that auto takes is the fastest of its table, on every case of the benchmarks.
bench-kernels: $(B)/dmlop $(benches)
	@DMLOP='$(abspath $(B))/dmlop' BENCH='$(abspath $(B))/tests/bench' $(PYTHON) tests/bench/kernels.py $(KERNELS)

# The same work by other programs, where they are installed; `make deps-bench` fetches some. PEERS has further options.
onednn = $(and $(wildcard /usr/include/dnnl.h),$(B)/tests/bench/onednn_qmatmul)

$(B)/tests/bench/onednn_qmatmul: tests/bench/onednn_qmatmul.c $(lib)
	$(call say,CC,$<)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) -std=c11 -D_GNU_SOURCE -Isrc $(warnings) -o $@ $< $(lib) -ldnnl

bench_environment = DMLOP='$(abspath $(B))/dmlop' ONEDNN='$(abspath $(B))/tests/bench/onednn_qmatmul' \
                    BENCH='$(abspath $(B))/tests/bench/bench_slice' NODE_PATH='$(abspath $(B))/peers/node_modules'

bench-peers: $(B)/dmlop $(B)/tests/bench/bench_slice $(onednn)
	@for p in tests/bench/peers_*.py; do $(bench_environment) $(PYTHON) $$p $(PEERS) || exit; done

# Both, in some minutes: tests/bench/report.json, plots and tables of it in man/ and README.md; bench-show makes these from
# the report that is there.
bench-report: $(B)/dmlop $(benches) $(onednn)
	@B='$(abspath $(B))' $(bench_environment) $(PYTHON) tests/bench/report.py measure
	@$(PYTHON) tests/bench/report.py show

bench-show:
	@$(PYTHON) tests/bench/report.py show

# Many at once: the default threads against --threads 1; OTHER is a binary to compare with, CROWD further options.
bench-parts: $(B)/dmlop
	@$(PYTHON) tests/bench/parts.py $(PARTS) '$(abspath $(B))/dmlop'

bench-crowd: $(B)/dmlop
	@$(PYTHON) tests/bench/crowd.py $(if $(OTHER),--other '$(OTHER)') $(CROWD) '$(abspath $(B))/dmlop'

deps-bench:
	@tests/deps python3-torch || echo 'make deps-bench: no torch; bench-peers goes without'
	@tests/deps libdnnl-dev $(if $(shell command -v npm),,nodejs npm)
	npm install --prefix '$(B)/peers' --no-audit --no-fund --ignore-scripts onnxruntime-node

# zsh looks into vendor-completions for what Debian packages bring.
manuals = $(sort $(wildcard man/*.[1-8]))
schemas = model descriptor slice slice1 top_k top_k1 quantized_linear_matrix_multiply
samples = $(sort $(wildcard samples/*))
share   = $(DESTDIR)$(PREFIX)/share
ZSHDIR ?= $(PREFIX)/share/zsh/site-functions
bashdir = $(share)/bash-completion/completions
zshdir  = $(DESTDIR)$(ZSHDIR)
fishdir = $(share)/fish/vendor_completions.d

# What prints the texts: the native program.
printer = $(B)/dmlop
install: $(program)
	install -d '$(DESTDIR)$(PREFIX)/bin'
	install -m 755 $(B)/dmlop '$(DESTDIR)$(PREFIX)/bin/dmlop'
	set -e; for p in $(manuals); do d='$(share)'/man/man$${p##*.}; install -d "$$d"; install -m 644 $$p "$$d"; done
	install -d '$(share)/dmlop' '$(share)/doc/dmlop/samples' '$(bashdir)' '$(zshdir)' '$(fishdir)'
	set -e; for s in $(schemas); do $(printer) validate --schema=$$s > '$(share)'/dmlop/$$s.schema.json; done
	install -m 644 $(filter-out samples/demo,$(samples)) '$(share)/doc/dmlop/samples'
	install -m 755 samples/demo '$(share)/doc/dmlop/samples'
	$(printer) completion bash > '$(bashdir)/dmlop'
	$(printer) completion zsh > '$(zshdir)/_dmlop'
	$(printer) completion fish > '$(fishdir)/dmlop.fish'

uninstall:
	rm -f '$(DESTDIR)$(PREFIX)/bin/dmlop' '$(bashdir)/dmlop' '$(zshdir)/_dmlop' '$(fishdir)/dmlop.fish'
	for p in $(manuals); do rm -f '$(share)'/man/man$${p##*.}/$${p##*/}; done
	for s in $(schemas); do rm -f '$(share)'/dmlop/$$s.schema.json; done
	for s in $(samples); do rm -f '$(share)'/doc/dmlop/$$s; done
	-rmdir '$(share)/doc/dmlop/samples' '$(share)/doc/dmlop' '$(share)/dmlop' 2>/dev/null

# A package for this Debian or Ubuntu, build/dmlop_VERSION_ARCHITECTURE.deb, with the dependencies that the program has here;
# check-deb installs it into a bare system. `make deps-deb` fetches what the two need.
deb: $(program) | $(filter deps-deb,$(MAKECMDGOALS))
	@rm -rf '$(B)/deb'
	@$(MAKE) -s --no-print-directory -o $(B)/dmlop DESTDIR='$(B)/deb/root' PREFIX=/usr ZSHDIR=/usr/share/zsh/vendor-completions install
	@CC='$(CC)' .debian/build '$(B)/deb'

check-deb: deb
	@.debian/check '$(B)' '$(abspath $(B))'/dmlop_$(version)_*.deb

deps-deb:
	@tests/deps $(to_build) dpkg-dev lintian mmdebstrap man-db

# The page of src/web/ and the program as WebAssembly, in B/web, for any static server: make deps-web web. The C files are the
# program's, with src/os/wasi, and src/web/absent.c for those that a browser has no use for. clang runs wasm-opt, if it finds one, when it links with -O, so that is left out.
WEB_CC      ?= clang --target=wasm32-wasi
webs         = $(B)/web-parts
web_without  = $(addprefix src/,$(addprefix part/,auto.c files.c merge.c set.c) driver/part.c io/npz.c io/parts_folder.c \
               $(addprefix cmd/,join.c lsp.c selftest.c)) src/cli/completion.c
web_src      = src/main.c $(filter-out src/os/% $(web_without),$(src)) $(sort $(wildcard src/web/*.c src/os/single/*.c src/os/wasi/*.c))
web_obj      = $(web_src:%.c=$(webs)/%.o) $(patsubst %,$(webs)/gen/%.o,$(filter-out cli/shells/,$(tables))) $(webs)/cJSON.o
web_flags    = $(WEB_CC) -Oz -msimd128 -msign-ext -mnontrapping-fptoint -DNDEBUG $(filter-out -fPIE,$(language)) $(warnings) -Wno-shorten-64-to-32 -Wno-gnu-statement-expression -Wno-unused-parameter -ffunction-sections -fdata-sections \
               -DDMLOP_32_BITS -DXXH_INLINE_ALL -isystem $(webs)/cjson -DDMLOP_VERSION='"$(version)"'
web_exports  = __heap_base web_begin web_text web_message web_answers
web_notices  = $(webs)/cjson/LICENSE $(patsubst %,/usr/share/doc/%/copyright,wasi-libc libxxhash-dev) \
               $(lastword $(sort $(wildcard /usr/share/doc/libclang-rt-[0-9]*-dev-wasm32/copyright)))
web_modules  = NODE_PATH='$(abspath $(webs))/npm/node_modules'

web: $(B)/web/index.html

$(webs)/flags: FORCE | $(rule_rows) $(enum_rows) $(row_files) $(option_files)
	@mkdir -p $(webs)
	@printf '%s\n' '$(web_flags)' | cmp -s - $@ || printf '%s\n' '$(web_flags)' >$@

$(webs)/cjson/cJSON.c:
	@tests/deps-source '$(abspath $(webs))' cjson

$(webs)/npm/package-lock.json: src/web/package.json src/web/package-lock.json
	@mkdir -p $(@D)
	@cp src/web/package.json src/web/package-lock.json $(@D)
	@cd $(@D) && npm ci --no-audit --no-fund --ignore-scripts >npm.log 2>&1 || { cat npm.log; rm -f package-lock.json; exit 1; }

$(webs)/%.o: %.c $(webs)/flags Makefile | $(webs)/cjson/cJSON.c
	$(call say,WASM,$<)
	@mkdir -p $(@D)
	$(Q)$(web_flags) -MMD -MP -c -o $@ $<

# Without the help of commands that are absent.
$(webs)/gen/%.o: $(B)/gen/%.c $(webs)/flags Makefile
	$(call say,WASM,$<)
	@mkdir -p $(@D)
	$(Q)sed -E '/^"(join|lsp|selftest)\.txt\\0/,/^"\\0"$$/d' $< | $(web_flags) -Wno-overlength-strings -c -o $@ -x c -

$(webs)/cJSON.o: $(webs)/cjson/cJSON.c $(webs)/flags
	$(call say,WASM,$<)
	$(Q)$(web_flags) -w -c -o $@ $<

# As much stack as Linux gives a thread; below the data, so that a stack that overflows ends the program.
$(webs)/dmlop.wasm: $(web_obj)
	$(call say,LD,$@)
	$(Q)$(WEB_CC) -nostartfiles -Wl,--gc-sections,-O2,--compress-relocations,--strip-all,--stack-first,-z,stack-size=8388608 $(web_exports:%=-Wl,--export=%) \
	    -o $@ $^ -lc-printscan-long-double

$(B)/web/dmlop.wasm: $(webs)/dmlop.wasm src/web/pack.mjs
	$(call say,PACK,$@)
	@mkdir -p $(@D)
	$(Q)node src/web/pack.mjs $< $@

# The page with its editor, the worker, dmlop.wasm, the files of samples/, the notices of all that is in it, and an archive of that.
$(B)/web/index.html: $(patsubst %,$(B)/web/%.html,$(wildcard man/*.[1-8])) $(B)/web/dmlop.wasm $(wildcard src/web/*.*) $(samples) $(webs)/npm/package-lock.json
	$(call say,PAGE,$@)
	$(Q)$(web_modules) node src/web/build.mjs '$(B)/web' '$(version)' $(web_notices)

# The manual, to which the page's findings refer.
$(B)/web/man/%.html: man/%
	$(call say,HTML,$@)
	@mkdir -p $(@D)
	$(Q)mandoc -Thtml -O style=../style.css,man=%N.%S.html $< | sed 's/<html>/<html lang="en">/' >$@

-include $(web_src:%.c=$(webs)/%.d)

# Tests of src/ that need no process and no file, as WebAssembly.
web_tests    = $(addprefix $(webs)/tests/,$(addprefix unit/test_,compare desc generate json_doc json_notation json_write \
               lsp prefetch schema tensor) $(addprefix kernel/check_,slice topk qmatmul_kernels qmatmul_outputs))
web_long     = $(addprefix $(webs)/tests/,unit/test_op_topk unit/test_json_number kernel/check_qmatmul)

$(webs)/tests/%: tests/%.c $(filter-out %/main.o %/web.o,$(web_obj)) $(wildcard tests/web/unit/*.h tests/web/unit/sys/*.h)
	$(call say,WASM,$@)
	@mkdir -p $(@D)
	$(Q)$(web_flags) -UNDEBUG -isystem tests/web/unit -Itests -MMD -MP -Wl,--gc-sections,--stack-first,-z,stack-size=8388608 \
	    -o $@ $(filter %.c %.o,$^) -lc-printscan-long-double

-include $(web_tests:%=%.d) $(web_long:%=%.d)

web_packages = clang lld wasi-libc libclang-rt-dev-wasm32 libxxhash-dev dpkg-dev mandoc
deps-web:
	@tests/deps $(web_packages) $(if $(shell command -v npm),,nodejs npm) chromium-headless-shell firefox-esr
	@$(MAKE) --no-print-directory $(webs)/cjson/cJSON.c $(webs)/npm/package-lock.json

# The page in Chromium and Firefox and its commands in node, against the program. TESTS=long has the tests that take half a minute
# or more.
check-web: $(B)/web/index.html $(program) $(web_tests) $(if $(filter long,$(TESTS)),$(web_long))
	@UNITS='$(abspath $(web_tests))' LONG='$(abspath $(web_long))' DMLOP='$(abspath $(B))/dmlop' WEB='$(abspath $(B))/web' $(web_modules) tests/web/run $(TESTS)

# The program for other systems, by Debian's compilers. Libraries come from Debian's source packages and become part of it.
# elsewhere is the same Makefile with the compiler of a machine, without debug information, which packages have not. The linker's
# map of the program says which libraries are linked.
elsewhere = PKG_CONFIG_LIBDIR='$(abspath $2)/lib/pkgconfig' $(MAKE) --no-print-directory CC=$1-gcc B='$2' CFLAGS=-O2 \
            CPPFLAGS='-isystem $(abspath $2)/include' LDFLAGS='-L$(abspath $2)/lib' $3

# The time in packages: the commit's, or, in a source without history, the changelog's.
epoch = $(or $(SOURCE_DATE_EPOCH),$(shell git log -1 --format=%ct 2>/dev/null),$(shell date -d "$$(sed -n 's/^ -- .*>  //p;T;q' .debian/changelog)" +%s))

# Archives with a static program for any Linux, in B/release: make deps-release release.
release_machines = x86_64 aarch64
release_parts    = $(B)/release-parts
release: $(release_machines:%=$(release_parts)/%/lib/libraries) $(program)
	+@$(foreach m,$(release_machines),$(call elsewhere,$m-linux-gnu,$(release_parts)/$m,STATIC=1) all &&) true
	@set -e; rm -rf '$(B)/release'; for m in $(release_machines); do p='$(release_parts)'/$$m; rm -rf $$p/files; \
	    $(MAKE) -s --no-print-directory -o $$p/dmlop B=$$p printer='$(program)' DESTDIR=$$p/files PREFIX= install; \
	    SOURCE_DATE_EPOCH='$(epoch)' tests/release/package $$p '$(B)/release' dmlop-$(version)-linux-$$m $$m-linux-gnu; done

$(release_parts)/%/lib/libraries: tests/libraries
	$(call say,LIBS,$@)
	$(Q)tests/libraries '$(abspath $(release_parts))/$*' $*-linux-gnu

deps-release:
	@tests/deps $(to_build) gcc cmake ninja-build dpkg-dev xz-utils \
	    $(if $(filter aarch64%,$(machine)),gcc-x86-64-linux-gnu libc6-dev-amd64-cross,gcc-aarch64-linux-gnu libc6-dev-arm64-cross)
	@$(MAKE) --no-print-directory $(release_machines:%=$(release_parts)/%/lib/libraries)

# The program for Windows: make deps-windows windows. DOWNLOADS is the address that winget's and scoop's manifests get it from.
DOWNLOADS   ?= https://dmlop.example.net/releases
win          = $(B)/windows-parts
windows_make = $(call elsewhere,x86_64-w64-mingw32,$(win))

windows: $(win)/lib/libraries $(program)
	+@$(windows_make) all
	@DMLOP='$(abspath $(program))' SCHEMAS='$(schemas)' SOURCE_DATE_EPOCH='$(epoch)' DOWNLOADS='$(DOWNLOADS)' \
	    tests/windows/package '$(win)' '$(B)/windows' '$(version)'

$(win)/lib/libraries: tests/libraries
	$(call say,LIBS,$@)
	$(Q)tests/libraries '$(abspath $(win))' x86_64-w64-mingw32

# What is in the program of its version, and how the system starts it.
$(B)/obj/resource.o: src/os/windows/dmlop.rc src/os/windows/dmlop.manifest $(B)/flags Makefile
	$(call say,RC,$<)
	@mkdir -p $(@D)/resource
	@for f in $(filter src/%,$^); do sed 's/VERSION_TEXT/$(version)/; s/VERSION_NUMBERS/$(subst .,$(comma),$(version)),0/' $$f >$(@D)/resource/$${f##*/}; done
	$(Q)$(machine)-windres -I$(@D)/resource $(@D)/resource/dmlop.rc $@

deps-windows:
	@tests/deps $(to_build) gcc-mingw-w64-x86-64-posix g++-mingw-w64-x86-64-posix clang cmake ninja-build dpkg-dev wine64 mandoc zip
	@$(MAKE) --no-print-directory $(win)/lib/libraries

check-windows: boot-windows windows
	+@$(windows_make) tests-windows
	@echo "built in $$(($$(date +%s) - $(began))) s"
	@DMLOP='$(abspath $(program))' PYTHON='$(PYTHON)' tests/windows/run '$(abspath $(win))' $(TESTS)

ifneq ($(filter check-windows,$(MAKECMDGOALS)),)
began := $(shell date +%s)
endif
boot-windows:
	@tests/windows/run '$(win)' boot

# tests/windows/run says what is left out.
tests-windows: $(filter-out $(addprefix %/,test_input.exe test_model.exe test_output.exe test_op_topk.exe check_edges.exe check_topk_cases.exe),\
                   $(units) $(checkers)) $(B)/tests/windows/hold.exe

$(B)/tests/windows/hold.exe: tests/windows/hold.c $(B)/flags
	$(call say,CC,$<)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) $(warnings) -std=c11 -municode -static -o $@ $<

clean:
	rm -rf $(B)
