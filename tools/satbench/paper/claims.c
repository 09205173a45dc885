/* `satbench paper --check`: each claim of papers.txt judged by the cells of its table, so by what
 * `satbench paper` prints: counted, measured here, or recorded where that is asked for. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "paper.h"
#include "../../columns.h"

enum { CLAIM_TEXT = PAPER_TEXT };

/* ------------------------------------------------------------------- which cells */

/* Rows and columns of a table, in the order of the lists that name them. */
typedef struct claim_cells {
    int row[PAPER_MOST_ROWS], column[PAPER_MOST_COLUMNS], rows, columns;
    int part; /* which number of a cell, from 1 on */
} claim_cells;

/* "ROWS : COLUMNS #PART" */
static void find_cells(const paper_table *t, const char *text, claim_cells *cells)
{
    char list[2 * CLAIM_TEXT];
    const char *mark = strchr(text, '#');
    cells->part = mark ? atoi(mark + 1) : 1;
    paper_part(text, ':', 0, list, sizeof list);
    cells->rows = paper_find(t, false, list, cells->row);
    paper_part(text, ':', 1, list, sizeof list);
    list[strcspn(list, "#")] = '\0';
    cells->columns = paper_find(t, true, list, cells->column);
}

/* The part-th number of "1/32 (34/33)" or "2n/n"; n alone is 1, and "-" is 0. */
static bool cell_number(const char *text, int part, double *number)
{
    static const char between[] = "/(), ";
    *number = 0;
    if (strcmp(text, "-") == 0) {
        return true;
    }
    for (text += strspn(text, between); *text; text += strspn(text, between)) {
        char *end;
        double value = strtod(text, &end);
        bool is_n = end == text && *text == 'n';
        if ((end > text || is_n) && --part == 0) {
            *number = is_n ? 1 : value;
            return true;
        }
        text += strcspn(text, between);
    }
    return false;
}

const char *paper_ours(const paper_found *found, int row, int column, bool record)
{
    const char(*cells)[PAPER_MOST_COLUMNS][PAPER_CELL] = found->cells[row];
    return *cells[PAPER_BY_COUNT][column] ? cells[PAPER_BY_COUNT][column]
           : *cells[PAPER_HERE][column]   ? cells[PAPER_HERE][column]
           : record                       ? cells[PAPER_RECORD][column]
                                          : "";
}

/* ---------------------------------------------------------------------- judging */

typedef struct claim_verdict {
    enum { CLAIM_HOLDS, CLAIM_FAILS, CLAIM_UNTOLD } is;
    double figure; /* left by right, or how far from equal: where it is nearest to failing */
    char where[2 * CLAIM_TEXT]; /* that cell's row and column, as far as there are several */
    int told, all;              /* pairs of cells */
} claim_verdict;

/* What a claim is judged by. */
typedef struct claim_side {
    const paper_found *found;
    bool there, record; /* by the file of --against; else by records too */
} claim_side;

static const char *side_cell(const claim_side *side, int row, int column)
{
    return side->there ? side->found->cells[row][PAPER_THERE][column]
                       : paper_ours(side->found, row, column, side->record);
}

static double pair_figure(char relation, const char *left, int left_part, const char *right,
                          int right_part)
{
    double l, r;
    bool numbers = cell_number(left, left_part, &l) && cell_number(right, right_part, &r);
    if (relation != '=') {
        return numbers ? l / r : NAN;
    }
    return strcmp(left, right) == 0 && left_part == right_part ? 0
           : !numbers                                          ? HUGE_VAL
           : r == 0                                            ? fabs(l)
                                                               : fabs(l / r - 1);
}

static double claim_bound(const paper_claim *claim)
{
    return strtod(claim->relation + strspn(claim->relation, "<>= "), NULL);
}

static void take_figure(claim_verdict *v, const paper_claim *claim, const claim_cells *left, int i,
                        int j, double figure)
{
    bool least = claim->relation[0] == '>';
    if (v->told++ == 0 || (least ? figure < v->figure : figure > v->figure)) {
        char row[CLAIM_TEXT] = "", column[CLAIM_TEXT] = "";
        if (left->rows > 1) {
            paper_name(claim->table, false, left->row[i], row);
        }
        if (left->columns > 1) {
            paper_name(claim->table, true, left->column[j], column);
        }
        v->figure = figure;
        snprintf(v->where, sizeof v->where, "%s%s%s", row, *row && *column ? ", " : "", column);
    }
}

/* Cells that the paper leaves empty are compared with nothing. */
static claim_verdict judge(const paper_claim *claim, const claim_side *side)
{
    claim_verdict v = {0};
    claim_cells left, right = {.part = 1};
    bool by_cells = strchr(claim->right, ':'), by_paper = strcmp(claim->right, "paper") == 0;
    find_cells(claim->table, claim->left, &left);
    if (by_cells) {
        find_cells(claim->table, claim->right, &right);
    } else if (by_paper) {
        right = left;
    }
    int rows = right.rows > left.rows ? right.rows : left.rows;
    int columns = right.columns > left.columns ? right.columns : left.columns;
    for (int at = 0; at < rows * columns; at++) {
        int i = at / columns % left.rows, j = at % columns % left.columns;
        const char *ours = side_cell(side, left.row[i], left.column[j]), *theirs;
        char number[PAPER_CELL];
        if (by_cells) {
            theirs = side_cell(side, right.row[at / columns % right.rows],
                               right.column[at % columns % right.columns]);
        } else if (by_paper) {
            theirs = side->found->cells[left.row[i]][PAPER_PRINTED][left.column[j]];
        } else {
            paper_part(claim->right, ',', strchr(claim->right, ',') ? j : 0, number, sizeof number);
            theirs = number;
        }
        v.all += !by_paper || *theirs;
        if (*ours && *theirs) {
            take_figure(&v, claim, &left, i, j,
                        pair_figure(*claim->relation, ours, left.part, theirs, right.part));
        }
    }
    const double slack = 1e-9, bound = claim_bound(claim);
    bool good = *claim->relation == '>' ? v.figure >= bound - slack : v.figure <= bound + slack;
    v.is = v.told > 0 && !good             ? CLAIM_FAILS
           : v.told < v.all || v.told == 0 ? CLAIM_UNTOLD
                                           : CLAIM_HOLDS;
    return v;
}

/* --------------------------------------------------------------- what was judged */

/* A line of the table of claims: its texts, and the figures. */
enum {
    TEXT_CLAIM,
    TEXT_PAPER,
    TEXT_TABLE,
    TEXT_ASKED,
    TEXT_HERE,
    TEXT_VERDICT,
    TEXT_THERE,
    TEXT_RATIO,
    TEXT_VERDICT_THERE,
    TEXTS
};
static const char *const titles[TEXTS] = {"claim",   "paper", "table", "asked",        "here",
                                          "verdict", "there", "ratio", "verdict there"};

enum { MOST_JUDGED = 64 };

static struct judged {
    const paper_claim *claim;
    claim_verdict ours, theirs;
    char text[TEXTS][CLAIM_TEXT];
} judged[MOST_JUDGED];
static int judged_count;

static void asked_text(const paper_claim *claim, char text[CLAIM_TEXT])
{
    double bound = claim_bound(claim);
    char relation = claim->relation[0];
    if (relation == '=') {
        snprintf(text, CLAIM_TEXT, bound == 0 ? "equal" : "within %g %%", 100 * bound);
    } else {
        snprintf(text, CLAIM_TEXT, "at %s %g", relation == '>' ? "least" : "most", bound);
    }
}

static void figure_text(const paper_claim *claim, const claim_verdict *v, char text[CLAIM_TEXT])
{
    bool part = claim->relation[0] == '=';
    if (v->told == 0) {
        snprintf(text, CLAIM_TEXT, "-");
        return;
    } else if (part && v->figure <= 0) {
        snprintf(text, CLAIM_TEXT, "equal");
        return;
    } else if (part && isfinite(v->figure)) {
        snprintf(text, CLAIM_TEXT, "%.2g %%", 100 * v->figure);
    } else {
        snprintf(text, CLAIM_TEXT, isfinite(v->figure) ? "%.4g" : "another", v->figure);
    }
    size_t length = strlen(text);
    snprintf(text + length, CLAIM_TEXT - length, *v->where ? " (%s)" : "%s", v->where);
}

/* Why a claim cannot be told, or that it can. */
static void verdict_text(const claim_verdict *v, const bench_options *options, bool there,
                         char text[CLAIM_TEXT])
{
    if (v->is != CLAIM_UNTOLD) {
        snprintf(text, CLAIM_TEXT, v->is == CLAIM_HOLDS ? "holds" : "does not hold");
    } else if (v->told > 0) {
        snprintf(text, CLAIM_TEXT, "cannot be told here: %d of %d are there, and hold%s", v->told,
                 v->all, there || options->full || options->record_only ? "" : "; --full has all");
    } else {
        snprintf(text, CLAIM_TEXT, "cannot be told here: %s",
                 there                          ? "not in the file"
                 : options->record_only         ? "no record"
                 : options->device == SATF_HOST ? "takes a CUDA device"
                                                : "not measured; --full may have it");
    }
}

void paper_claims_judge(const paper_found *found, const bench_options *options)
{
    const paper_claim *claim;
    for (size_t i = 0; (claim = paper_claim_at(i)) && judged_count < MOST_JUDGED; i++) {
        if (claim->table != found->table) {
            continue;
        }
        struct judged *to = &judged[judged_count++];
        to->claim = claim;
        to->ours = judge(claim, &(claim_side){.found = found, .record = options->record_only});
        snprintf(to->text[TEXT_CLAIM], CLAIM_TEXT, "%s", claim->sentence);
        snprintf(to->text[TEXT_PAPER], CLAIM_TEXT, "%s%s%s", claim->table->source->short_name,
                 *claim->place ? " " : "", claim->place);
        snprintf(to->text[TEXT_TABLE], CLAIM_TEXT, "%s", claim->table->name);
        asked_text(claim, to->text[TEXT_ASKED]);
        figure_text(claim, &to->ours, to->text[TEXT_HERE]);
        verdict_text(&to->ours, options, false, to->text[TEXT_VERDICT]);
        if (options->against) {
            to->theirs = judge(claim, &(claim_side){.found = found, .there = true});
            figure_text(claim, &to->theirs, to->text[TEXT_THERE]);
            verdict_text(&to->theirs, options, true, to->text[TEXT_VERDICT_THERE]);
            double ratio = to->ours.figure / to->theirs.figure;
            bool both = to->ours.told && to->theirs.told && isfinite(ratio);
            snprintf(to->text[TEXT_RATIO], CLAIM_TEXT, both ? "%.3g" : "-", ratio);
        }
    }
}

/* Whether a claim does not hold, here or there. */
static bool fails(const struct judged *j)
{
    return j->ours.is == CLAIM_FAILS || (*j->text[TEXT_THERE] && j->theirs.is == CLAIM_FAILS);
}

int paper_claims_status(void)
{
    int broken = 0;
    for (int i = 0; i < judged_count; i++) {
        broken += fails(&judged[i]) && !judged[i].claim->known;
    }
    return broken > 0;
}

/* ---------------------------------------------------------------------- printing */

/* A claim, or for NULL the titles. The last text is not padded. */
static void print_claim(const struct judged *j, int texts, const int widths[TEXTS])
{
    for (int k = 0; k < texts; k++) {
        bool last = k == texts - 1;
        printf("%-*s%s", last ? 0 : widths[k], j ? j->text[k] : titles[k], last ? "\n" : "  ");
    }
    if (j && fails(j) && j->claim->known) {
        fputs("    known: ", stdout);
        print_wrapped(j->claim->known, 11, 11);
    }
}

static void print_markdown_claim(const struct judged *j, int texts)
{
    for (int k = 0; k < texts; k++) {
        bool known = j && k == TEXT_VERDICT && fails(j) && j->claim->known;
        printf("| %s%s%s ", j ? j->text[k] : titles[k], known ? "; known: " : "",
               known ? j->claim->known : "");
    }
    puts("|");
    for (int k = 0; !j && k < texts; k++) {
        fputs(k == texts - 1 ? "|---|\n" : "|---", stdout);
    }
}

static void print_sum(const bench_options *options)
{
    int hold = 0, fail = 0, known = 0;
    char failed[64] = "none fails";
    bench_device device = {.name = "NVIDIA H200 (results/h200)"};
    for (int i = 0; i < judged_count; i++) {
        hold += judged[i].ours.is == CLAIM_HOLDS;
        fail += judged[i].ours.is == CLAIM_FAILS;
        known += judged[i].ours.is == CLAIM_FAILS && judged[i].claim->known;
    }
    if (fail > 0) {
        snprintf(failed, sizeof failed, "%d do not (%d for a known reason)", fail, known);
    }
    if (!options->record_only) {
        bench_name_device(options->device, &device);
    }
    int untold = judged_count - hold - fail;
    printf("\nOf %d claims %d hold, %s, and %d cannot be told here.\n", judged_count, hold, failed,
           untold);
    if (untold > 0 && !options->record_only && options->device == SATF_HOST) {
        puts("What takes a CUDA device was measured on an H200: satbench paper --check --record.");
    }
    printf("Here: what simulated memory machines count, and times of %s.\n"
           "All figures of a table: satbench paper TABLE.\n",
           device.name);
    if (options->against) {
        printf("There: %s. Ratio: here by there.\n", options->against);
    }
}

void paper_claims_print(const bench_options *options)
{
    int widths[TEXTS], texts = options->against ? TEXTS : TEXT_VERDICT + 1;
    for (int k = 0; k < texts; k++) {
        widths[k] = (int)strlen(titles[k]);
        for (int i = 0; i < judged_count; i++) {
            int width = (int)strlen(judged[i].text[k]);
            widths[k] = width > widths[k] ? width : widths[k];
        }
    }
    for (int i = -1; i < judged_count; i++) { /* the titles first */
        if (options->markdown) {
            print_markdown_claim(i < 0 ? NULL : &judged[i], texts);
        } else {
            print_claim(i < 0 ? NULL : &judged[i], texts, widths);
        }
    }
    print_sum(options);
}

void paper_claims_json(void)
{
    fputs(",\n  \"claims\": [", stdout);
    for (int i = 0; i < judged_count; i++) {
        fputs(i ? ",\n    {" : "\n    {", stdout);
        for (int k = 0; k < TEXTS; k++) {
            if (*judged[i].text[k]) {
                bench_write_member(stdout, "", titles[k], judged[i].text[k], ", ");
            }
        }
        bench_write_member(stdout, "", "known", judged[i].claim->known, "}");
    }
    fputs("\n  ]", stdout);
}
