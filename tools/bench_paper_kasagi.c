/* The tables of A. Kasagi's dissertation, and where their cells come from. A root that the text
 * writes as a bar is "sqrt n" here. */
#include "bench_paper.h"

/* --------------------------------------------------------------- chapter 4 */

const paper_column paper_columns_4_1[] = {
    {NULL, "a", NULL, "{a}"},          {NULL, "b", NULL, "{b}"},
    {NULL, "p", NULL, "{p}"},          {NULL, "q", NULL, "{q}"},
    {NULL, "s", NULL, "{s}"},          {NULL, "d", NULL, "{d}"},
    {NULL, "read", NULL, "{reads*n}"}, {NULL, "write", NULL, "{writes*n}"},
    {NULL, NULL, NULL, NULL},
};

const paper_row paper_rows_4_1[] = {
    {"Copy", "form=array,name=copy", "r|w|||||n|n", NULL},
    {"D-designated", "form=array,name=d-designated", "r|w|r||||2n|n", NULL},
    {"S-designated", "form=array,name=s-designated", "r|w||r|||2n|n", NULL},
    {"Our conflict-free", "form=array,name=conflict-free", "r|w|||r|r|3n|n", NULL},
    {NULL, NULL, NULL, NULL},
};

#define ARRAY "Algorithms (array-use)"
#define IN_PLACE "Algorithms (in-place)"
#define TIMES(type)                                                                             \
    {                                                                                           \
        {ARRAY, "D-designated", "input=" type ",form=array,name=d-designated", "{ns%4}"},       \
            {ARRAY, "S-designated", "input=" type ",form=array,name=s-designated", "{ns%4}"},   \
            {ARRAY, "Conflict-free", "input=" type ",form=array,name=conflict-free", "{ns%4}"}, \
            {IN_PLACE, "D-designated", "input=" type ",form=in-place,name=d-designated",        \
             "{ns%4}"},                                                                         \
            {IN_PLACE, "S-designated", "input=" type ",form=in-place,name=s-designated",        \
             "{ns%4}"},                                                                         \
            {IN_PLACE, "Conflict-free", "input=" type ",form=in-place,name=conflict-free",      \
             "{ns%4}"},                                                                         \
            {NULL, "Copy", "input=" type ",form=array,name=d-designated", "{copy_ns%4}"},       \
            {NULL, NULL, NULL, NULL},                                                           \
    }

const paper_column paper_columns_4_2[] = TIMES("f64");
const paper_column paper_columns_4_4[] = TIMES("f32");

const paper_row paper_rows_4_2[] = {
    {"Identical", "pattern=identical", "135.4|124.4|167.1|-|-|-|102.8", NULL},
    {"Random", "pattern=random", "247.8|275.5|166.7|-|-|-|102.8", NULL},
    {"Transpose", "pattern=transpose", "1684|1696|167.1|1626|1633|105.4|102.8", NULL},
    {"Shuffle", "pattern=shuffle", "178.4|183.4|166.9|160.0|161.3|105.4|102.8", NULL},
    {"Bit-reversal", "pattern=bit-reversal", "1684|1697|166.9|1668|1677|109.0|102.8", NULL},
    {NULL, NULL, NULL, NULL},
};

const paper_row paper_rows_4_4[] = {
    {"Identical", "pattern=identical", "135.5|123.6|164.9|-|-|-|102.8", NULL},
    {"Random", "pattern=random", "245.9|265.8|164.9|-|-|-|102.8", NULL},
    {"Transpose", "pattern=transpose", "876.3|891.0|164.7|839.3|847.5|105.5|102.8", NULL},
    {"Shuffle", "pattern=shuffle", "135.3|183.2|164.9|104.0|161.3|105.0|102.8", NULL},
    {"Bit-reversal", "pattern=bit-reversal", "876.3|891.2|164.8|862.0|870.5|108.9|102.8", NULL},
    {NULL, NULL, NULL, NULL},
};

/* read/write (all of them with the array of indices / in place), or without the latter. */
#define COST(wide)                                                                        \
    "{form=array:" wide "read}/{form=array:" wide "write} ({form=array:" wide             \
    "stages}/{form=in-place:" wide "stages});{form=array:" wide "read}/{form=array:" wide \
    "write} ({form=array:" wide "stages})"
#define COSTS(group, type, wide)                                              \
    {group, "D-designated", "name=d-designated,input=" type, COST(wide)},     \
        {group, "S-designated", "name=s-designated,input=" type, COST(wide)}, \
    {                                                                         \
        group, "Conflict-free", "name=conflict-free,input=" type, COST(wide)  \
    }

const paper_column paper_columns_4_3[] = {
    COSTS("64-bit (double)", "f64", "wide_"),
    COSTS("32-bit (float)", "f32", "wide_"),
    COSTS("double, banks of 4 bytes", "f64", ""),
    COSTS("float, banks of 4 bytes", "f32", ""),
    {NULL, NULL, NULL, NULL},
};

const paper_row paper_rows_4_3[] = {
    {"Identical", "pattern=identical", "1/1 (3)|1/1 (3)|1/1 (4)|1/1 (3)|1/1 (3)|1/1 (4)", NULL},
    {"Random", "pattern=random",
     "1/3.46 (5.46)|3.46/1 (5.46)|1/1 (4)|1/3.37 (5.37)|3.37/1 (5.37)|1/1 (4)", NULL},
    {"Transpose", "pattern=transpose",
     "1/32 (34/33)|32/1 (34/33)|1/1 (4/2)|1/16 (18/17)|16/1 (18/17)|1/1 (4/2)", NULL},
    {"Shuffle", "pattern=shuffle", "1/2 (4/3)|2/1 (4/3)|1/1 (4/2)|1/1 (3/2)|2/1 (4/3)|1/1 (4/2)",
     NULL},
    {"Bit-reversal", "pattern=bit-reversal",
     "1/32 (34/33)|32/1 (34/33)|1/1 (4/2)|1/16 (18/17)|16/1 (18/17)|1/1 (4/2)", NULL},
    {NULL, NULL, NULL, NULL},
};

/* --------------------------------------------------------------- chapter 5 */

#define GLOBAL "global memory"
#define SHARED "shared memory"

const paper_column paper_columns_5_1[] = {
    {GLOBAL, "casual r", NULL, "{stride_reads*}"},
    {GLOBAL, "casual w", NULL, "{stride_writes*}"},
    {GLOBAL, "coalesced r", NULL, "{coalesced_reads*}"},
    {GLOBAL, "coalesced w", NULL, "{coalesced_writes*}"},
    {SHARED, "conflict-free r", NULL, "{shared_reads*}"},
    {SHARED, "conflict-free w", NULL, "{shared_writes*}"},
    {NULL, "running time", NULL, "{time_units}, formula {formula}"},
    {NULL, NULL, NULL, NULL},
};

const paper_row paper_rows_5_1[] = {
    {"D-designated permutation", "name=d-designated,permutation=transpose",
     "-|1|2|-|-|-|D_w(P) + 2 n/w + 3L - 3", NULL},
    {"S-designated permutation", "name=s-designated,permutation=transpose",
     "1|-|1|1|-|-|D_w(P^-1) + 2 n/w + 3L - 3", NULL},
    {"Transpose", "name=transpose", "-|-|1|1|1|1|4 n/w + 2L - 2", NULL},
    {"Row-wise permutation", "name=row-wise", "-|-|3|1|2|2|8 n/w + 4L - 4", NULL},
    {"Column-wise permutation", "name=column-wise", "-|-|5|3|4|4|16 n/w + 8L - 8", NULL},
    {"Our scheduled permutation", "name=scheduled", "-|-|11|5|8|8|32 n/w + 16L - 16", NULL},
    {NULL, NULL, NULL, NULL},
};

#define SIZE_5_2(group, name, side)                                      \
    {                                                                    \
        group, side, "name=" name ",width=" side ",height=" side, "{ms}" \
    }
#define SIZES_5_2(group, name)                                                                 \
    SIZE_5_2(group, name, "256"), SIZE_5_2(group, name, "512"), SIZE_5_2(group, name, "1024"), \
        SIZE_5_2(group, name, "2048"), SIZE_5_2(group, name, "4096")

const paper_column paper_columns_5_2[] = {
    SIZES_5_2("D-designated", "d-designated"),
    SIZES_5_2("S-designated", "s-designated"),
    SIZES_5_2("Our scheduled", "scheduled"),
    {NULL, NULL, NULL, NULL},
};

const paper_row paper_rows_5_2[] = {
    {"(a) identical", "input=f32,pattern=identical",
     "0.86|2.48|9.06|33.2|130|0.86|2.49|9.13|33.1|129|3.87|11.7|46.9|173|780", NULL},
    {"(a) shuffle", "input=f32,pattern=shuffle",
     "0.94|3.05|11.5|44.7|186|0.84|2.47|9.09|33.6|133|3.87|11.7|46.9|174|780", NULL},
    {"(a) random", "input=f32,pattern=random",
     "1.55|15.1|93.9|425|1756|3.3|15.7|89.8|398|1644|3.87|11.7|47|173|780", NULL},
    {"(a) bit-reversal", "input=f32,pattern=bit-reversal",
     "1.6|15.6|95.3|459|2328|3.12|20.8|96.6|414|1870|3.87|11.7|47|173|780", NULL},
    {"(a) transpose", "input=f32,pattern=transpose",
     "1.44|21.2|127|636|2850|2.72|17.8|87|370|2037|3.87|11.7|46.9|173|780", NULL},
    {"(b) identical", "input=f64,pattern=identical",
     "1.07|3.57|13.5|54.6||1.07|3.60|13.8|54.6||5.07|16.9|66.6|275|", NULL},
    {"(b) shuffle", "input=f64,pattern=shuffle",
     "1.44|5.14|19.7|82.2||1.08|3.57|13.6|54.6||5.09|17.0|66.7|275|", NULL},
    {"(b) random", "input=f64,pattern=random",
     "2.98|21.6|104|452||3.4|21.3|100|424||5.09|17.0|66.6|275|", NULL},
    {"(b) bit-reversal", "input=f64,pattern=bit-reversal",
     "3.00|22.0|108|559||3.36|25.0|104|498||5.09|17.0|66.6|275|", NULL},
    {"(b) transpose", "input=f64,pattern=transpose",
     "2.07|22.2|134|638||2.99|15.4|80.3|358||5.12|17.0|66.6|275|", NULL},
    {NULL, NULL, NULL, NULL},
};

const paper_column paper_columns_5_3[] = {
    {NULL, "D-designated", "name=d-designated", "{ms%5}"},
    {NULL, "S-designated", "name=s-designated", "{ms%5}"},
    {NULL, "Scheduled", "name=scheduled", "{ms%5}"},
    {NULL, "D_w(P)/n", "name=d-designated", "{distribution%5}"},
    {NULL, NULL, NULL, NULL},
};

const paper_row paper_rows_5_3[] = {
    {"minimum", "of=least", "424.87|397.89|173.5|0.99987", NULL},
    {"average", "of=mean", "425.52|398.27|173.66|0.99989", NULL},
    {"maximum", "of=most", "426.39|398.77|173.92|0.99990", NULL},
    {NULL, NULL, NULL, NULL},
};

/* --------------------------------------------------------------- chapter 6 */

const paper_column paper_columns_6_1[] = {
    {GLOBAL, "coalesced r/w", NULL, "{coalesced_reads*n}/{coalesced_writes*n}"},
    {GLOBAL, "stride r/w", NULL, "{stride_reads*n}/{stride_writes*n}"},
    {SHARED, "r/w", NULL, "{shared_reads*n}/{shared_writes*n}"},
    {NULL, "barriers", NULL, "{barriers}"},
    {NULL, "global memory access cost", NULL, "{time_units}, formula {formula}"},
    {NULL, NULL, NULL, NULL},
};

const paper_row paper_rows_6_1[] = {
    {"2R2W", "name=2r2w", "n/n|n/n|-|1|2n + 2 n/w + 2l", NULL},
    {"4R4W", "name=4r4w", "4n/4n|-|n/n|3|8 n/w + 4l", NULL},
    {"4R1W", "name=4r1w", "-|4n/n|-|2 sqrt n|5n + 2 sqrt n l", NULL},
    {"2R1W", "name=2r1w", "2n/n|-|4n/4n|2d + 2|3 n/w + (2d + 3)l", NULL},
    {"1R1W", "name=1r1w", "n/n|-|2n/2n|2 sqrt n/w|2 n/w + 2 sqrt n/w l", NULL},
    {"1.25R1W", "name=1+r,r=0.25",
     "1.25n/n|-|2.5n/2.5n|sqrt n/w + 4d + 4|1.25 n/w + (sqrt n/w + 4d + 5)l", NULL},
    {"(1+r)R1W", "name=1+r,r=0.1",
     "(1+r)n/n|-|(2+sqrt r)n/(2+sqrt r)n|2(1-sqrt r) sqrt n/w + 4d + 4|"
     "(1+r) n/w + (2(1-sqrt r) sqrt n/w + 4d + 5)l",
     NULL},
    {NULL, NULL, NULL, NULL},
};

#define SIZE_6_2(title, side)                              \
    {                                                      \
        NULL, title, "width=" side ",height=" side, "{ms}" \
    }

const paper_column paper_columns_6_2[] = {
    SIZE_6_2("1K", "1024"),   SIZE_6_2("2K", "2048"),   SIZE_6_2("3K", "3072"),
    SIZE_6_2("4K", "4096"),   SIZE_6_2("5K", "5120"),   SIZE_6_2("6K", "6144"),
    SIZE_6_2("7K", "7168"),   SIZE_6_2("8K", "8192"),   SIZE_6_2("10K", "10240"),
    SIZE_6_2("12K", "12288"), SIZE_6_2("14K", "14336"), SIZE_6_2("16K", "16384"),
    SIZE_6_2("18K", "18432"), {NULL, NULL, NULL, NULL},
};

#define R13 "{r}|{r}|{r}|{r}|{r}|{r}|{r}|{r}|{r}|{r}|{r}|{r}|{r}"

/* The last record of (1+r)R1W is the fastest one's. */
const paper_row paper_rows_6_2[] = {
    {"2R2W", "name=2r2w,device!=cpu",
     "1.47|3.28|5.71|9.53|13.6|23.9|27.1|47.8|90.8|163|160|234|401", NULL},
    {"4R4W", "name=4r4w,device!=cpu",
     "1.07|2.52|4.48|6.77|9.67|13.7|17.2|22.2|33.9|50.4|64.2|83.1|117", NULL},
    {"4R1W", "name=4r1w,device!=cpu", "11.5|22.9|36.4|50.1|113|104|173|252|315|597|437|742|1600",
     NULL},
    {"2R1W", "name=2r1w,device!=cpu",
     "0.332|0.850|1.83|3.09|4.79|6.78|9.25|12.3|18.9|27.2|36.8|48.7|61", NULL},
    {"1R1W", "name=1r1w,device!=cpu",
     "0.902|1.46|2.43|3.65|5.05|6.81|8.71|10.9|16.2|22.6|29.7|38|53.8", NULL},
    {"1.25R1W", "name=1+r,r=0.25,device!=cpu",
     "0.453|1.05|1.96|3.25|4.71|6.41|8.47|10.8|16.5|23|31.2|40.7|57.6", NULL},
    {"fastest (1+r)R1W", "name=1+r,device!=cpu",
     "0.365|0.958|1.94|3.16|4.58|6.32|8.25|10.5|15.7|22.0|29.1|37.5|53.1", NULL},
    {"r (0 < r < 1)", "name=1+r,device!=cpu",
     "0.168|0.174|0.172|0.159|0.136|0.123|0.0876|0.103|0.0963|0.0710|0.0835|0.0694|0.0725", R13},
    {"2R2W(CPU)", "name=2r2w,device=cpu",
     "25.9|107|241|427|670|966|1310|1690|2670|3850|5250|6760|8670", NULL},
    {"4R1W(CPU)", "name=4r1w,device=cpu",
     "18.0|73.2|165|293|459|660|904|1160|1830|2660|3600|4590|5950", NULL},
    {NULL, NULL, NULL, NULL},
};
