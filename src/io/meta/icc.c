/* An ICC profile (version 4) that says what gAMA and cHRM of a PNG say. */
#include <math.h>
#include <string.h>

#include "../codec.h"

enum { SIZE_BYTES = 4, HEADER_BYTES = 128, TAG_BYTES = 12 };

/* What is written of the profile so far. */
typedef struct profile {
    unsigned char *data;
    size_t bytes, tags;
    bool sound; /* every number has fitted */
} profile;

/* s15Fixed16Number */
static void icc_put_number(profile *p, double value)
{
    double units = floor(value * 65536 + 0.5);
    bool fits = units >= INT32_MIN && units <= INT32_MAX;
    p->sound &= fits;
    io_store_big(p->data + p->bytes, (uint32_t)(fits ? (int32_t)units : 0), 4);
    p->bytes += 4;
}

/* A tag of the next element, whose type and four bytes of zeros come first. */
static void begin_tag(profile *p, const char *name, const char *type)
{
    unsigned char *tag = p->data + HEADER_BYTES + SIZE_BYTES + TAG_BYTES * p->tags++;
    memcpy(tag, name, 4);
    io_store_big(tag + 4, (uint32_t)p->bytes, 4);
    memcpy(p->data + p->bytes, type, 4);
    p->bytes += 8;
}

/* Closes the last element. */
static void end_tag(profile *p)
{
    unsigned char *tag = p->data + HEADER_BYTES + SIZE_BYTES + TAG_BYTES * (p->tags - 1);
    uint32_t from = (uint32_t)tag[6] << 8 | tag[7];
    io_store_big(tag + 8, (uint32_t)p->bytes - from, 4);
    p->bytes = (p->bytes + 3) & ~(size_t)3;
}

/* Text in one language; of ASCII. */
static void put_text(profile *p, const char *name, const char *text)
{
    enum { RECORD_BYTES = 12, AHEAD = 16 + RECORD_BYTES };
    begin_tag(p, name, "mluc");
    unsigned char *at = p->data + p->bytes;
    io_store_big(at, 1, 4);
    io_store_big(at + 4, RECORD_BYTES, 4);
    memcpy(at + 8, "enUS", 4);
    io_store_big(at + 12, (uint32_t)(2 * strlen(text)), 4);
    io_store_big(at + 16, AHEAD, 4);
    p->bytes += AHEAD - 8;
    for (; *text; text++) { /* UTF-16 */
        p->data[p->bytes + 1] = (unsigned char)*text;
        p->bytes += 2;
    }
    end_tag(p);
}

static void put_numbers(profile *p, const char *name, const char *type, const double *values,
                        int count)
{
    begin_tag(p, name, type);
    for (int i = 0; i < count; i++) {
        icc_put_number(p, values[i]);
    }
    end_tag(p);
}

/* sRGB's curve where there is no gAMA. */
static void put_curve(profile *p, const char *name, const satf_metadata *m)
{
    static const double srgb[] = {2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045};
    begin_tag(p, name, "para");
    p->data[p->bytes + 1] = m->has_gamma ? 0 : 3; /* the kind of function */
    p->bytes += 4;
    for (int i = 0; i < (m->has_gamma ? 1 : 5); i++) {
        icc_put_number(p, m->has_gamma ? 1 / m->gamma : srgb[i]);
    }
    end_tag(p);
}

/* ------------------------------------------------------------------ matrices */

typedef struct matrix {
    double at[3][3];
} matrix;

static matrix multiply(const matrix *a, const matrix *b)
{
    matrix c = {{{0}}};
    for (int i = 0; i < 9; i++) {
        for (int k = 0; k < 3; k++) {
            c.at[i / 3][i % 3] += a->at[i / 3][k] * b->at[k][i % 3];
        }
    }
    return c;
}

/* Inverts the matrix by cofactors. A singular one gives numbers that are not finite, which no
 * profile can hold. */
static matrix icc_invert(const matrix *m)
{
    matrix inverse;
    double determinant = 0;
    for (int i = 0; i < 9; i++) {
        int y = i % 3, x = i / 3, y1 = (y + 1) % 3, y2 = (y + 2) % 3, x1 = (x + 1) % 3,
            x2 = (x + 2) % 3;
        double cofactor = m->at[y1][x1] * m->at[y2][x2] - m->at[y1][x2] * m->at[y2][x1];
        inverse.at[x][y] = cofactor;
        determinant += x == 0 ? m->at[y][x] * cofactor : 0;
    }
    for (int i = 0; i < 9; i++) {
        inverse.at[i / 3][i % 3] /= determinant;
    }
    return inverse;
}

static void transform(const matrix *m, const double in[3], double out[3])
{
    for (int i = 0; i < 3; i++) {
        out[i] = m->at[i][0] * in[0] + m->at[i][1] * in[1] + m->at[i][2] * in[2];
    }
}

static void make_xyz(const double xy[2], double xyz[3])
{
    xyz[0] = xy[0] / xy[1];
    xyz[1] = 1;
    xyz[2] = (1 - xy[0] - xy[1]) / xy[1];
}

static const double d50[] = {0xf6d6 / 65536.0, 1, 0xd32d / 65536.0}; /* as profiles have it */

/* The matrix that takes light under that white to the light under D50 that looks alike to
 * Bradford's cones; ICC.1, annex E. */
static matrix icc_adapt(const double white[3])
{
    static const matrix cones = {
        {{0.8951, 0.2664, -0.1614}, {-0.7502, 1.7135, 0.0367}, {0.0389, -0.0685, 1.0296}}};
    matrix inverse = icc_invert(&cones), scaled = cones;
    double from[3], to[3];
    transform(&cones, white, from);
    transform(&cones, d50, to);
    for (int i = 0; i < 9; i++) {
        scaled.at[i / 3][i % 3] *= to[i / 3] / from[i / 3];
    }
    return multiply(&inverse, &scaled);
}

/* Red, green and blue under D50, which add up to its white; and how they got there. */
static matrix make_colorants(const double chromaticities[8], matrix *adaptation)
{
    double white[3], shares[3];
    matrix primaries;
    make_xyz(chromaticities, white);
    for (int i = 0; i < 3; i++) {
        double xyz[3];
        make_xyz(chromaticities + 2 + 2 * i, xyz);
        for (int k = 0; k < 3; k++) {
            primaries.at[k][i] = xyz[k];
        }
    }
    matrix inverse = icc_invert(&primaries);
    transform(&inverse, white, shares);
    for (int i = 0; i < 9; i++) {
        primaries.at[i / 3][i % 3] *= shares[i % 3];
    }
    *adaptation = icc_adapt(white);
    return multiply(adaptation, &primaries);
}

static void put_colours(profile *p, const satf_metadata *m)
{
    static const double srgb[] = {0.3127, 0.329, 0.64, 0.33, 0.3, 0.6, 0.15, 0.06};
    static const char *const names[] = {"rXYZ", "gXYZ", "bXYZ"}, *const curves[] = {"rTRC", "gTRC",
                                                                                    "bTRC"};
    matrix adaptation;
    matrix colorants =
        make_colorants(m->has_chromaticities ? m->chromaticities : srgb, &adaptation);
    put_numbers(p, "chad", "sf32", adaptation.at[0], 9);
    for (int i = 0; i < 3; i++) {
        double column[] = {colorants.at[0][i], colorants.at[1][i], colorants.at[2][i]};
        put_numbers(p, names[i], "XYZ ", column, 3);
        put_curve(p, curves[i], m);
    }
}

size_t io_make_icc(const satf_metadata *m, int channels, unsigned char icc[IO_ICC_BYTES])
{
    enum { GREY_TAGS = 4, COLOUR_TAGS = 10 };
    if (m->has_srgb || (!m->has_gamma && !m->has_chromaticities)) {
        return 0;
    }
    bool grey = channels == 1;
    size_t tags = grey ? GREY_TAGS : COLOUR_TAGS;
    profile p = {icc, HEADER_BYTES + SIZE_BYTES + tags * TAG_BYTES, 0, true};
    memset(icc, 0, IO_ICC_BYTES);
    io_store_big(icc + 8, 0x04300000, 4); /* version 4.3 */
    memcpy(icc + 12, grey ? "mntrGRAYXYZ " : "mntrRGB XYZ ", 12);
    memcpy(icc + 24, "\7\xd0\0\1\0\1", 6); /* a date, 1 January 2000: alike in all results */
    memcpy(icc + 36, "acsp", 4);
    io_store_big(icc + HEADER_BYTES, (uint32_t)tags, 4);
    put_text(&p, "desc", "PNG gAMA and cHRM");
    put_text(&p, "cprt", "CC0");
    put_numbers(&p, "wtpt", "XYZ ", d50, 3);
    memcpy(icc + 68, p.data + p.bytes - 12, 12); /* the header's illuminant */
    if (grey) {
        put_curve(&p, "kTRC", m);
    } else {
        put_colours(&p, m);
    }
    io_store_big(icc, (uint32_t)p.bytes, 4);
    return p.sound ? p.bytes : 0;
}
