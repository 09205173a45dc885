/* The list of `satbench paper`: a row for each table and figure of the papers. */
#include "bench_paper.h"

static const paper_source kasagi = {"dissertation",
                                    "A. Kasagi, Memory Access Optimal Algorithms for the GPU, "
                                    "dissertation, Hiroshima University, March 2015"};
static const paper_source rap = {"RAP", "K. Nakano, S. Matsumae, Y. Ito, Random Address "
                                        "Permute-Shift Technique for the Shared Memory on GPUs"};
static const paper_source amm = {"AMM", "I. Mungiello, F. De Rosa, Adaptive Modular Mapping to "
                                        "Reduce Shared Memory Bank Conflicts on GPUs"};
static const paper_source giles = {
    "Giles", "M. Giles, Array transposition in CUDA shared memory, 19 February 2014"};
static const paper_source lecture = {
    "lecture", "J. Verschelde, Memory Coalescing Techniques, MCS 572 lecture 32, 31 March 2023"};

/* Several tables are made of the same runs. */
static const paper_run count_small = {
    .way = PAPER_COUNTED, .command = "permute --simulate --types f64,f32 --algorithms copy,all"};
static const paper_run time_small = {.way = PAPER_ON_CUDA,
                                     .command = "permute --types f64,f32",
                                     .quick = "--repeat 3",
                                     .record = "permute"};
static const paper_run time_global = {
    .way = PAPER_ON_CUDA,
    .command = "permute-global --algorithms d-designated,s-designated,scheduled",
    .quick = "--sizes 256,512,1K --repeat 3",
    .record = "permute-global"};
static const paper_run count_random = {.way = PAPER_COUNTED,
                                       .command = "permute-global --simulate --sizes 2K --types "
                                                  "f32 --patterns random --algorithms d-designated",
                                       .quick = "--samples 10",
                                       .full = "--samples 1000"};
static const paper_run time_random = {.way = PAPER_ON_CUDA,
                                      .command =
                                          "permute-global --sizes 2K --types f32 --patterns random "
                                          "--algorithms d-designated,s-designated,scheduled",
                                      .quick = "--samples 5 --repeat 3",
                                      .full = "--samples 1000"};
static const paper_run count_programs = {.way = PAPER_COUNTED,
                                         .command = "model --simulate --widths 32 --sizes 1K"};
static const paper_run count_small_r = {
    .way = PAPER_COUNTED,
    .command = "model --simulate --widths 32 --sizes 1K --algorithms 1+r --r 0.1"};
static const paper_run time_sat = {.way = PAPER_ON_CUDA,
                                   .command = "sat --types f64 --algorithms paper",
                                   .quick = "--sizes 1K,2K,4K --repeat 3",
                                   .full = "--sizes paper",
                                   .record = "sat"};
static const paper_run time_sat_on_cpu = {.way = PAPER_ON_CPU,
                                          .command =
                                              "sat --types f64 --algorithms 2r2w,4r1w --threads 1",
                                          .quick = "--sizes 1K,2K,3K,4K --repeat 3",
                                          .full = "--sizes paper"};
static const paper_run count_rap = {
    .way = PAPER_COUNTED, .command = "rap --simulate", .quick = "--samples 20000"};
static const paper_run time_rap = {
    .way = PAPER_ON_CUDA, .command = "rap --samples 8", .quick = "--repeat 3", .record = "rap"};
static const paper_run count_amm = {.way = PAPER_COUNTED, .command = "amm --simulate"};
static const paper_run time_amm = {
    .way = PAPER_ON_CUDA, .command = "amm", .quick = "--repeat 3", .record = "amm"};
static const paper_run count_giles = {.way = PAPER_COUNTED, .command = "giles --simulate"};
static const paper_run time_giles = {
    .way = PAPER_ON_CUDA, .command = "giles", .quick = "--repeat 1", .record = "giles"};
static const paper_run count_lecture = {.way = PAPER_COUNTED, .command = "coalesce --simulate"};
static const paper_run time_lecture = {
    .way = PAPER_ON_CUDA, .command = "coalesce", .quick = "--repeat 3", .record = "coalesce"};

#define GTX_680 "GeForce GTX 680"
#define SMALL_BANKS                                                                              \
    "Since then banks are 4 bytes wide: an access to doubles takes two passes, each for half a " \
    "warp."
#define NO_FIGURES                                                                              \
    "The text of the paper has no figures but an order of the three, so nothing stands beside " \
    "ours: "

static const paper_table tables[] = {
    {.name = "4.1",
     .source = &kasagi,
     .title = "Memory access by each algorithm",
     .unit = "accesses of n threads, r and w: reads and writes",
     .machine = "by definition",
     .corner = "Algorithms",
     .columns = paper_columns_4_1,
     .rows = paper_rows_4_1,
     .runs = {&count_small}},
    {.name = "4.2",
     .source = &kasagi,
     .title = "Time to permute an array of 1024 doubles in shared memory",
     .unit = "ns",
     .machine = GTX_680,
     .corner = "Permutations",
     .columns = paper_columns_4_2,
     .rows = paper_rows_4_2,
     .runs = {&time_small},
     .note = SMALL_BANKS},
    {.name = "4.3",
     .source = &kasagi,
     .title = "Cost of memory access requests: read a / write b (total, array-use / in-place)",
     .unit = "stages of a warp's access",
     .machine = GTX_680 ", reckoned",
     .corner = "Permutations",
     .columns = paper_columns_4_3,
     .rows = paper_rows_4_3,
     .runs = {&count_small},
     .note = "The paper's columns are of banks of 8 bytes, and so is what is counted beside them. "
             "Of random permutations one is counted. " SMALL_BANKS},
    {.name = "4.4",
     .source = &kasagi,
     .title = "Time to permute an array of 1024 floats in shared memory",
     .unit = "ns",
     .machine = GTX_680,
     .corner = "Permutations",
     .columns = paper_columns_4_4,
     .rows = paper_rows_4_4,
     .runs = {&time_small},
     .note = "Banks of 8 bytes served the words k and k + 32 at once, so the paper's transpose "
             "takes 16 stages where one of 4-byte banks takes 32."},
    {.name = "5.1",
     .source = &kasagi,
     .title = "Rounds and running time of permutations on the HMM",
     .unit = "rounds; time units",
     .machine = "by formula",
     .corner = "Algorithms",
     .columns = paper_columns_5_1,
     .rows = paper_rows_5_1,
     .runs = {&count_programs},
     .note = "Counted: w = 32, n = 1024 x 1024, L = 100; the designated ones for the transpose, "
             "whose D_w(P) is n. Formula: the paper's, with these numbers."},
    {.name = "5.2",
     .source = &kasagi,
     .title = "Time of permutations in global memory, (a) floats, (b) doubles",
     .unit = "ms",
     .machine = GTX_680,
     .corner = "sqrt n",
     .columns = paper_columns_5_2,
     .rows = paper_rows_5_2,
     .runs = {&time_global},
     .note = "The paper's unit, printed as milliseconds, cannot be right: a copy would run "
             "at 1.5 GB/s. Its ratios hold. It has no doubles at 4096."},
    {.name = "5.3",
     .source = &kasagi,
     .title = "Time of 1000 random permutations of 4M elements, and their distribution",
     .unit = "ms",
     .machine = GTX_680,
     .corner = "",
     .columns = paper_columns_5_3,
     .rows = paper_rows_5_3,
     .runs = {&count_random, &time_random},
     .note = "The paper says doubles; its figures are those of floats in table 5.2 (a), as ours "
             "are. No record of the times was made, so without a device there are none."},
    {.name = "6.1",
     .source = &kasagi,
     .title = "Performance of SAT algorithms on the HMM",
     .unit = "accesses; time units",
     .machine = "by formula",
     .corner = "SAT algorithms",
     .columns = paper_columns_6_1,
     .rows = paper_rows_6_1,
     .runs = {&count_programs, &count_small_r},
     .note = "The paper leaves out small terms. Counted: w = 32, n = 1024 x 1024, l = 100, "
             "(1+r)R1W with r = 0.1. Misprints: the cost of the last two rows must begin "
             "with (2+r) n/w, their shared accesses are (2+2r)n; so for 1.25R1W 2.25 n/w and"
             " 2.5n. The barriers of the last row, which the text garbles, are as r = 0.25 "
             "makes those of the row above. Formula: the paper's mended, with the smaller "
             "terms of its text. 4R4W transposes twice, hence 2n in shared memory; step 3 of"
             " 2R1W here forms its column sums while a block comes in, hence 3n writes. "
             "docs/machine.md says more."},
    {.name = "6.2",
     .source = &kasagi,
     .title = "Time of SAT algorithms for n x n doubles, and the best r of (1+r)R1W",
     .unit = "ms",
     .machine = "GeForce GTX 780 Ti; CPU: one thread of a Xeon X7460, 2.66 GHz",
     .corner = "SAT Algorithms",
     .columns = paper_columns_6_2,
     .rows = paper_rows_6_2,
     .runs = {&time_sat, &time_sat_on_cpu},
     .note = "The record's CPU programs ran on one thread of that machine's host (AVX-512). "
             "docs/results.md has what was found there, and SKSS and look-back, which came "
             "later."},
    {.name = "rap1",
     .alias = "RAP I",
     .source = &rap,
     .title = "Congestion of RAW, RAS and RAP",
     .unit = "stages",
     .machine = "by theorem, w = 32",
     .corner = "",
     .columns = paper_columns_rap1,
     .rows = paper_rows_rap1,
     .runs = {&count_rap},
     .note = "Any access, counted: of RAW from contiguous to stride, of the others along the "
             "diagonal. O~ stands for O~(log w / log log w)."},
    {.name = "rap2",
     .alias = "RAP II",
     .source = &rap,
     .title = "Congestion of access to a matrix of w x w, by simulation",
     .unit = "stages, the mean",
     .machine = "simulated",
     .corner = "w",
     .columns = paper_columns_rap2,
     .rows = paper_rows_rap2,
     .runs = {&count_rap}},
    {.name = "rap3",
     .alias = "RAP III",
     .source = &rap,
     .title = "Congestion and time of the transposes of 32 x 32 doubles",
     .unit = "stages; ns",
     .machine = "GeForce GTX TITAN",
     .corner = "",
     .columns = paper_columns_rap3,
     .rows = paper_rows_rap3,
     .runs = {&count_rap, &time_rap},
     .note = "Counted: 32 banks as wide as an element, as on the paper's device. Measured: doubles "
             "in banks of 4 bytes, so half a warp at a time; of 32 random shifts those of 16 rows "
             "need not differ modulo 16, hence RAP's stage more (docs/machine.md)."},
    {.name = "rap4",
     .alias = "RAP IV",
     .source = &rap,
     .title = "Congestion and random numbers for an array of w^4",
     .unit = "stages, the mean",
     .machine = "by theorem",
     .corner = "",
     .columns = paper_columns_rap4,
     .rows = paper_rows_rap4,
     .runs = {&count_rap},
     .note = "O~ stands for O~(log w / log log w), O~(w/6) for that of w/6. Counted with w = 32; "
             "RAW's figures are w. Malicious: six orders of three indices, the access that the "
             "paper gives for R1P; for RAW and 1P stride 3."},
    {.name = "amm6",
     .alias = "AMM figure 6",
     .source = &amm,
     .title = "Case 1: coalesced access to global memory",
     .unit = "ns; stages of a block",
     .corner = "Kernel",
     .columns = paper_columns_amm,
     .rows = paper_rows_amm6,
     .runs = {&count_amm, &time_amm},
     .note = NO_FIGURES "AMM before padded before naive. Its device was a Jetson TK1."},
    {.name = "amm7",
     .alias = "AMM figure 7",
     .source = &amm,
     .title = "Case 2: access to global memory that is not coalesced",
     .unit = "ns; stages of a block",
     .corner = "Kernel",
     .columns = paper_columns_amm,
     .rows = paper_rows_amm7,
     .runs = {&count_amm, &time_amm},
     .note = NO_FIGURES "AMM before naive before padded. Its device was a Jetson TK1."},
    {.name = "amm8",
     .alias = "AMM figure 8",
     .source = &amm,
     .title = "Case 3: much arithmetic",
     .unit = "ns; stages of a block",
     .corner = "Kernel",
     .columns = paper_columns_amm,
     .rows = paper_rows_amm8,
     .runs = {&count_amm, &time_amm},
     .note = NO_FIGURES "AMM level with naive, both before padded. Its device was a Jetson TK1."},
    {.name = "giles",
     .alias = "Giles figures 2 to 4",
     .source = &giles,
     .title = "An array of 32 structs of I words in shared memory, by k = i + jI + (i + jI) / 32F",
     .unit = "stages; us",
     .machine = "by proof",
     .corner = "",
     .columns = paper_columns_giles,
     .rows = paper_rows_giles,
     .runs = {&count_giles, &time_giles},
     .note = "I = P F, P a power of two and F odd; beyond P = 32 a word is left out behind each "
             "struct. The text has no conflicts by proof and about 3 % of padding at most; the "
             "index maps of its figures are not in it, and times are ours alone. All I up to 128: "
             "satbench giles --simulate."},
    {.name = "lecture",
     .alias = "coalescing",
     .source = &lecture,
     .title = "The lecture's exercises: copies with an offset, tile loads, consecutive powers",
     .unit = "of a warp's access, the mean",
     .machine = "what the text says",
     .corner = "",
     .columns = paper_columns_lecture,
     .rows = paper_rows_lecture,
     .runs = {&count_lecture, &time_lecture},
     .note = "The lecture measures nothing. It says that the bandwidth decreases "
             "significantly for offsets above 1, that 32 consecutive words are one access, "
             "and that powers without bank conflicts are close to 32 times as fast. All "
             "offsets up to 32: satbench coalesce --simulate."},
};

enum { TABLES = sizeof tables / sizeof *tables };

const paper_table *paper_table_at(size_t index)
{
    return index < TABLES ? &tables[index] : NULL;
}
