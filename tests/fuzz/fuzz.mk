# The library once more, as clang's fuzzer instruments it, and a program per target,
# all under fuzz/ of the build folder. tests/fuzz/Makefile.inc sets the variables.

flags = -I. -DHAVE_CONFIG_H $(fuzz_includes) -O1 -g -fno-omit-frame-pointer -std=c11 -ffp-contract=off -MMD -MP \
	-fsanitize=address,undefined -fno-sanitize-recover=undefined
sources = $(sort $(filter-out %.h %.cu,$(fuzz_sources)))
isas = base $(if $(fuzz_avx2),avx2) $(if $(fuzz_avx512),avx512)
objects = $(sources:%.c=fuzz/core/%.o) $(foreach i,$(isas),$(fuzz_kernels:%.c=fuzz/$(i)/%.o))

run: $(FUZZ_TARGETS:%=fuzz/target_%)
	@$(srcdir)/tests/fuzz/run.sh '$(srcdir)/tests/fuzz/corpus' '$(FUZZ_SECONDS)' $(FUZZ_TARGETS)

compiler:
	@echo 'int main(void) { return 0; }' | \
		$(FUZZ_CC) -fsanitize=fuzzer-no-link,address -x c -o /dev/null - 2>/dev/null || { \
		echo "make fuzz needs clang and its sanitizers (Debian: clang, libclang-rt-14-dev);" \
		"FUZZ_CC=NAME names another one" >&2; exit 1; }

define folder
fuzz/$(1)/%.o: $(srcdir)/%.c config.h | compiler
	@mkdir -p $$(@D)
	@echo '  FUZZ_CC  $$@'
	@$(FUZZ_CC) $(flags) $(2) -fsanitize=fuzzer-no-link -c -o $$@ $$<
endef
$(eval $(call folder,core,))
$(foreach i,$(isas),$(eval $(call folder,$(i),-DSATF_ISA=$(i) $(fuzz_$(i)))))

link = @echo '  FUZZ_LD  $@'; $(FUZZ_CC) $(flags) -fsanitize=fuzzer -o $@ $(filter %.c,$^) \
	$(objects) $(fuzz_libs)
fuzz/target_%: $(srcdir)/tests/fuzz/%.c $(srcdir)/tests/fuzz/fuzz.h $(objects)
	$(link)
decoder = $(srcdir)/tests/fuzz/decode.c $(srcdir)/tests/fuzz/fuzz.h $(objects)
fuzz/target_png: $(srcdir)/tests/fuzz/png_chunks.c
fuzz/target_jpeg fuzz/target_pnm fuzz/target_pfm fuzz/target_npy fuzz/target_png \
		$(fuzz_modules:%=fuzz/target_%): $(decoder)
	$(link) -DFUZZ_FORMATS='"$(@:fuzz/target_%=%)"'
# Modules are opened as ever, and instrumented too.
define module
fuzz/target_$(1): fuzz/libsatfilter-$(1).so.0
fuzz/libsatfilter-$(1).so.0: $(addprefix $(srcdir)/,$(fuzz_$(1))) config.h | compiler
	@mkdir -p $$(@D)
	@echo '  FUZZ_LD  $$@'
	@$(FUZZ_CC) $(flags) $(fuzz_$(1)_flags) -fsanitize=fuzzer-no-link -fPIC -fvisibility=hidden -shared -o $$@ \
		$$(filter %.c,$$^) $(fuzz_$(1)_libs)
endef
$(foreach m,$(fuzz_modules),$(eval $(call module,$(m))))
fuzz/target_stb: $(decoder)
	$(link) -DFUZZ_FORMATS='"bmp psd hdr tga"'

.PHONY: run compiler
.SECONDARY:
-include $(objects:.o=.d)
