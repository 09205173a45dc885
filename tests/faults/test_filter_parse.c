/* The grammar of filters, borders and template files: what it takes and how it refuses. */
#include "test.h"
#include <locale.h>

#include "chain/order.h"
#include "chain/params.h"
#include "chain/rects.h"
#include "interpose.h"
#include "run_line.h"

/* The value of filter `index`'s parameter of that kind; NULL if it has none. */
static const void *value_of(const satf_filter *filter, size_t index, param_kind kind)
{
    return filter_value_of_kind(filter_at(filter, index), filter_options(filter, index), kind);
}

static void assert_prints(const satf_filter *filter, const char *want)
{
    char text[200], part[5];
    assert_int_equal(satf_filter_print(filter, text, sizeof text), strlen(want));
    assert_string_equal(text, want);
    assert_int_equal(satf_filter_print(filter, part, sizeof part), strlen(want));
    assert_int_equal(strncmp(part, want, sizeof part - 1), 0);
    assert_int_equal(satf_filter_print(filter, NULL, 0), strlen(want));
}

TEST(test_accepts)
{
    satf_filter *filter;
    MUST(ctx, satf_filter_parse(ctx, "  box=15x9,border=constant:7\tvariance=3  integral,squared\n",
                                &filter));
    assert_int_equal(filter_count(filter), 3);
    assert_string_equal(filter_at(filter, 0)->name, "box");
    const filter_size *size = value_of(filter, 0, PARAM_SIZE);
    const filter_border *border = value_of(filter, 0, PARAM_BORDER);
    assert_true(size->width == 15 && size->height == 9);
    assert_true(border->kind == SATF_BORDER_CONSTANT && border->constant == 7);
    assert_int_equal(satf_filter_set_default_border(ctx, filter, SATF_BORDER_WRAP, 0), SATF_OK);
    assert_int_equal(border->kind, SATF_BORDER_CONSTANT);
    assert_string_equal(filter_at(filter, 1)->name, "variance");
    border = value_of(filter, 1, PARAM_BORDER);
    assert_int_equal(border->kind, SATF_BORDER_WRAP);
    const bool *squared = value_of(filter, 2, PARAM_FLAG);
    assert_true(*squared);
    assert_null(filter_at(filter, 3));
    assert_null(value_of(filter, 2, PARAM_BORDER));
    assert_prints(filter, "box=15x9,border=constant:7 variance=3,border=wrap integral,squared");
    assert_int_equal(satf_filter_set(ctx, filter, "squared", "off"), SATF_OK);
    assert_false(*squared);
    assert_int_equal(satf_filter_set(ctx, filter, "size", "3"), SATF_INVALID);
    satf_filter_destroy(filter);

    assert_int_equal(satf_filter_parse(ctx, "stddev=65535X1,border=shrink", &filter), SATF_OK);
    size = value_of(filter, 0, PARAM_SIZE);
    border = value_of(filter, 0, PARAM_BORDER);
    assert_true(size->width == 65535 && size->height == 1 && border->kind == SATF_BORDER_SHRINK);
    satf_filter_destroy(filter);
}

/* Set by text and by type, printed, and parsed again. */
TEST(test_sets)
{
    satf_filter *filter, *again;
    char text[200];
    assert_int_equal(satf_filter_create(ctx, "box", &filter), SATF_OK);
    assert_prints(filter, "box=3");
    assert_int_equal(satf_filter_set_int(ctx, filter, "size", 7), SATF_OK);
    assert_int_equal(satf_filter_set_int(ctx, filter, "height", 9), SATF_OK);
    assert_prints(filter, "box=7x9");
    assert_int_equal(satf_filter_set_int(ctx, filter, "size", 65536), SATF_INVALID);
    assert_int_equal(satf_filter_set_double(ctx, filter, "constant", 0.1), SATF_OK);
    assert_prints(filter, "box=7x9,border=constant:0.1");
    assert_int_equal(satf_filter_set_double(ctx, filter, "constant", 1.0 / 3), SATF_OK);
    satf_filter_print(filter, text, sizeof text);
    assert_int_equal(satf_filter_parse(ctx, text, &again), SATF_OK);
    assert_true(((const filter_border *)value_of(again, 0, PARAM_BORDER))->constant == 1.0 / 3);
    satf_filter_destroy(again);
    assert_int_equal(satf_filter_set(ctx, filter, "border", "constant:1 "), SATF_INVALID);
    assert_int_equal(satf_filter_set(ctx, filter, "colour", "red"), SATF_INVALID);
    assert_non_null(strstr(satf_message(ctx), "there are: size"));
    satf_filter_destroy(filter);
    assert_int_equal(satf_filter_create(ctx, "flip", &filter), SATF_OK);
    assert_int_equal(satf_filter_set(ctx, filter, "axis", "v"), SATF_OK);
    assert_prints(filter, "flip=v");
    satf_filter_destroy(filter);
    assert_int_equal(satf_filter_print(NULL, text, sizeof text), 0);
}

TEST(test_refuses)
{
    static const struct {
        const char *spec, *quoted;
    } cases[] = {
        {"", "''"},
        {"   ", "names no filter"},
        {"blur=3", "'blur'"},
        {"=3", "''"},
        {"box", "'box' needs a value: box=N|WxH"},
        {"box=", "box=N|WxH"},
        {"box=0", "'0'"},
        {"box=-3", "'-3'"},
        {"box=+3", "'+3'"},
        {"box=3.5", "'3.5'"},
        {"box=65536", "'65536'"},
        {"box=99999999999999999999999", "'99999999999999999999999'"},
        {"box=3x", "'3x'"},
        {"box=x3", "'x3'"},
        {"box=3x4x5", "'3x4x5'"},
        {"box=3,colour=red", "'colour'"},
        {"box=3,", "''"},
        {"box=3,border", "border=B"},
        {"box=3,border=", "border=B"},
        {"box=3,border=mirrored", "'mirrored'"},
        {"box=3,border=constant", "'constant'"},
        {"box=3,border=constant:", "'constant:'"},
        {"box=3,border=constant:x", "'constant:x'"},
        {"box=3,border=constant:1e", "'constant:1e'"},
        {"box=3,border=constant:nan", "'constant:nan'"},
        {"box=3,border=constant:inf", "'constant:inf'"},
        {"box=3,border=wrap,border=wrap", "'border' of box is given twice"},
        {"box=3,size=4", "'size' of box is given twice"},
        {"integral=3", "integral takes no value"},
        {"integral,squared=maybe", "'maybe'"},
        {"integral,border=wrap", "'border'"},
        {"box=3 nonsense variance=3", "'nonsense'"},
        {"template=/nonexistent/file", "'/nonexistent/file'"},
        {"template", "template=FILE"},
        {"transpose=90", "transpose takes no value"},
        {"unsharp=7,1.5", "'1.5' of unsharp lacks its parameter's name: amount=1.5"},
        {"unsharp=7,mirror", "'mirror' of unsharp lacks its parameter's name: border=mirror"},
        {"box=7,1:-1", "'1:-1' of box lacks its parameter's name: at=1:-1"},
        {"box=7,1.5", "box has no parameter '1.5'; there are: size, at, border"},
        {"transpose,border=wrap", "transpose has no parameter 'border'; there is none"},
        {"rotate", "rotate=90|180|270"},
        {"rotate=", "rotate=90|180|270"},
        {"rotate=45", "'45' is no angle for rotate: 90|180|270 are possible"},
        {"rotate=9", "'9' is no angle"},
        {"rotate=90|180", "'90|180' is no angle"},
        {"rotate=90,angle=180", "'angle' of rotate is given twice"},
        {"flip=x", "'x' is no axis for flip: h|v are possible"},
        {"flip=hv", "'hv' is no axis"},
        {"permute", "permute=FILE"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        satf_filter *filter = (satf_filter *)(uintptr_t)1;
        satf_status status = satf_filter_parse(ctx, cases[i].spec, &filter);
        if (!status || filter || !strstr(satf_message(ctx), cases[i].quoted)) {
            fail_msg("'%s': %s, message '%s' without %s", cases[i].spec, satf_status_name(status),
                     satf_message(ctx), cases[i].quoted);
        }
    }
}

static const char unit[] = "box=3 ";
enum { UNIT = sizeof unit - 1 };

/* "box=3 " so many times; freed by the caller. */
static char *text_of(size_t filters)
{
    char *text = malloc(filters * UNIT + 1);
    assert_non_null(text);
    for (size_t i = 0; i < filters; i++) {
        memcpy(text + i * UNIT, unit, UNIT + 1);
    }
    return text;
}

static void expect_parse(satf_context *ctx, const char *text, satf_status status,
                         const char *in_message)
{
    SCOPED_FILTER *filter;
    assert_int_equal(satf_filter_parse(ctx, text, &filter), status);
    assert_true(!status == (filter != NULL));
    assert_non_null(strstr(status ? satf_message(ctx) : "", in_message));
}

TEST(test_limits)
{
    char *text = text_of(1200000 / UNIT);
    expect_parse(ctx, text, SATF_LIMIT, "limit: filter text");
    text[192000] = '\0';
    expect_parse(ctx, text, SATF_LIMIT, "limit: number of filters");
    text[UNIT * (SATF_MAX_FILTERS + 1)] = '\0';
    expect_parse(ctx, text, SATF_LIMIT, "limit: number of filters");
    text[UNIT * SATF_MAX_FILTERS] = '\0';
    expect_parse(ctx, text, SATF_OK, "");
    free(text);

    SCOPED char *blanks = malloc(SATF_MAX_FILTER_TEXT + 2);
    assert_non_null(blanks);
    memset(blanks, ' ', SATF_MAX_FILTER_TEXT + 1);
    memcpy(blanks, unit, UNIT);
    blanks[SATF_MAX_FILTER_TEXT + 1] = '\0';
    expect_parse(ctx, blanks, SATF_LIMIT, "limit: filter text");
    blanks[SATF_MAX_FILTER_TEXT] = '\0';
    expect_parse(ctx, blanks, SATF_OK, "");
}

/* A chain that is appended to itself doubles, up to the limit, and stays as it is then. */
TEST(test_appends)
{
    SCOPED_FILTER *chain;
    assert_int_equal(satf_filter_parse(ctx, "box=3 variance=5", &chain), SATF_OK);
    size_t count = 2;
    for (; 2 * count <= SATF_MAX_FILTERS; count *= 2) {
        assert_int_equal(satf_filter_append(ctx, chain, chain), SATF_OK);
    }
    assert_int_equal(satf_filter_append(ctx, chain, chain), SATF_LIMIT);
    assert_non_null(strstr(satf_message(ctx), "limit: number of filters"));
    assert_int_equal(filter_count(chain), count);
    assert_string_equal(filter_at(chain, count - 2)->name, "box");
    assert_string_equal(filter_at(chain, count - 1)->name, "variance");
}

#ifdef REAL
/* Each of them copies the chain, once its memory is full. */
static long allocations_of(satf_context *ctx, size_t filters)
{
    char *text = text_of(filters);
    satf_filter *filter;
    atomic_store(&allocations.count, 0);
    atomic_store(&allocations.armed, true);
    satf_status status = satf_filter_parse(ctx, text, &filter);
    atomic_store(&allocations.armed, false);
    long count = atomic_load(&allocations.count);
    assert_int_equal(status, SATF_OK);
    satf_filter_destroy(filter);
    free(text);
    return count;
}

TEST(test_takes_linear_time)
{
    long few = allocations_of(ctx, SATF_MAX_FILTERS / 2);
    assert_in_range(allocations_of(ctx, SATF_MAX_FILTERS) - few, 0, 1);
}
#endif

/* Outside they are told what the table has. */
static void check_param(const filter_info *info, size_t index)
{
    const filter_param *p = &info->params[index];
    satf_param_info told;
    assert_ptr_equal(satf_filter_param(info->name, index, &told, sizeof told), p->name);
    assert_ptr_equal(told.name, p->name);
    assert_true(p->help && *p->help && p->unit && told.help == p->help && told.unit == p->unit);
    assert_true((told.type == SATF_PARAM_FLAG) == !p->metavar && told.syntax == p->metavar);
    assert_true(told.type == SATF_PARAM_FILE || told.type == SATF_PARAM_PART || p->default_text);
    assert_true(told.default_text == p->default_text);
    assert_int_equal(told.is_value, index == 0 && info->needs_value);
    assert_true(p->offset + param_kind_of(p)->bytes <= info->options_bytes);
    assert_ptr_equal(filter_param_find(info, p->name), p);
    satf_param_info part = {.help = "untouched"};
    satf_filter_param(info->name, index, &part, offsetof(satf_param_info, help));
    assert_true(part.name == p->name && strcmp(part.help, "untouched") == 0);
}

TEST(test_table)
{
    const char *name;
    size_t count = 0;
    satf_filter_info outside;
    for (; (name = satf_filter_name(count, &outside, sizeof outside)); count++) {
        const filter_info *info = filter_info_find(name);
        assert_string_equal(satf_filter_find(name, NULL, 0), name);
        assert_true(outside.name == name && outside.help == info->help);
        assert_ptr_equal(info, filter_info_at(count));
        assert_true(info->help && *info->help && info->detail && *info->detail && info->params);
        if (!info->example || strncmp(info->example, "satfilter --", 12) != 0) {
            fail_msg("filters/%s.h: .example is no command, \"satfilter --%s ... in.png out.png\"",
                     name, name);
        }
        assert_true(!info->needs_value || info->params->metavar);
        assert_true(info->options_bytes <= FILTER_OPTIONS_BYTES);
        size_t params = 0;
        for (; info->params[params].name; params++) {
            check_param(info, params);
        }
        assert_true(params <= 32); /* chain_link.given */
        assert_null(satf_filter_param(name, params, NULL, 0));
        assert_null(satf_filter_param(name, SIZE_MAX, NULL, 0));
    }
    assert_true(count > 0);
    assert_null(filter_info_find("bo"));
    assert_null(satf_filter_name(1000, &outside, sizeof outside));
    assert_null(outside.help);
    assert_null(satf_filter_find("bo", NULL, 0));
    satf_param_info none = {.name = "untouched"};
    assert_null(satf_filter_param("bo", 0, &none, sizeof none));
    assert_null(none.name);
    assert_null(satf_filter_param(NULL, 0, NULL, 0));
}

static satf_status parse_template(satf_context *ctx, const char *text, size_t bytes,
                                  satf_filter **filter)
{
    save_bytes("template", text, bytes);
    return satf_filter_parse(ctx, "template=template", filter);
}

TEST(test_template_file)
{
    satf_filter *filter;
    static const char good[] = "# a comment\n\n  -1 -1 3 3 1.5 # centre\r\n\t4 -5 65535 1 -2e-3\n"
                               "-25 -25 51 51 -1/2601\n0 0 1 1 2.5/1e1";
    assert_int_equal(parse_template(ctx, good, sizeof good - 1, &filter), SATF_OK);
    const filter_rects *v = *(filter_rects *const *)value_of(filter, 0, PARAM_TEMPLATE);
    assert_int_equal(v->count, 4);
    assert_true(v->items[2].weight == -1.0 / 2601 && v->items[3].weight == 0.25);
    assert_true(v->items[0].rect.x == -1 && v->items[0].rect.h == 3 && v->items[0].weight == 1.5);
    assert_true(v->items[1].rect.x == 4 && v->items[1].rect.y == -5 &&
                v->items[1].rect.w == 65535 && v->items[1].weight == -2e-3);
    assert_prints(filter, "template=FILE");
    satf_filter_destroy(filter);

    static const struct {
        const char *text, *line;
    } bad[] = {
        {"", "no rectangles"},
        {"# only\n", "no rectangles"},
        {"0 0 1 1 1\n0 0 0 1 1\n", "line 2"},
        {"0 0 1 -1 1\n", "line 1"},
        {"0 0 65536 1 1\n", "line 1"},
        {"0 0 1 1\n", "line 1"},
        {"0 0 1 1 1 1\n", "line 1"},
        {"0 0 1 1 x\n", "line 1"},
        {"0 0 1.5 1 1\n", "line 1"},
        {"0,0,1,1,1\n", "line 1"},
        {"\n\n0 0 1 1 nan\n", "line 3"},
        {"0 0 1 1 inf\n", "line 1"},
        {"0 0 1 1 1e999\n", "line 1"},
        {"0 0 1 1 1/0\n", "line 1"},
        {"0 0 1 1 1/\n", "line 1"},
        {"0 0 1 1 1/ 2\n", "line 1"},
        {"0 0 1 1 1 /2\n", "line 1"},
        {"0 0 1 1 1/2/3\n", "line 1"},
        {"0 0 1 1 1e300/1e-300\n", "line 1"},
        {"2000000000 0 1 1 1\n", "line 1"},
        {"99999999999999999999 0 1 1 1\n", "line 1"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        satf_status status = parse_template(ctx, bad[i].text, strlen(bad[i].text), &filter);
        if (status != SATF_DATA || filter || !strstr(satf_message(ctx), bad[i].line)) {
            fail_msg("'%s': %s, '%s'", bad[i].text, satf_status_name(status), satf_message(ctx));
        }
    }
    assert_int_equal(parse_template(ctx, "0 0 1 1 1\n0 0\0 1 1 1\n", 21, &filter), SATF_DATA);
    char *many = malloc(5000 * 10 + 1);
    *many = '\0';
    for (int i = 0; i < 4097; i++) {
        strcpy(many + i * 10, "0 0 1 1 1\n");
    }
    assert_int_equal(parse_template(ctx, many, 40970, &filter), SATF_DATA);
    assert_non_null(strstr(satf_message(ctx), "line 4097"));
    assert_int_equal(parse_template(ctx, many, 40960, &filter), SATF_OK);
    satf_filter_destroy(filter);
    memset(many, ' ', 4000);
    assert_int_equal(parse_template(ctx, many, 4000, &filter), SATF_DATA);
    free(many);
    assert_int_equal(satf_filter_parse(ctx, "template=/", &filter), SATF_IO);

    /* A service may forbid files: then none is opened, whatever parameter names it. */
    assert_int_equal(satf_context_set_filter_files(ctx, 0), SATF_OK);
    assert_int_equal(parse_template(ctx, good, sizeof good - 1, &filter), SATF_LIMIT);
    assert_non_null(strstr(satf_message(ctx), "file=FILE of template names a file"));
    assert_int_equal(satf_filter_parse(ctx, "permute=/dev/null", &filter), SATF_LIMIT);
    assert_int_equal(satf_filter_parse(ctx, "box=3", &filter), SATF_OK);
    satf_filter_destroy(filter);
    assert_int_equal(satf_context_set_filter_files(ctx, 1), SATF_OK);
    assert_int_equal(parse_template(ctx, good, sizeof good - 1, &filter), SATF_OK);
    satf_filter_destroy(filter);
    assert_int_equal(satf_context_set_filter_files(NULL, 1), SATF_INVALID);
}

/* A locale whose decimal point is a comma: one that is installed, or made in the current folder. */
static bool comma_locale(void)
{
    if (setlocale(LC_NUMERIC, "de_DE.UTF-8") || setlocale(LC_NUMERIC, "de_DE.utf8")) {
        return true;
    }
    setenv("LOCPATH", ".", 1);
    return system("localedef -i de_DE -f UTF-8 ./de_DE.UTF-8 >/dev/null 2>&1") == 0 &&
           setlocale(LC_NUMERIC, "de_DE.UTF-8");
}

/* Numbers have a point, whatever the program's locale. */
TEST(test_locale)
{
    bool found = comma_locale() && strtod("0,5", NULL) == 0.5;
    SCOPED_FILTER *filter = NULL, *haar = NULL, *comma = NULL;
    satf_status parsed = satf_filter_parse(ctx, "box=3,border=constant:0.5", &filter);
    satf_status read = parse_template(ctx, "0 0 1 1 0.25\n", 13, &haar);
    satf_status refused = parse_template(ctx, "0 0 1 1 0,25\n", 13, &comma);
    char printed[60] = "";
    satf_filter_print(filter, printed, sizeof printed);
    bool stays = !found || strtod("0,5", NULL) == 0.5;
    setlocale(LC_NUMERIC, "C");
    unsetenv("LOCPATH");
    assert_int_equal(parsed, SATF_OK);
    assert_true(((const filter_border *)value_of(filter, 0, PARAM_BORDER))->constant == 0.5);
    assert_true(!found || strcmp(printed, "box=3,border=constant:0.5") == 0);
    assert_int_equal(read, SATF_OK);
    assert_true((*(filter_rects *const *)value_of(haar, 0, PARAM_TEMPLATE))->items[0].weight ==
                0.25);
    assert_int_equal(refused, SATF_DATA);
    assert_true(stays);
    if (!found) {
        skip();
    }
}

TEST_FILE(.folder = true)
