/*
 * The calls of the study's shared object, each once, as in base/device/calls.h: the study makes one
 * as machine_cuda()->NAME(...), and it is the function machine_cuda_NAME() of cuda/study. All is
 * enqueued on the stream of the context, whose device must be open (satf_gpu_open()); arrays are in
 * that device's memory.
 */
/* clang-format off: the star of a pointer is none of a product */

/*
 * in, MACHINE_MATRIX elements row by row, is put into shared memory by the layout, transposed
 * into another array `times` times by one block of a thread an element, and that array, row by
 * row again, becomes out. numbers: MACHINE_NUMBERS registers, or NULL where the layout has none.
 */
CALL(satf_status, transpose,
     (satf_context * ctx, const machine_transpose *t, const void *in, void *out,
      const uint32_t *numbers, int64_t times),
     NO_STUDY(ctx))

/*
 * A block for each tile, which lies in shared memory by that layout, one of TILE_LAYOUTS. A
 * multiprocessor holds most_blocks of them at most, 0: as many as fit. That is brought about by
 * asking for more shared memory than the tile takes, so that a device can be as small as the
 * paper's.
 */
CALL(satf_status, tiles,
     (satf_context * ctx, size_t kernel, layout_2d layout, int most_blocks, int64_t tiles,
      const float *in, float *out),
     NO_STUDY(ctx))
CALL(satf_status, tiles_residence,
     (satf_context * ctx, size_t kernel, layout_2d layout, int most_blocks,
      machine_residence *residence),
     NO_STUDY(ctx))

/* out[s] = access_fold() of the fields of struct s, which are 1 ... MACHINE_MOST_FIELDS words;
 * COALESCED: of words t, t + 32, ... of its warp's 32 structs, t = s mod 32. structs is a
 * multiple of 32. */
CALL(satf_status, structs,
     (satf_context * ctx, machine_struct way, uint32_t fields, const uint32_t *in, uint32_t *out,
      int64_t structs),
     NO_STUDY(ctx))

/* out[offset + i] = in[offset + i] for 0 <= i < n, a thread for each; in and out aligned to
 * 256 bytes. */
CALL(satf_status, copy,
     (satf_context * ctx, const float *in, float *out, int64_t n, int64_t offset), NO_STUDY(ctx))

/*
 * x^2 ... x^33 of count numbers, a multiple of 32, in groups of 32; where they go within a
 * group is access_power(). In global memory: to out, ACCESS_POWERS words a number.
 */
CALL(satf_status, powers,
     (satf_context * ctx, bool interleaved, const float *in, float *out, int64_t count),
     NO_STUDY(ctx))

/* Computes the powers of MACHINE_POWER_GROUPS groups into shared memory, `times` times in one block
 * with a warp for each; then copies them to out. */
CALL(satf_status, powers_shared,
     (satf_context * ctx, bool interleaved, const float *in, float *out, int64_t times),
     NO_STUDY(ctx))

/* c = a b, of side x side words, a multiple of ACCESS_PRODUCT_TILE; a and b as `way` has
 * them, c row by row. Products and sums are rounded one by one, in ascending order. */
CALL(satf_status, product,
     (satf_context * ctx, access_product way, const float *a, const float *b, float *c,
      int64_t side),
     NO_STUDY(ctx))

/*
 * PATTERN_SMALL elements from one array of shared memory to another, `times` times in
 * one kernel of one block with a thread for each, as in section 4.5; then out =
 * the result. table: PATTERN_SMALL words each of p, q, s and d (section 4.3).
 * in_place: indices are computed; only for patterns that are. PERMUTE_COPY has one form.
 */
CALL(satf_status, permute,
     (const permute_call *call, permute_way way, bool in_place, pattern which, const void *in,
      void *out, const uint32_t *table, int64_t times),
     NO_STUDY(call->ctx))

/* The least that every SAT algorithm must do, and the right result for tables too large to check on
 * the host. Views are packed, on one device, their data aligned to 16 bytes. */

/* out[i] = in[i] in out's type, for the type pairs of SATs: each sample is read
 * once and written once, as in any SAT at the speed of memory. */
CALL(satf_status, convert, (satf_context * ctx, const satf_view *in, const satf_view *out),
     NO_STUDY(ctx))

/*
 * truth[i] = the SAT of in, in whole units modulo 2^64: samples times `units`,
 * which must be whole numbers. truth: 8 bytes a sample. Columns, then rows, one
 * thread and one warp each: nothing in common with the algorithms that it judges.
 */
CALL(satf_status, truth, (satf_context * ctx, const satf_view *in, double units, void *truth),
     NO_STUDY(ctx))

/*
 * *first = the index of the first sample of out that is not truth[i] / units, or
 * -1. relative: how far floats may be off, as a part of the right value.
 * Waits for the device.
 */
CALL(satf_status, compare,
     (satf_context * ctx, const void *truth, const satf_view *out, double units, double relative,
      int64_t *first),
     NO_STUDY(ctx))

/* clang-format on */
#undef CALL
