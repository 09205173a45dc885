/* The triangles of (1+r)R1W: the side that is reckoned is the best of all by the same account, and
 * is what searches found on an H200. */
#include "test.h"

#include "sat/stages.h"

/* The account, anti-diagonal by anti-diagonal: stages between the triangles, blocks in them once
 * more at 0.72 of a block's price. */
static double account(const sat_stage_costs *c, int64_t x, int64_t y, int channels, int64_t side,
                      sat_sync sync)
{
    double us = sync == SAT_SYNC_COOP ? c->start_us : 0;
    for (int64_t d = 0; d < x + y - 1; d++) {
        if (d >= side && d < x + y - 1 - side) {
            us += sync == SAT_SYNC_COOP ? c->stage_us : c->launch_us;
        } else {
            int64_t from_end = d < side ? d : x + y - 2 - d;
            us += 0.72 * c->block_us * channels * ((double)from_end + 0.5);
        }
    }
    return us;
}

TEST(none_is_better)
{
    uint32_t seed = 1;
    for (int n = 0; n < 300; n++) {
        double draw[4];
        for (int i = 0; i < 4; i++) {
            seed = seed * 1664525u + 1013904223u;
            draw[i] = 0.05 + (seed >> 8) / 16777216.0;
        }
        sat_stage_costs c = {draw[0], draw[0] + 5 * draw[1], 20 * draw[2], 0.02 * draw[3]};
        int64_t x = 1 + seed % 60, y = 1 + seed / 64 % 90;
        int channels = 1 + n % 4;
        for (sat_sync asked = SAT_SYNC_AUTO; asked <= SAT_SYNC_COOP; asked++) {
            sat_sync sync = asked;
            int64_t side = sat_best_side(&c, x, y, channels, &sync);
            assert_true(side >= 0 && side <= (x + y - 2) / 2 && side <= x && side <= y);
            assert_true(asked == SAT_SYNC_AUTO ? sync != SAT_SYNC_AUTO : sync == asked);
            double us = account(&c, x, y, channels, side, sync);
            for (int64_t other = 1; other <= (x + y - 2) / 2 && other <= x && other <= y; other++) {
                assert_true(us <= account(&c, x, y, channels, other, sync) * (1 + 1e-9));
                if (asked == SAT_SYNC_AUTO) {
                    double ways[2] = {account(&c, x, y, channels, other, SAT_SYNC_COOP),
                                      account(&c, x, y, channels, other, SAT_SYNC_LAUNCH)};
                    assert_true(us <= fmin(ways[0], ways[1]) * (1 + 1e-9));
                }
            }
        }
    }
}

/* results/h200/sat.json: f64 in blocks of 64 x 64, the r and barriers that its search found. */
TEST(as_searches_found)
{
    static const struct {
        int64_t size;
        double r;
        sat_sync sync;
    } found[] = {
        {1024, 0.879, SAT_SYNC_LAUNCH}, {2048, 0.938, SAT_SYNC_LAUNCH},
        {3072, 0.959, SAT_SYNC_LAUNCH}, {4096, 0.969, SAT_SYNC_LAUNCH},
        {5120, 0.975, SAT_SYNC_LAUNCH}, {7168, 0.327, SAT_SYNC_COOP},
        {10240, 0.186, SAT_SYNC_COOP},  {12288, 0.0977, SAT_SYNC_COOP},
        {14336, 0.106, SAT_SYNC_COOP},  {16384, 0.110, SAT_SYNC_COOP},
        {18432, 0.0696, SAT_SYNC_COOP},
    };
    const sat_stage_device h200 = {1980e3, 4.8e12}, unknown = {0};
    for (size_t i = 0; i < sizeof found / sizeof *found; i++) {
        int64_t blocks = found[i].size / 64;
        sat_sync sync = SAT_SYNC_AUTO, other = SAT_SYNC_AUTO;
        sat_stage_costs costs = sat_stage_costs_of(&h200, 64 * 64 * 16);
        int64_t side = sat_best_side(&costs, blocks, blocks, 1, &sync);
        double r = (double)(side * side) / (double)(blocks * blocks);
        assert_int_equal(sync, found[i].sync);
        assert_true(r > found[i].r * 0.65 && r < found[i].r * 1.5);
        costs = sat_stage_costs_of(&unknown, 64 * 64 * 16);
        assert_int_equal(sat_best_side(&costs, blocks, blocks, 1, &other), side);
    }
}

TEST(follows_the_device)
{
    const sat_stage_device devices[] = {{1980e3, 4.8e12}, {990e3, 4.8e12}, {1980e3, 2.4e12}};
    int64_t side[3];
    for (int i = 0; i < 3; i++) {
        sat_sync sync = SAT_SYNC_COOP;
        sat_stage_costs costs = sat_stage_costs_of(&devices[i], 64 * 64 * 16);
        side[i] = sat_best_side(&costs, 1000, 1000, 1, &sync);
    }
    assert_true(side[1] > side[0] * 19 / 10); /* waiting costs twice as much */
    assert_true(side[2] < side[0] * 6 / 10);  /* reading again does */
}
