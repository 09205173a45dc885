#include "model.h"

#include "base/cpu.h"
#include "chain/filter.h"

/* ------------------------------------------------------------------------------- pictures */

const int model_types[MODEL_TYPES] = {SATF_U8, SATF_U16, SATF_F32, SATF_F64};
const struct model_layout model_layouts[MODEL_LAYOUTS] = {{1, 0}, {2, 0}, {3, 0}, {4, 0},
                                                          {2, 1}, {3, 1}, {4, 1}};

double model_full(int type, int full)
{
    double max = (double)satf_type_max(type);
    return full ? full : max > 0 ? max : 1;
}

int model_pick(uint64_t *seed, int count)
{
    return (int)((ref_random(seed) >> 33) % (uint64_t)count);
}

void model_fill(ref_image *image, int how, uint64_t seed)
{
    ref_fill(image, seed);
    int64_t max = (int64_t)satf_type_max(image->type);
    max = max ? max : 8 * (int64_t)REF_UNIT;
    for (int64_t i = 0; how != MODEL_ANY && i < ref_count(image); i++) {
        int64_t bit = (int64_t)(ref_random(&seed) >> 20 & 1);
        if ((how == MODEL_WHITE || how == MODEL_BLACK) && image->alpha &&
            i % image->channels == image->channels - 1) {
            continue; /* or nothing would be seen */
        }
        image->samples[i] = how == MODEL_FEW       ? bit
                            : how == MODEL_NEAR    ? max - bit
                            : how == MODEL_WHITE   ? max
                            : how == MODEL_EXTREME ? max * bit
                                                   : 0;
    }
}

/* --------------------------------------------------------------------------------- cases */

bool model_is_real(const model_case *c)
{
    return !satf_type_max(c->image.type);
}

double model_constant(const model_case *c)
{
    return model_is_real(c) ? (double)c->constant / REF_UNIT : (double)c->constant;
}

model_case model_draw(uint64_t *seed, int width, int height, int sides)
{
    static const int64_t lengths[] = {1, 2, 3, 4, 5, 7, 8, 15, 39, 255};
    model_case c = {.seed = *seed, .border = model_pick(seed, MODEL_BORDERS)};
    const struct model_layout *layout = &model_layouts[model_pick(seed, MODEL_LAYOUTS)];
    c.image = (ref_image){1 + model_pick(seed, width),
                          1 + model_pick(seed, height),
                          layout->channels,
                          model_types[model_pick(seed, MODEL_TYPES)],
                          layout->alpha,
                          NULL};
    c.w = lengths[model_pick(seed, sides)];
    c.h = model_pick(seed, 3) ? c.w : lengths[model_pick(seed, sides)];
    c.constant = c.border != SATF_BORDER_CONSTANT ? 0 : model_is_real(&c) ? REF_UNIT : 1;
    return c;
}

satf_filter *model_filter(satf_context *ctx, const model_case *c, const char *name,
                          const char *options)
{
    satf_filter *filter;
    char text[100], value[40], key[20];
    MUST(ctx, satf_filter_create(ctx, name, &filter));
    snprintf(text, sizeof text, "%ldx%ld", (long)c->w, (long)c->h);
    MUST(ctx, satf_filter_set(ctx, filter, "size", text));
    snprintf(text, sizeof text, "%ld:%ld", (long)c->at_x, (long)c->at_y);
    if (c->at_x || c->at_y) {
        MUST(ctx, satf_filter_set(ctx, filter, "at", text));
    }
    for (const char *at = options; *at; at += strcspn(at, ","), at += *at == ',') {
        strcpy(value, "on");
        assert_true(sscanf(at, "%19[^=,]=%39[^,]", key, value) >= 1);
        MUST(ctx, satf_filter_set(ctx, filter, key, value));
    }
    MUST(ctx, satf_filter_set_border(ctx, filter, (satf_border)c->border, model_constant(c)));
    return filter;
}

void model_each(satf_context *ctx, const int64_t size[4], uint64_t seed,
                void (*with)(satf_context *, model_case *))
{
    static pairs met;
    memset(&met, 0, sizeof met);
    for (int k = 0; k < MODEL_TYPES * MODEL_LAYOUTS; k++) {
        int type = k / MODEL_LAYOUTS, layout = k % MODEL_LAYOUTS;
        model_case c = {.w = size[2], .h = size[3], .seed = seed++};
        c.image = (ref_image){size[0],
                              size[1],
                              model_layouts[layout].channels,
                              model_types[type],
                              model_layouts[layout].alpha,
                              NULL};
        c.fill = seed % 3 ? MODEL_ANY : (int)(seed / 3 % MODEL_FILLS);
        model_fill(&c.image, c.fill, c.seed);
        for (c.border = 0; c.border < MODEL_BORDERS; c.border++) {
            c.constant = c.border == SATF_BORDER_CONSTANT ? 7 + (int64_t)(seed & 127) : 0;
            if (PAIRS_RUN(&met, type, layout, c.border)) {
                with(ctx, &c);
            }
        }
        free(c.image.samples);
    }
}

/* ------------------------------------------------------------------------------- windows */

/* What sample c of a pixel adds to the sum, or to that of squares. */
static ref_wide summand(const ref_image *image, const int64_t *pixel, int c, bool squared)
{
    ref_wide sample = pixel[c];
    if (image->alpha && c == image->channels - 1) {
        return sample; /* alpha weighs, and is not weighed */
    }
    return sample * (squared ? sample : 1) * (image->alpha ? pixel[image->channels - 1] : 1);
}

/* Of a pixel outside, all of whose channels are the constant. */
static ref_wide summand_outside(const ref_image *image, int border, int64_t constant, int c,
                                bool squared)
{
    int64_t pixel[8];
    for (int k = 0; k < 8; k++) {
        pixel[k] = constant;
    }
    return border == SATF_BORDER_CONSTANT ? summand(image, pixel, c, squared) : 0;
}

/* Of n values, so far apart, the sums of `length` ones from position `first` of each on. */
static void slide(const ref_wide *values, int64_t step, int64_t n, int border, int64_t first,
                  int64_t length, ref_wide outside, ref_wide *sums)
{
    SCOPED ref_wide *before = calloc((size_t)(n + length), sizeof *before);
    for (int64_t k = 0; k < n + length - 1; k++) {
        int64_t i = satf_border_index(border, first + k, n);
        before[k + 1] = before[k] + (i < 0 ? outside : values[i * step]);
    }
    for (int64_t i = 0; i < n; i++) {
        sums[i * step] = before[i + length] - before[i];
    }
}

/* One axis after the other. */
static void sum_rects(const model_sums *s, bool squared, ref_wide *sums)
{
    const ref_image *image = s->image;
    const satf_rect *rect = &s->rect;
    int64_t C = image->channels, n = ref_count(image), W = image->width, H = image->height;
    SCOPED ref_wide *samples = malloc((size_t)n * sizeof *samples);
    SCOPED ref_wide *rows = malloc((size_t)n * sizeof *rows);
    for (int64_t i = 0; i < n; i++) {
        samples[i] = summand(image, image->samples + i / C * C, (int)(i % C), squared);
    }
    for (int64_t c = 0; c < C; c++) {
        ref_wide outside = summand_outside(image, s->border, s->constant, (int)c, squared);
        for (int64_t i = c; i < n; i += W * C) {
            slide(samples + i, C, W, s->border, rect->x, rect->w, outside, rows + i);
        }
        for (int64_t i = c; i < W * C; i += C) {
            slide(rows + i, W * C, H, s->border, rect->y, rect->h, rect->w * outside, sums + i);
        }
    }
}

/* The pixels of each rectangle that count: inside, where the border shrinks. */
static void find_areas(const model_sums *s)
{
    int64_t W = s->image->width, H = s->image->height;
    bool shrinks = s->border == SATF_BORDER_SHRINK;
    SCOPED ref_wide *ones = malloc((size_t)(W + H) * sizeof *ones);
    SCOPED ref_wide *columns = malloc((size_t)W * sizeof *columns);
    SCOPED ref_wide *lines = malloc((size_t)H * sizeof *lines);
    for (int64_t i = 0; i < W + H; i++) {
        ones[i] = 1;
    }
    slide(ones, 1, W, s->border, s->rect.x, s->rect.w, !shrinks, columns);
    slide(ones, 1, H, s->border, s->rect.y, s->rect.h, !shrinks, lines);
    for (int64_t i = 0; i < W * H; i++) {
        s->area[i] = (int64_t)(columns[i % W] * lines[i / W]);
    }
}

/* How often each of n places is shown; returns how many positions show none. */
static int64_t show(int border, int64_t first, int64_t length, int64_t n, int64_t *times)
{
    int64_t outside = 0;
    memset(times, 0, (size_t)n * sizeof *times);
    for (int64_t k = first; k < first + length; k++) {
        int64_t i = satf_border_index(border, k, n);
        times[i < 0 ? 0 : i] += i >= 0;
        outside += i < 0;
    }
    return outside;
}

void model_mean(const ref_image *image, int border, int64_t constant, satf_rect rect, int c,
                ref_wide *over, ref_wide *under)
{
    int channels = image->channels, last = channels - 1;
    SCOPED int64_t *across = malloc((size_t)image->width * sizeof *across);
    SCOPED int64_t *down = malloc((size_t)image->height * sizeof *down);
    int64_t columns = rect.w - show(border, rect.x, rect.w, image->width, across);
    int64_t lines = rect.h - show(border, rect.y, rect.h, image->height, down);
    ref_wide outside = border == SATF_BORDER_CONSTANT ? rect.w * rect.h - columns * lines : 0;
    bool weighted = image->alpha && c < last;
    *over = outside * summand_outside(image, border, constant, c, false);
    *under = outside * (weighted ? constant : 1);
    for (int64_t i = 0; i < image->width * image->height; i++) {
        const int64_t *pixel = image->samples + i * channels;
        ref_wide times = (ref_wide)across[i % image->width] * down[i / image->width];
        *over += times ? times * summand(image, pixel, c, false) : 0;
        *under += times * (weighted ? pixel[last] : 1);
    }
}

model_sums model_sum(const ref_image *image, int border, int64_t constant, satf_rect rect)
{
    size_t n = (size_t)ref_count(image), pixels = (size_t)(image->width * image->height);
    model_sums s = {image, border, constant, rect, NULL, NULL, NULL};
    s.sums = malloc(n * sizeof *s.sums);
    s.squares = malloc(n * sizeof *s.squares);
    s.area = malloc(pixels * sizeof *s.area);
    sum_rects(&s, false, s.sums);
    sum_rects(&s, true, s.squares);
    find_areas(&s);
    return s;
}

satf_rect model_rect(const model_case *c)
{
    return (satf_rect){c->at_x - c->w / 2, c->at_y - c->h / 2, c->w, c->h};
}

void model_sums_free(model_sums *sums)
{
    free(sums->sums);
    free(sums->squares);
    free(sums->area);
}

model_moments model_moments_at(const model_sums *s, int64_t i)
{
    const ref_image *image = s->image;
    int64_t pixel = i / image->channels, last = (pixel + 1) * image->channels - 1;
    bool is_alpha = image->alpha && i == last, weighted = image->alpha && !is_alpha;
    return (model_moments){weighted ? s->sums[last] : s->area[pixel],
                           s->sums[i],
                           s->squares[i],
                           model_unit(image, weighted),
                           model_unit(image, 1 + weighted),
                           model_unit(image, 2 + weighted),
                           is_alpha};
}

double model_unit(const ref_image *image, int power)
{
    return satf_type_max(image->type) ? 1 : pow(REF_UNIT, -power);
}

ref_wide model_round(ref_wide over, ref_wide under)
{
    ref_wide twice = 2 * over + under;
    return under == 0 ? 0 : twice / (2 * under) - (twice % (2 * under) < 0);
}

double model_saturated(double value, double most)
{
    return value < 0 ? 0 : value > most ? most : value;
}

/* -------------------------------------------------------------------------------- driver */

/* Makes the part `at` of the result. */
typedef satf_status apply_function(satf_context *ctx, const model_run *run, satf_view *out,
                                   satf_rect *at);

static satf_status apply_whole(satf_context *ctx, const model_run *run, satf_view *out,
                               satf_rect *at)
{
    (void)at;
    return satf_filter_apply(ctx, run->filter, &run->in, out);
}

static satf_status apply_part(satf_context *ctx, const model_run *run, satf_view *out,
                              satf_rect *at)
{
    *at = (satf_rect){at->w / 3, at->h / 2, (at->w + 1) / 2, (at->h + 1) / 2};
    out->width = at->w;
    out->height = at->h;
    return satf_filter_apply_rect(ctx, run->filter, &run->in, at, out);
}

static satf_status apply_rows(satf_context *ctx, const model_run *run, satf_view *out,
                              satf_rect *at)
{
    satf_rows *rows;
    int64_t pushed = 0, pulled = 0, count;
    (void)at;
    satf_status status = satf_rows_open(ctx, run->filter, &run->in, out, &rows);
    if (status) {
        return status;
    }
    while (!status && pulled < out->height) {
        int64_t left = run->in.height - pushed, next = 1 + (int64_t)run->seed % 4;
        status = satf_rows_push(rows, satf_row(&run->in, pushed), run->in.stride,
                                left < next ? left : next, &count);
        pushed += count;
        status = status ? status
                        : satf_rows_pull(rows, satf_row(out, pulled), out->stride,
                                         out->height - pulled, &count);
        pulled += count;
    }
    satf_rows_close(rows);
    return status;
}

/* Rows that come and go, of which those are kept that the plan asks for: others are noise. */
typedef struct kept_rows {
    const satf_view *in, *out;
    filter_rows_need need;
    int64_t newest;
    char *ring;
} kept_rows;

static const void *kept_row(void *user, int64_t y)
{
    kept_rows *k = user;
    size_t bytes = (size_t)(satf_row_samples(k->in) * (int64_t)satf_type_bytes(k->in->type));
    assert_in_range(y, 0, k->in->height - 1);
    if (y < k->need.start || y >= k->in->height - k->need.end) {
        return satf_row(k->in, y);
    }
    assert_true(y > k->newest - k->need.kept);
    for (; k->newest < y; k->newest++) {
        char *to = k->ring + (size_t)((k->newest + 1) % k->need.kept) * bytes;
        memcpy(to, satf_row(k->in, k->newest + 1), bytes);
    }
    return k->ring + (size_t)(y % k->need.kept) * bytes;
}

static void *row_of_result(void *user, int64_t y)
{
    return satf_row(((kept_rows *)user)->out, y);
}

static satf_status apply_kept(satf_context *ctx, const model_run *run, satf_view *out,
                              satf_rect *at)
{
    SCOPED_PLAN *plan;
    (void)at;
    satf_status status = filter_plan_rows(ctx, run->filter, 0, 1, NULL, &run->in, NULL, out, &plan);
    if (status) {
        return status;
    }
    kept_rows k = {&run->in, out, filter_plan_need(plan), -1, NULL};
    if (k.need.refusal) {
        return satf_fail(ctx, SATF_UNSUPPORTED, "%s", k.need.refusal);
    }
    SCOPED char *ring = k.ring = malloc((size_t)(k.need.kept * run->in.stride));
    return filter_plan_run_rows(ctx, plan,
                                &(filter_rows){.in = kept_row, .out = row_of_result, .user = &k});
}

static satf_status apply_plan(satf_context *ctx, const model_run *run, satf_view *out,
                              satf_rect *at)
{
    SCOPED_PLAN *plan;
    satf_view inputs[2] = {run->in, *run->second};
    (void)at;
    satf_status status = satf_plan_create(ctx, run->without, inputs, 2, out, 1, &plan);
    return status ? status : satf_plan_run(plan, inputs, 2, out, 1);
}

typedef struct run_way {
    const char *name;
    unsigned bit;
    satf_engine engine;
    apply_function *apply;
    int threads;
} run_way;

static void describe(const model_run *run, const run_way *way)
{
    char spec[300];
    satf_filter_print(run->filter, spec, sizeof spec);
    print_error("%s of %s, %d channels%s, %ld x %ld, seed %lu%s%s, %s, %d threads, %s: ", spec,
                satf_type_name(run->in.type), run->in.channels,
                run->in.flags & SATF_ALPHA ? " with alpha" : "", (long)run->in.width,
                (long)run->in.height, (unsigned long)run->seed, run->more ? ", " : "",
                run->more ? run->more : "", way->name, way->threads, satf_isa_name(satf_cpu_isa()));
}

static void compare(const model_run *run, const run_way *way, const satf_view *out, satf_rect at,
                    int64_t width)
{
    for (int64_t y = 0; y < out->height; y++) {
        for (int64_t k = 0; k < satf_row_samples(out); k++) {
            model_place p = {at.x + k / out->channels, at.y + y, 0, (int)(k % out->channels)};
            p.i = (p.y * width + p.x) * out->channels + p.channel;
            double got = sample_at(out, y, k), want = NAN;
            if (!run->right(run->user, &p, got, &want)) {
                describe(run, way);
                fail_msg("(%ld, %ld) channel %d is %.17g, not %.17g", (long)p.x, (long)p.y,
                         p.channel, got, want);
            }
        }
        const unsigned char *row = satf_row(out, y);
        for (int64_t i = satf_row_samples(out) * (int64_t)satf_type_bytes(out->type);
             i < out->stride; i++) {
            if (row[i] != 0xa5) {
                describe(run, way);
                fail_msg("row %ld wrote behind its end", (long)y);
            }
        }
    }
}

/* Rows go only if no pixel depends on as many rows above or below it as there are. */
static bool may_refuse_rows(satf_context *ctx, const model_run *run, const run_way *way)
{
    int64_t reach[4];
    if (way->bit == MODEL_NO_ROWS) {
        return strstr(satf_message(ctx), "looks at the whole picture");
    }
    MUST(ctx, satf_filter_reach(ctx, run->filter, &reach[0], &reach[1], &reach[2], &reach[3]));
    return way->bit & (MODEL_ROWS | MODEL_KEPT) &&
           (reach[1] >= run->in.height || reach[3] >= run->in.height);
}

static unsigned turn; /* goes through threads and strides */

static void check_way(satf_context *ctx, const model_run *run, run_way *way)
{
    satf_view out;
    way->threads = (const int[]){1, 2, 5}[turn % 3];
    satf_context_set_threads(ctx, way->threads);
    satf_context_set_engine(ctx, way->engine);
    MUST(ctx, satf_filter_output(ctx, run->filter, &run->in, &out));
    out.type = run->type ? run->type : out.type;
    out.stride = satf_row_samples(&out) * (int64_t)satf_type_bytes(out.type) + turn++ % 5;
    satf_rect at = {0, 0, out.width, out.height};
    int64_t width = out.width;
    size_t bytes = (size_t)(out.stride * out.height);
    SCOPED char *memory = malloc(bytes);
    out.data = memset(memory, 0xa5, bytes);
    satf_status status = way->apply(ctx, run, &out, &at);
    if (status == SATF_UNSUPPORTED && may_refuse_rows(ctx, run, way)) {
        return;
    }
    if (status || way->bit == MODEL_NO_ROWS) {
        describe(run, way);
        fail_msg("%s: %s", satf_status_name(status), satf_message(ctx));
    }
    compare(run, way, &out, at, width);
}

static void check_ways(satf_context *ctx, const model_run *run)
{
    static unsigned time;
    run_way ways[] = {
        {"engine sat", MODEL_SAT, SATF_ENGINE_SAT, apply_whole, 0},
        {"engine window", MODEL_WINDOW, SATF_ENGINE_WINDOW, apply_whole, 0},
        {"any engine", MODEL_AUTO, SATF_ENGINE_AUTO, apply_whole, 0},
        {"a part", MODEL_PART, SATF_ENGINE_AUTO, apply_part, 0},
        {"by rows", MODEL_ROWS, SATF_ENGINE_AUTO, apply_rows, 0},
        {"by rows", MODEL_NO_ROWS, SATF_ENGINE_AUTO, apply_rows, 0},
        {"by rows kept", MODEL_KEPT, SATF_ENGINE_AUTO, apply_kept, 0},
        {"a plan of two", 0, SATF_ENGINE_AUTO, apply_plan, 0},
        {"a plan of two, engine sat", 0, SATF_ENGINE_SAT, apply_plan, 0},
    };
    unsigned skipped = run->ways & MODEL_IN_TURN ? (time++ % 2 ? MODEL_PART : MODEL_ROWS) : 0;
    for (size_t k = 0; k < sizeof ways / sizeof *ways; k++) {
        run_way *way = &ways[k];
        bool plan = run->without && (way->engine == SATF_ENGINE_AUTO || run->ways & MODEL_SAT);
        bool wanted = way->bit ? way->bit & run->ways & ~skipped : plan;
        bool each = run->ways & MODEL_ISAS && way->bit == MODEL_AUTO;
        for (int isa = each ? SATF_ISA_BASE : SATF_ISA_COUNT; wanted && isa <= SATF_ISA_COUNT;
             isa++) {
            if (each) {
                satf_cpu_limit((satf_isa)isa);
            }
            check_way(ctx, run, way);
        }
    }
}

void model_check(satf_context *ctx, model_run run)
{
    SCOPED_FILTER *own = NULL;
    if (run.of) {
        run.in = ref_view(&run.of->image, (int64_t)run.of->seed % 3);
        run.seed = run.of->seed;
    }
    if (run.spec) {
        MUST(ctx, satf_filter_parse(ctx, run.spec, &own));
    } else if (!run.filter) {
        own = model_filter(ctx, run.of, run.name, run.options ? run.options : "");
    }
    run.filter = run.filter ? run.filter : own;
    check_ways(ctx, &run);
    if (run.of) {
        free(run.in.data);
    }
}

bool model_is_value(const void *user, const model_place *at, double got, double *want)
{
    const model_values *known = user;
    *want = known->values[at->i];
    double scale = known->of_squares ? fabs(got) + fabs(*want) : 1;
    return memcmp(&got, want, sizeof got) == 0 || (got == 0 && *want == 0) ||
           (known->room > 0 && fabs(got - *want) * scale <= known->room);
}
