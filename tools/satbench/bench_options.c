/* Parsing satbench's options. */
#include "bench.h"

#include <stdlib.h>
#include <string.h>

#include "../../src/base/view.h"
#include "../../src/study/machine.h"
#include "../../src/study/pattern.h"

/* "4K" or "1920x1080" */
static bool parse_size(const char *word, bench_item *item)
{
    char width[sizeof item->text];
    size_t length = strcspn(word, "x");
    snprintf(width, sizeof width, "%.*s", (int)length, word);
    return parse_integer(width, true, 1, INT32_MAX, &item->width) &&
           parse_integer(word[length] ? word + length + 1 : width, true, 1, INT32_MAX,
                         &item->height);
}

static bool parse_types(const char *word, bench_item *item)
{
    char input[8] = "";
    const char *colon = strchr(word, ':');
    size_t length = colon ? (size_t)(colon - word) : strlen(word);
    if (length >= sizeof input) {
        return false;
    }
    memcpy(input, word, length);
    item->input = satf_type_find(input);
    item->output = colon ? satf_type_find(colon + 1) : SATF_TYPE_AUTO;
    bool is_image = item->input == SATF_U8 || item->input == SATF_U16 ||
                    (item->input >= 0 && satf_type_is_float(item->input));
    return is_image && (!colon || item->output >= 0);
}

static bool parse_name(const char *word, bench_item *item)
{
    (void)item;
    return *word != '\0';
}

static bool parse_window(const char *word, bench_item *item)
{
    int64_t number = 0;
    bool is = parse_integer(word, true, 1, 65535, &number);
    item->number = (int)number;
    return is;
}

static bool parse_channels(const char *word, bench_item *item)
{
    return parse_window(word, item) && item->number <= SATF_MAX_CHANNELS;
}

static bool parse_pattern(const char *word, bench_item *item)
{
    item->number = 0;
    while (item->number < PATTERN_COUNT && strcmp(pattern_name((pattern)item->number), word) != 0) {
        item->number++;
    }
    return item->number < PATTERN_COUNT;
}

static bool parse_layout(const char *word, bench_item *item)
{
    item->number = 0;
    while (item->number < LAYOUT_2D_COUNT &&
           strcmp(layout_2d_name((layout_2d)item->number), word) != 0) {
        item->number++;
    }
    return item->number < LAYOUT_2D_COUNT;
}

static bool parse_width(const char *word, bench_item *item)
{
    return parse_window(word, item) && item->number >= 2 && item->number <= 1024;
}

static int take_list(settings *s, const option *o, const char *value)
{
    bench_list list = bench_list_of(o);
    s->options.list[list].given = true;
    return bench_parse_list(list, value, &s->options.list[list]) ? 0 : EXIT_USAGE;
}

static const char GROUP[] = "Lists";

#define LIST(name, help)                                           \
    {                                                              \
        GROUP, name, 0, "LIST", NULL, help, NULL, TAKES(take_list) \
    }

typedef struct list_row {
    option option;
    const char *what;
    bool (*parse)(const char *word, bench_item *item);
} list_row;

static const list_row *options_row_of(bench_list list)
{
#define ROW(list, ...)                             \
    case list: {                                   \
        static const list_row row = {__VA_ARGS__}; \
        return &row;                               \
    }
    switch (list) {
        ROW(BENCH_SIZES, LIST("sizes", "N or WxH, K is 1024; paper: the 13 of table 6.2"),
            "a size such as 4K or 1920x1080", parse_size)
        ROW(BENCH_TYPES, LIST("types", "u8 u16 f32 f64, or INPUT:OUTPUT such as u8:u64"),
            "u8, u16, f32, f64 or a pair such as u8:u64", parse_types)
        ROW(BENCH_ALGORITHMS,
            LIST("algorithms", "names of --list; all: all but reference; auto: the fastest; paper; "
                               "sweep: 1+r by r"),
            "an algorithm", parse_name)
        ROW(BENCH_FILTERS, LIST("filters", "names of --list"), "a filter", parse_name)
        ROW(BENCH_WINDOWS, LIST("windows", "sides of square windows in pixels, 1 to 65535"),
            "a window's side of 1 to 65535 pixels", parse_window)
        ROW(BENCH_CHANNELS, LIST("channels", "channels, 1 to 4"), "a number of channels, 1 to 4",
            parse_channels)
        ROW(BENCH_WIDTHS,
            LIST("widths", "banks of a simulated memory and threads of a warp, 2 to 1024"),
            "a width of 2 to 1024 banks", parse_width)
        ROW(BENCH_PATTERNS, LIST("patterns", "identical shuffle random bit-reversal transpose"),
            "a permutation", parse_pattern)
        ROW(BENCH_LAYOUTS,
            LIST("layouts", "of tiles in shared memory: raw padded diagonal ras rap"), "a layout",
            parse_layout)
    case BENCH_LISTS:
        break;
    }
#undef ROW
    return NULL;
}

const option *bench_list_option(bench_list list)
{
    return &options_row_of(list)->option;
}

bench_list bench_list_of(const option *o)
{
    int list = 0;
    while (list < BENCH_LISTS && o != &options_row_of((bench_list)list)->option) {
        list++;
    }
    return (bench_list)list;
}

bool bench_has_item(const struct bench_values *values, const char *const *words)
{
    for (; *words; words++) {
        for (int i = 0; i < values->count; i++) {
            if (strcmp(values->item[i].text, *words) == 0) {
                return true;
            }
        }
    }
    return false;
}

bool bench_parse_list(bench_list list, const char *text, struct bench_values *values)
{
    if (list == BENCH_SIZES && strcmp(text, "paper") == 0) {
        text = BENCH_PAPER_SIZES;
    }
    const list_row *row = options_row_of(list);
    values->count = 0;
    for (const char *word = text; word;) {
        const char *comma = strchr(word, ',');
        size_t length = comma ? (size_t)(comma - word) : strlen(word);
        if (values->count == BENCH_MAX_ITEMS) {
            option_error(&row->option, "at most %d values are possible", BENCH_MAX_ITEMS);
            return false;
        }
        bench_item *item = &values->item[values->count];
        memset(item, 0, sizeof *item);
        if (length < sizeof item->text) {
            memcpy(item->text, word, length);
        }
        if (length >= sizeof item->text || !row->parse(item->text, item)) {
            option_error(&row->option, "'%.*s' is not %s", (int)length, word, row->what);
            return false;
        }
        values->count++;
        word = comma ? comma + 1 : NULL;
    }
    return true;
}
