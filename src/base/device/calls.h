/*
 * The calls of a backend, each once:
 *     CALL(RESULT, NAME, PARAMETERS, what it does where there is no backend)
 * The library makes one as satf_cuda()->NAME(...) (gpu.h). It is the function cuda_NAME() of cuda/.
 * Pointers are to memory of the device unless said otherwise; work is enqueued on the context's
 * stream. A call that is given a context and a device, or something on a device, opens the device,
 * so that callers need not. NO_DEVICE is a failure that says why there is none.
 */

/* -------------------------------------------------------------------------- devices (cuda/base) */

/* How many devices there are. If none, and why is not NULL, *why becomes a clause that says the
 * reason (static storage). */
CALL(int, count, (const char **why), tell_why(why))

/* false, and *info untouched, if the device does not answer. */
CALL(bool, describe, (int device, satf_gpu_info *info), false)

/* For plans: the clock of the multiprocessors, and the rate that the memory is built for. Quick;
 * false, and both untouched, if the device does not tell. */
CALL(bool, speed, (int device, double *clock_khz, double *bytes_per_second), false)

/* Makes device current for the calling thread and creates what the context needs there (its own
 * stream, if it was given none), once. SATF_NO_DEVICE with a sentence if it cannot be used. The
 * library calls satf_gpu_open(), which takes the time. */
CALL(satf_status, open, (satf_context * ctx, int device), NO_DEVICE)

/* Makes current again the CUDA context that was current in the thread before a call opened a
 * device. Returns status. The library calls satf_gpu_leave(). */
CALL(satf_status, leave, (satf_context * ctx, satf_status status), status)

/* Frees what open() has created, if anything. Waits for the context's own work. */
CALL(void, close, (satf_context * ctx), )

/* The stream that the context enqueues on (a cudaStream_t), of the open device. */
CALL(void *, stream, (satf_context * ctx), ctx->stream)

/* Waits for the stream; errors of work that was enqueued before turn up here. */
CALL(satf_status, wait, (satf_context * ctx, int device), NO_DEVICE)

/* Waits for the context's stream of the open device, if one is open. */
CALL(satf_status, synchronize, (satf_context * ctx), SATF_OK)

/* Time on the device: between begin and end, in ms of CUDA events. end waits. */
CALL(satf_status, time_begin, (satf_context * ctx, int device), NO_DEVICE)
CALL(satf_status, time_end, (satf_context * ctx, int device, double *ms), NO_DEVICE)

/* Device memory in the stream's order, aligned to 256 bytes. SATF_NO_MEMORY names the bytes wanted,
 * for what, and the bytes free, and leaves the context usable. */
CALL(satf_status, alloc,
     (satf_context * ctx, int device, size_t bytes, const char *what, void **memory),
     (*memory = NULL, NO_DEVICE))
CALL(void, free, (satf_context * ctx, void *memory), ) /* NULL is allowed */

/*
 * Device memory of that many bytes that the context keeps from one run to the next: zeros if *runs
 * is 1, else as *runs - 1 runs of the same use have left it. Whoever was given it says with kept()
 * that his work is enqueued, or that it failed and the memory is worth nothing. Runs on different
 * streams wait for one another. The context keeps a few, gives up those that were used least
 * recently, and all that are not in use before it runs out of memory. *memory is NULL, with
 * SATF_OK, where none can be kept: while the stream is captured into a graph.
 */
CALL(satf_status, keep,
     (satf_context * ctx, int device, const satf_gpu_use *use, size_t bytes, const char *what,
      void **memory, unsigned *runs),
     (*memory = NULL, NO_DEVICE))
CALL(void, kept, (satf_context * ctx, bool good), )

/* Frees all that is kept and not in use, behind its latest use. */
CALL(void, give_up, (satf_context * ctx), )

/* Copies pixels between checked views of equal size and type, one on the host and one on a device,
 * or both on one device. The host's memory may be used again, or read, after wait() only. */
CALL(satf_status, copy, (satf_context * ctx, const satf_view *from, const satf_view *to), NO_DEVICE)

/* Copies bytes. device: that of the memory that is not the host's. */
CALL(satf_status, copy_bytes,
     (satf_context * ctx, int device, void *to, const void *from, size_t bytes), NO_DEVICE)
CALL(satf_status, set_bytes,
     (satf_context * ctx, int device, void *memory, int value, size_t bytes), NO_DEVICE)

/* Calls release(what), on some thread, once all enqueued work is done or, if the stream is
 * captured, once no graph made of the capture is left. On failure release() has been called. It
 * must make no call of CUDA. */
CALL(satf_status, release_behind,
     (satf_context * ctx, int device, void (*release)(void *), void *what),
     (release(what), NO_DEVICE))

/* Whether the context's stream is being captured into a graph. */
CALL(bool, captures, (satf_context * ctx, int device), false)

/*
 * A use of memory begins, on the context's stream, behind the latest one in `order`. *captured is
 * set where the stream is captured into a graph, which will use the memory whenever it is launched:
 * its uses are the business of who launches it.
 */
CALL(satf_status, order_begin,
     (satf_context * ctx, int device, satf_gpu_order *order, bool *captured), NO_DEVICE)
CALL(void, order_end, (satf_context * ctx, satf_gpu_order *order), ) /* it is enqueued */
CALL(void, order_free, (satf_gpu_order * order), )

/* Frees memory, or none, behind its latest use, at once, also while the stream is captured. */
CALL(void, free_behind, (satf_gpu_order * order, void *memory), )

/* ---------------------------------------------------------------- summed area tables (cuda/sat) */

/* An algorithm of SAT_CUDA_ALGORITHMS (src/sat/gpu.h), by its place there. */
CALL(const sat_algorithm *, algorithm, (size_t index), NULL)

/* For tests: cuda/sat/stress.h. */
CALL(void, stress, (int mode), )

/* -------------------------------------- windows by matrix units (src/sums/march/gpu.h,
 * cuda/products) */

/* Whether the device, which is the current one, has such units and code for them in the backend. */
CALL(bool, multiplies, (int device), false)

/* Decides how it runs; the device is open. The halo is one of the list. */
CALL(satf_status, box_plan, (satf_context * ctx, window_gpu_box *box), NO_DEVICE)

/* Makes the weights, once for any number of runs. */
CALL(satf_status, box_prepare, (satf_context * ctx, const window_gpu_box *box), NO_DEVICE)

/* out = the formula of the window around each sample. */
CALL(satf_status, box_run, (satf_context * ctx, const window_gpu_box *box), NO_DEVICE)

/* Whether the device can take large windows of that shape. */
CALL(bool, large_fits, (const window_gpu_large *large), false)
CALL(satf_status, large_plan, (satf_context * ctx, window_gpu_large *large), NO_DEVICE)
CALL(satf_status, large_prepare, (satf_context * ctx, const window_gpu_large *large), NO_DEVICE)
CALL(satf_status, large_run, (satf_context * ctx, const window_gpu_large *large), NO_DEVICE)

/* Copies bytes, whose rows begin anywhere in both views. */
CALL(satf_status, realign, (satf_context * ctx, const satf_view *from, const satf_view *to),
     NO_DEVICE)

/* ------------------------- the last steps of filters (src/plan/gpu.h, cuda/formula, cuda/sums,
 * cuda/move) */

/* Decides for plan->task, whose pointers are not looked at; its device is open. */
CALL(satf_status, filter_plan, (satf_context * ctx, filter_gpu_plan *plan), NO_DEVICE)

/* out = the formula of the sums that the tables hold. */
CALL(satf_status, filter_run, (satf_context * ctx, const filter_gpu_plan *plan), NO_DEVICE)

/* The same from the samples themselves, of windows, and of rectangles over integers: the task has
 * its layers' types, summands and what lies outside, but no tables. pays: it fits, and is faster
 * than tables. */
CALL(bool, march_fits, (const filter_gpu_task *task, bool pays), false)
CALL(satf_status, march_plan, (satf_context * ctx, filter_gpu_plan *plan), NO_DEVICE)
CALL(satf_status, march_run, (satf_context * ctx, const filter_gpu_plan *plan), NO_DEVICE)

/* The same of windows of floats of any size, weighted or not; the task is run as it is. memory: for
 * so many rows of sums, twice; NULL: windows have few samples, and no luma is read. */
CALL(satf_status, windows,
     (satf_context * ctx, const filter_gpu_task *task, void *memory, int64_t rows), NO_DEVICE)

/* Runs a filter of the pixel alone, which reads no sums and has no plan. */
CALL(satf_status, pixel_run, (satf_context * ctx, const filter_gpu_task *task), NO_DEVICE)

/* Windows of floats: of a choice the means and the keys of all, task->out and task->keys; or a
 * filter for whose windows an image gives the sides. blocks: for the latter, memory of a pyramid
 * (src/sums/choice/pyramid.h). */
CALL(satf_status, floats, (satf_context * ctx, const filter_gpu_task *task, double *blocks),
     NO_DEVICE)

/* out = the mean of the window with the least key, of each pixel's windows (task->choice); of equal
 * ones the first. A march or floats() has made task->out and task->keys, in which a window's place
 * is its last pixel. */
CALL(satf_status, choose, (satf_context * ctx, const filter_gpu_task *task, const satf_view *out),
     NO_DEVICE)

/* Finds the threshold, above which is white, by Otsu's level (histogram_count()), and stores it in
 * keys (reduction.h), of which all others become 0. full: the alpha of floats that is white.
 * counts: memory for a count of each level. */
CALL(satf_status, otsu,
     (satf_context * ctx, const satf_view *in, bool weighted, double full, uint64_t *counts,
      uint64_t *keys),
     NO_DEVICE)

/* A pass over lines, from in to out. */
CALL(satf_status, lines, (satf_context * ctx, const filter_gpu_lines *job), NO_DEVICE)

/* to = from, floats, less its channels' shifts, and shifts = these, as satf_image_shifts() finds
 * them. `to` has packed doubles in rows. */
CALL(satf_status, shift,
     (satf_context * ctx, const satf_view *from, bool weighted, double *shifts,
      const satf_view *to),
     NO_DEVICE)

/* The means over the cells of a coarser grid. (src/sums/cells/gpu.h) */
CALL(satf_status, cells, (satf_context * ctx, const cells_gpu *job), NO_DEVICE)

/* `to` = the pixels of `from`, a view of one shape and type, which need not be packed. */
CALL(satf_status, copy_pixels, (satf_context * ctx, const satf_view *from, const satf_view *to),
     NO_DEVICE)

/* `to` = the samples of `from`, a view of equal size and another type, rounded and saturated as
 * results are (formula_store()). `from` is aligned to its samples. */
CALL(satf_status, convert, (satf_context * ctx, const satf_view *from, const satf_view *to),
     NO_DEVICE)

/* out = in through the adapter; beside: as adapt_kernels has it, of data NULL if there is none. */
CALL(satf_status, adapt,
     (satf_context * ctx, const row_adapter *adapter, const satf_view *in, const satf_view *beside,
      const satf_view *out),
     NO_DEVICE)

/* mix->out = the mix of its images. */
CALL(satf_status, mix, (satf_context * ctx, const filter_mix *mix), NO_DEVICE)

/* All memory of the job is of job->in's device, the order too. */
CALL(satf_status, move, (satf_context * ctx, const move_job *job), NO_DEVICE)

/* ------------------------------------------- permutations (src/permute/permute.h, cuda/permute) */

/* Memory of an open device that belongs to no context, filled from the host's memory; waits. */
CALL(satf_status, table_keep,
     (satf_context * ctx, int device, const void *host, size_t bytes, void **memory),
     (*memory = NULL, NO_DEVICE))
CALL(void, table_drop, (void *memory), )

/* The steps of a context whose device is open. */
CALL(const permute_steps *, steps, (void), NULL)

/* clang-format on */
#undef CALL
