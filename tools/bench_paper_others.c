/* The tables and figures of the papers on layouts of shared memory and on coalescing, and where
 * their cells come from. */
#include "bench_paper.h"

/* --------------------------------------- RAP: K. Nakano, S. Matsumae, Y. Ito */

#define RAW "name=raw,dimensions=2"
#define RAS "name=ras,dimensions=2"
#define RAP "name=rap,dimensions=2"

const paper_column paper_columns_rap1[] = {
    {NULL, "RAW", RAW ",w=32", "{congestion}"},
    {NULL, "RAS", RAS ",w=32", "{congestion}"},
    {NULL, "RAP", RAP ",w=32", "{congestion}"},
    {NULL, NULL, NULL, NULL},
};

/* Any access: of RAW the least and the most, of the others the worst kind that table II has. */
const paper_row paper_rows_rap1[] = {
    {"Any", NULL, "[1, w]|O~|O~",
     "[{access=contiguous:congestion}, {access=stride:congestion}]|"
     "{access=diagonal:congestion}|{access=diagonal:congestion}"},
    {"Stride", "access=stride", "32|O~|1", NULL},
    {NULL, NULL, NULL, NULL},
};

#define WIDTH_2(group, layout, width)                    \
    {                                                    \
        group, width, layout ",w=" width, "{congestion}" \
    }
#define WIDTHS_2(group, layout)                                                               \
    WIDTH_2(group, layout, "16"), WIDTH_2(group, layout, "32"), WIDTH_2(group, layout, "64"), \
        WIDTH_2(group, layout, "128"), WIDTH_2(group, layout, "256")

const paper_column paper_columns_rap2[] = {
    WIDTHS_2("RAW", RAW),
    WIDTHS_2("RAS", RAS),
    WIDTHS_2("RAP", RAP),
    {NULL, NULL, NULL, NULL},
};

const paper_row paper_rows_rap2[] = {
    {"Contiguous", "access=contiguous", "1|1|1|1|1|1|1|1|1|1|1|1|1|1|1", NULL},
    {"Stride", "access=stride", "16|32|64|128|256|3.08|3.53|3.96|4.38|4.77|1|1|1|1|1", NULL},
    {"Diagonal", "access=diagonal", "1|1|1|1|1|3.08|3.53|3.96|4.38|4.77|3.20|3.61|4.00|4.41|4.78",
     NULL},
    {"Random", "access=random",
     "2.92|3.44|3.90|4.34|4.75|2.92|3.44|3.90|4.34|4.75|2.92|3.44|3.90|4.34|4.75", NULL},
    {NULL, NULL, NULL, NULL},
};

#define LAYOUT_3(group, name)                                                  \
    {group, "read", "name=" name, NULL}, {group, "write", "name=" name, NULL}, \
    {                                                                          \
        group, "ns", "name=" name, NULL                                        \
    }

const paper_column paper_columns_rap3[] = {
    LAYOUT_3("RAW", "raw"),
    LAYOUT_3("RAS", "ras"),
    LAYOUT_3("RAP", "rap"),
    {NULL, NULL, NULL, NULL},
};

/* How a transpose reads and writes: counted, or what was counted with the time. */
#define TIMED_3(way, key) "{access=" way ",input=f64,addresses=computed:" key "}"
#define COUNTED_3(access) "{dimensions=2,w=32,access=" access ":congestion}"
#define CELLS_3(way, read, write) \
    COUNTED_3(read)               \
    ";" TIMED_3(way, "read") "|" COUNTED_3(write) ";" TIMED_3(way, "write") "|" TIMED_3(way, "ns")
#define ROW_3(way, read, write) \
    CELLS_3(way, read, write) "|" CELLS_3(way, read, write) "|" CELLS_3(way, read, write)

const paper_row paper_rows_rap3[] = {
    {"CRSW Transpose", NULL, "1|32|1595|1|3.53|303.6|1|1|154.5",
     ROW_3("crsw", "contiguous", "stride")},
    {"SRCW Transpose", NULL, "32|1|1596|3.53|1|297.1|1|1|159.1",
     ROW_3("srcw", "stride", "contiguous")},
    {"DRDW Transpose", NULL, "1|1|158.4|3.53|3.53|427.4|3.61|3.61|433.3",
     ROW_3("drdw", "diagonal", "diagonal")},
    {NULL, NULL, NULL, NULL},
};

#define LAYOUT_4(group, title, name)                                 \
    {                                                                \
        group, title, "dimensions=4,w=32,name=" name, "{congestion}" \
    }

const paper_column paper_columns_rap4[] = {
    LAYOUT_4(NULL, "RAW", "raw4d"),     LAYOUT_4(NULL, "RAS", "ras4d"),
    LAYOUT_4("RAP", "1P", "1p"),        LAYOUT_4("RAP", "R1P", "r1p"),
    LAYOUT_4("RAP", "3P", "3p"),        LAYOUT_4("RAP", "w^2P", "w2p"),
    LAYOUT_4("RAP", "1Pw^2R", "1pw2r"), {NULL, NULL, NULL, NULL},
};

#define NUMBERS "{access=contiguous:numbers}"
#define STRIDE_4 "{access=stride3:congestion}"
#define SIXFOLD "{access=sixfold:congestion}"

const paper_row paper_rows_rap4[] = {
    {"Contiguous", "access=contiguous", "1|1|1|1|1|1|1", NULL},
    {"Stride1", "access=stride1", "w|O~|1|1|1|1|1", NULL},
    {"Stride2", "access=stride2", "w|O~|w|1|1|O~|O~", NULL},
    {"Stride3", "access=stride3", "w|O~|w|1|1|O~|O~", NULL},
    {"Random", "access=random", "O~|O~|O~|O~|O~|O~|O~", NULL},
    {"Malicious", NULL, "w|O~|w|6 O~(w/6)|O~|O~|O~",
     STRIDE_4 "|" SIXFOLD "|" STRIDE_4 "|" SIXFOLD "|" SIXFOLD "|" SIXFOLD "|" SIXFOLD},
    {"Random numbers", NULL, "0|w^3|w|w|3w|w^3|w^2 + w",
     NUMBERS "|" NUMBERS "|" NUMBERS "|" NUMBERS "|" NUMBERS "|" NUMBERS "|" NUMBERS},
    {NULL, NULL, NULL, NULL},
};

/* ------------------------------------------- AMM: I. Mungiello, F. De Rosa */

#define LAYOUT_AMM(group, where, cell)                                                        \
    {group, "naive", "name=naive" where, cell}, {group, "padded", "name=padded" where, cell}, \
    {                                                                                         \
        group, "AMM", "name=amm" where, cell                                                  \
    }

const paper_column paper_columns_amm[] = {
    LAYOUT_AMM("ns a tile", ",residence=own", "{ns}"),
    LAYOUT_AMM("ns, blocks as on a TK1", ",residence=tk1", "{ns}"),
    LAYOUT_AMM("stages", ",processor=tk1", "{stages}"),
    LAYOUT_AMM("blocks on a TK1", ",processor=tk1", "{blocks}"),
    {NULL, NULL, NULL, NULL},
};

const paper_row paper_rows_amm6[] = {
    {"Transpose", "case=1,kernel=transpose", NULL, NULL},
    {"Convolution Col", "case=1,kernel=convolution", NULL, NULL},
    {"Lud_Perimeter", "case=1,kernel=lud", NULL, NULL},
    {"Foo 1", "case=1,kernel=foo1", NULL, NULL},
    {NULL, NULL, NULL, NULL},
};

const paper_row paper_rows_amm7[] = {
    {"Foo 1", "case=2,kernel=foo1", NULL, NULL},
    {NULL, NULL, NULL, NULL},
};

const paper_row paper_rows_amm8[] = {
    {"Foo 2", "case=3,kernel=foo2", NULL, NULL},
    {NULL, NULL, NULL, NULL},
};

/* ------------------------------------------------------------------ M. Giles */

#define CONFLICTS "worst congestion"
#define TIME "us, 128 MB of structs"

const paper_column paper_columns_giles[] = {
    {CONFLICTS, "Giles", NULL, "{congestion}"},
    {CONFLICTS, "i + jI", NULL, "{congestion_unpadded}"},
    {CONFLICTS, "i + j(I+1)", NULL, "{congestion_by_one}"},
    {NULL, "words", NULL, "{words}"},
    {NULL, "padding", NULL, "{extra}"},
    {TIME, "Giles", NULL, "{giles_us}"},
    {TIME, "i + jI", NULL, "{unpadded_us}"},
    {TIME, "strided", NULL, "{strided_us}"},
    {TIME, "as they come", NULL, "{coalesced_us}"},
    {NULL, NULL, NULL, NULL},
};

/* Figures 2 to 4, then every power of two and what lies beside. The text promises no conflicts
 * for any I; unpadded, none for I odd. */
const paper_row paper_rows_giles[] = {
    {"I = 5 (figure 2)", "I=5", "1|1", NULL},
    {"I = 4 (figure 3)", "I=4", "1", NULL},
    {"I = 6 (figure 4)", "I=6", "1", NULL},
    {"I = 1", "I=1", "1|1", NULL},
    {"I = 2", "I=2", "1", NULL},
    {"I = 3", "I=3", "1|1", NULL},
    {"I = 8", "I=8", "1", NULL},
    {"I = 16", "I=16", "1", NULL},
    {"I = 24", "I=24", "1", NULL},
    {"I = 31", "I=31", "1|1", NULL},
    {"I = 32", "I=32", "1", NULL},
    {"I = 33", "I=33", "1|1", NULL},
    {"I = 48", "I=48", "1", NULL},
    {"I = 64", "I=64", "1", NULL},
    {"I = 96", "I=96", "1", NULL},
    {"I = 127", "I=127", "1|1", NULL},
    {"I = 128", "I=128", "1", NULL},
    {NULL, NULL, NULL, NULL},
};

/* --------------------------------------------------------- J. Verschelde */

#define GROUPS "groups of 32 words"
#define SECTORS "sectors of 32 bytes"
#define BANKS "stages in shared memory"

const paper_column paper_columns_lecture[] = {
    {NULL, "us", NULL, "{us}"},
    {NULL, "GB/s", NULL, "{gbps}"},
    {NULL, "x first", NULL, "{x_first}"},
    {GROUPS, "read", NULL, "{global_reads}"},
    {GROUPS, "written", NULL, "{global_writes}"},
    {SECTORS, "read", NULL, "{sector_reads}"},
    {SECTORS, "written", NULL, "{sector_writes}"},
    {BANKS, "read", NULL, "{shared_reads}"},
    {BANKS, "written", NULL, "{shared_writes}"},
    {NULL, NULL, NULL, NULL},
};

const paper_row paper_rows_lecture[] = {
    {"1. copy, offset 0", "part=copy,offset=0", "|||1|1", NULL},
    {"1. copy, offset 1", "part=copy,offset=1", NULL, NULL},
    {"1. copy, offset 2", "part=copy,offset=2", NULL, NULL},
    {"1. copy, offset 8", "part=copy,offset=8", NULL, NULL},
    {"1. copy, offset 32", "part=copy,offset=32", NULL, NULL},
    {"2. product, as in the lecture", "part=product,name=coalesced", "|||1", NULL},
    {"2. product, columns", "part=product,name=strided", NULL, NULL},
    {"2. product, columns, staged", "part=product,name=staged", NULL, NULL},
    {"3. powers, changed order", "part=powers shared,name=interleaved", "||||||||1", NULL},
    {"3. powers, stride 32", "part=powers shared,name=consecutive", "||close to 32", NULL},
    {"the same in global memory", "part=powers global,name=interleaved", NULL, NULL},
    {"with stride 32", "part=powers global,name=consecutive", NULL, NULL},
    {NULL, NULL, NULL, NULL},
};
