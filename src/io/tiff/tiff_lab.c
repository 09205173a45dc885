/* CIE L*a*b* (TIFF 6.0, section 23) becomes sRGB, white staying white. */
#include "tiff_common.h"

#include <math.h>

satf_status io_tiff_lab_start(io_tiff_state *t, bool icc)
{
    t->colour = icc ? IO_TIFF_ICC_LAB : IO_TIFF_LAB;
    return !t->floats && !t->has_sign && (t->bits == 8 || t->bits == 16) && t->samples >= 3
               ? SATF_OK
               : satf_fail(t->ctx, SATF_UNSUPPORTED,
                           "a TIFF of Lab colours of other than three samples of 8 or 16 bits");
}

/* L* is 0 ... 100, a* and b* are signed, or from the middle of the range on. */
static void read_lab(const io_tiff_state *t, const uint64_t v[3], double lab[3])
{
    bool icc = t->colour == IO_TIFF_ICC_LAB;
    double unit = t->bits == 8 ? 1 : 256, white = t->bits == 8 ? 255 : icc ? 65280 : 65535;
    lab[0] = (double)v[0] * 100 / white;
    for (int i = 1; i < 3; i++) {
        double code = (double)v[i] / unit;
        lab[i] = icc ? code - 128 : code >= 128 ? code - 256 : code;
    }
}

static double cube_or_line(double f)
{
    return f > 6.0 / 29 ? f * f * f : (f - 4.0 / 29) * 108 / 841;
}

static uint64_t to_srgb(double light, double max)
{
    double v = light <= 0.0031308 ? 12.92 * light : 1.055 * pow(light, 1 / 2.4) - 0.055;
    return (uint64_t)((!(v > 0) ? 0 : v > 1 ? 1 : v) * max + 0.5);
}

void io_tiff_lab_to_rgb(const io_tiff_state *t, uint64_t v[3], uint64_t max)
{
    /* from XYZ whose white is D50, as Bradford adapts it to sRGB's D65 */
    static const double white[] = {0.9642, 1, 0.8249};
    static const double matrix[3][3] = {{3.1338561, -1.6168667, -0.4906146},
                                        {-0.9787684, 1.9161415, 0.0334540},
                                        {0.0719453, -0.2289914, 1.4052427}};
    double lab[3], xyz[3];
    read_lab(t, v, lab);
    double l = (lab[0] + 16) / 116;
    xyz[0] = white[0] * cube_or_line(l + lab[1] / 500);
    xyz[1] = white[1] * cube_or_line(l);
    xyz[2] = white[2] * cube_or_line(l - lab[2] / 200);
    for (int c = 0; c < 3; c++) {
        const double *m = matrix[c];
        v[c] = to_srgb(m[0] * xyz[0] + m[1] * xyz[1] + m[2] * xyz[2], (double)max);
    }
}
