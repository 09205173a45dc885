/* Every layout is injective within its bounds and free of the conflicts it promises to avoid;
 * permutations and tiles are what they say. */
#include "test.h"

#include "base/memory.h"
#include "study/machine.h"
#include "study/tile.h"

static const uint32_t widths[] = {1, 2, 3, 4, 5, 7, 8, 13, 16, 31, 32, 33, 48, 64, 100, 128, 256};

/* Marks of words; what is marked twice or lies outside fails. */
typedef struct word_map {
    unsigned char *used;
    uint32_t words, marked;
    const char *name;
    uint32_t w;
} word_map;

static word_map begin_words(const char *name, uint32_t w, uint32_t words)
{
    word_map map = {satf_alloc_zeroed(words), words, 0, name, w};
    assert_non_null(map.used);
    return map;
}

static void mark(word_map *map, uint32_t address)
{
    if (address >= map->words || map->used[address]) {
        fail_msg("%s, w = %u: address %u of %u is %s", map->name, map->w, address, map->words,
                 address >= map->words ? "outside" : "used twice");
    }
    map->used[address] = 1;
    map->marked++;
}

static void end_words(word_map *map)
{
    satf_free(map->used);
}

/* The w addresses lie in w banks. */
static bool is_free(uint32_t w, const uint32_t *address)
{
    unsigned char used[1024] = {0};
    for (uint32_t t = 0; t < w; t++) {
        if (used[layout_bank(w, address[t])]++) {
            return false;
        }
    }
    return true;
}

static void check_matrix(layout_2d layout, uint32_t w, uint32_t rows, uint32_t padding)
{
    const char *name = layout_2d_name(layout);
    machine_random random = {w * 77 + rows};
    uint32_t registers = layout_registers(w, layout_2d_numbers(layout, w));
    uint32_t *r = satf_alloc(registers * sizeof *r);
    assert_non_null(r);
    layout_2d_draw(layout, w, &random, r);
    assert_int_equal(layout_2d_words(layout, w, rows), rows * (w + padding));
    word_map map = begin_words(name, w, layout_2d_words(layout, w, rows));
    for (uint32_t i = 0; i < rows; i++) {
        uint32_t row[256];
        for (uint32_t j = 0; j < w; j++) {
            row[j] = layout_2d_address(layout, w, r, i, j);
            mark(&map, row[j]);
        }
        assert_true(is_free(w, row));
    }
    assert_int_equal(map.marked, rows * w); /* with no padding: all */
    end_words(&map);
    if (layout != LAYOUT_RAW && layout != LAYOUT_RAS && rows >= w) {
        for (uint32_t j = 0; j < w; j++) {
            uint32_t column[256];
            for (uint32_t i = 0; i < w; i++) {
                column[i] = layout_2d_address(layout, w, r, i, j);
            }
            if (!is_free(w, column)) {
                fail_msg("%s, w = %u: column %u has conflicts", name, w, j);
            }
        }
    }
    satf_free(r);
}

TEST(matrices_are_bijections)
{
    for (size_t i = 0; i < sizeof widths / sizeof *widths; i++) {
        uint32_t w = widths[i];
#define CHECK(NAME, function, name, permutations, numbers, rows, padding) \
    check_matrix(LAYOUT_##NAME, w, 1, padding);                           \
    check_matrix(LAYOUT_##NAME, w, w, padding);                           \
    if (!(rows)) {                                                        \
        check_matrix(LAYOUT_##NAME, w, 2 * w + 3, padding);               \
    }
        LAYOUTS_2D(CHECK)
#undef CHECK
    }
}

/* Rows and columns are free of conflicts for warps that are served part by part. */
TEST(spread_numbers_serve_parts)
{
    for (uint32_t w = 4; w <= 64; w *= 2) {
        for (uint32_t part = 1; part <= w; part *= 2) {
            machine_random random = {w + part};
            for (int draw = 0; draw < 50; draw++) {
                uint32_t r[64] = {0}, column[64], seen[64] = {0};
                layout_rap_draw_spread(w, part, &random, r);
                for (uint32_t i = 0; i < w; i++) {
                    assert_int_equal(seen[layout_number(w, r, i)]++, 0);
                }
                for (uint32_t j = 0; j < w; j++) {
                    for (uint32_t first = 0; first < w; first += part) {
                        for (uint32_t t = 0; t < part; t++) {
                            column[t] = layout_rap(w, r, first + t, j);
                        }
                        bool banks[64] = {false};
                        for (uint32_t t = 0; t < part; t++) {
                            assert_false(banks[column[t] % part]);
                            banks[column[t] % part] = true;
                        }
                    }
                }
            }
        }
    }
}

TEST(draws_what_the_list_says)
{
    for (size_t i = 0; i < sizeof widths / sizeof *widths; i++) {
        uint32_t w = widths[i];
        assert_int_equal(layout_2d_numbers(LAYOUT_RAW, w), 0);
        assert_int_equal(layout_2d_numbers(LAYOUT_RAS, w), w);
        assert_int_equal(layout_2d_numbers(LAYOUT_RAP, w), w);
        /* The last row of table IV. */
        assert_int_equal(layout_4d_numbers(LAYOUT_RAW_4D, w), 0);
        assert_int_equal(layout_4d_numbers(LAYOUT_RAS_4D, w), w * w * w);
        assert_int_equal(layout_4d_numbers(LAYOUT_1P, w), w);
        assert_int_equal(layout_4d_numbers(LAYOUT_R1P, w), w);
        assert_int_equal(layout_4d_numbers(LAYOUT_3P, w), 3 * w);
        assert_int_equal(layout_4d_numbers(LAYOUT_W2P, w), w * w * w);
        assert_int_equal(layout_4d_numbers(LAYOUT_1PW2R, w), w * w + w);
    }
}

TEST(packs_numbers_as_the_paper_does)
{
    uint32_t r[6] = {0};
    assert_int_equal(layout_registers(32, 32), 6);
    for (uint32_t i = 0; i < 32; i++) {
        layout_put_number(32, r, i, (i * 11 + 3) % 32);
    }
    for (uint32_t i = 0; i < 32; i++) {
        assert_int_equal(layout_number(32, r, i), (i * 11 + 3) % 32);
        assert_int_equal((r[i / 6] >> (5 * (i % 6))) & 0x1f, (i * 11 + 3) % 32);
    }
    for (uint32_t w = 1; w <= 65536; w = w * 2 + w % 3) { /* the largest number fits */
        uint32_t one[2] = {0}, last = layout_numbers_per_register(w);
        for (uint32_t i = 0; i <= last; i++) {
            layout_put_number(w, one, i, i % 2 ? w - 1 : 0);
        }
        for (uint32_t i = 0; i <= last; i++) {
            assert_int_equal(layout_number(w, one, i), i % 2 ? w - 1 : 0);
        }
    }
}

/* Figure 6.3 (or 5.1) of the dissertation, figure 6 of RAP. */
TEST(matches_the_figures)
{
    static const uint32_t shifts[4] = {2, 0, 3, 1};
    static const uint32_t at_1[4] = {3, 0, 1, 2}; /* row 1: (1,3) (1,0) (1,1) (1,2) */
    uint32_t r[1] = {0};
    for (uint32_t i = 0; i < 4; i++) {
        layout_put_number(4, r, i, shifts[i]);
        assert_int_equal(layout_diagonal(4, NULL, 1, at_1[i]), 4 + i);
    }
    assert_int_equal(layout_rap(4, r, 2, 2), 9); /* word 10 is where word 9 was */
    assert_int_equal(LAYOUT_AMM, LAYOUT_DIAGONAL);
    /* AMM's listing: shmem[index][(index + i) % N], with rows wider than the warp. */
    assert_int_equal(layout_2d_address(LAYOUT_AMM, 80, NULL, 79, 5), 79 * 80 + 4);
}

static void check_array(layout_4d layout, uint32_t w)
{
    machine_random random = {w};
    uint32_t registers = layout_registers(w, layout_4d_numbers(layout, w));
    uint32_t *r = satf_alloc(registers * sizeof *r);
    assert_non_null(r);
    layout_4d_draw(layout, w, &random, r);
    word_map map = begin_words(layout_4d_name(layout), w, w * w * w * w);
    for (uint32_t line = 0; line < w * w * w; line++) {
        for (uint32_t l = 0; l < w; l++) {
            mark(&map, layout_4d_address(layout, w, r, line / w / w, line / w % w, line % w, l));
        }
    }
    assert_int_equal(map.marked, map.words);
    end_words(&map);
    satf_free(r);
}

TEST(arrays_are_bijections)
{
    static const uint32_t sides[] = {1, 2, 3, 4, 5, 8, 13, 16, 32};
    for (size_t i = 0; i < sizeof sides / sizeof *sides; i++) {
        for (int layout = 0; layout < LAYOUT_4D_COUNT; layout++) {
            check_array((layout_4d)layout, sides[i]);
        }
    }
    /* The bound: the last word of 256^4. */
    assert_int_equal(layout_raw_4d(256, NULL, 255, 255, 255, 255), UINT32_MAX);
}

/* Giles: every I, both orders of access, every width that is a power of two. */
TEST(structs_have_no_conflicts)
{
    for (uint32_t w = 1; w <= 64; w *= 2) {
        for (uint32_t fields = 1; fields <= 4 * w + 200; fields++) {
            uint32_t address[64], words = layout_giles_words(w, fields);
            word_map map = begin_words("giles", w, words);
            for (uint32_t first = 0; first < fields * w; first += w) {
                for (uint32_t t = 0; t < w; t++) {
                    address[t] =
                        layout_giles(w, fields, (first + t) % fields, (first + t) / fields);
                    mark(&map, address[t]);
                }
                assert_true(is_free(w, address));
            }
            end_words(&map);
            for (uint32_t i = 0; i < fields; i++) {
                for (uint32_t j = 0; j < w; j++) {
                    address[j] = layout_giles(w, fields, i, j);
                }
                if (!is_free(w, address)) {
                    fail_msg("w = %u, %u fields: field %u has conflicts", w, fields, i);
                }
            }
            assert_true(words - fields * w < fields); /* less than a word for each w */
        }
    }
}

/* The figures of the note: I = 5, 4 and 6. */
TEST(structs_match_the_figures)
{
    assert_int_equal(layout_giles(32, 5, 2, 3), 17);
    assert_int_equal(layout_giles(32, 4, 0, 7), 28);
    assert_int_equal(layout_giles(32, 4, 0, 8), 33);
    assert_int_equal(layout_giles(32, 6, 5, 15), 95);
    assert_int_equal(layout_giles(32, 6, 0, 16), 97);
    assert_int_equal(layout_giles(32, 64, 3, 2), 133);
}

TEST(scheduled_steps_transpose)
{
    for (uint32_t side = 1; side <= 96; side += 5) {
        for (uint32_t i = 0; i < side; i++) {
            for (uint32_t j = 0; j < side; j++) {
                uint32_t column = scheduled_row_1(side, i, j);
                uint32_t row = scheduled_column(side, column, i);
                assert_int_equal(row, j);
                assert_int_equal(scheduled_row_2(side, row, column), i);
            }
        }
    }
}

/* Threads of a pass cover a tile once. */
static void covers(tile_element (*element)(uint32_t, uint32_t), uint32_t threads,
                   uint32_t iterations, uint32_t rows, uint32_t width)
{
    word_map map = begin_words("tile", width, rows * width);
    for (uint32_t k = 0; k < iterations; k++) {
        for (uint32_t t = 0; t < threads; t++) {
            tile_element e = element(t, k);
            if (!e.nobody) {
                assert_true(e.j < width);
                mark(&map, e.i * width + e.j);
            }
        }
    }
    assert_int_equal(map.marked, map.words);
    end_words(&map);
}

TEST(tiles_are_covered)
{
    covers(tile_transpose_in, TILE_TRANSPOSE_THREADS, TILE_TRANSPOSE_STEPS, 32, 32);
    covers(tile_transpose_out, TILE_TRANSPOSE_THREADS, TILE_TRANSPOSE_STEPS, 32, 32);
    covers(tile_convolution_in, TILE_CONVOLUTION_THREADS, TILE_CONVOLUTION_LOADS, 16, 80);
    covers(tile_lud_in, TILE_LUD_THREADS, TILE_LUD_SIDE, 16, 16);
    covers(tile_foo, TILE_FOO_THREADS, TILE_FOO_STEPS, 128, 32);
    /* What is read again and again stays inside, and reaches the last words. */
    tile_element last = tile_convolution_out(127, TILE_CONVOLUTION_READS - 1);
    assert_int_equal(last.i, 15);
    assert_int_equal(last.j, 79);
    last = tile_lud_out(31, TILE_LUD_READS - 1);
    assert_int_equal(last.i, 15);
    assert_int_equal(last.j, 15);
    assert_int_equal(tile_lud_out(16, 3).j, 0);
    assert_int_equal(tile_lud_out(16, 5).j, 2);
    assert_true(tile_lud_out(15, 5).nobody);
}
