/* How the samples of a file show light: the curve that its cICP, colour profile or gAMA names. */
#include <math.h>
#include <string.h>

#include "../codec.h"

enum { HEADER_BYTES = 128, COUNT_BYTES = 4, TAG_BYTES = 12, LEAD_BYTES = 8 };

static uint32_t get32(const unsigned char *at)
{
    return (uint32_t)io_load_big(at, 4);
}

/* Number k of s15Fixed16. */
static double get_number(const unsigned char *at, int k)
{
    return (int32_t)get32(at + 4 * k) / 65536.0;
}

static double srgb_light(double v)
{
    return v <= 0.04045 ? v / 12.92 : pow((v + 0.055) / 1.055, 2.4);
}

/* A table that is sRGB's: half a level of 8 bits, where these lie closest, is no other curve. */
static bool table_is_srgb(const unsigned char *entries, uint32_t count)
{
    bool is = count >= 256;
    for (uint32_t i = 0; i < count && is; i++) {
        double light = (entries[2 * i] << 8 | entries[2 * i + 1]) / 65535.0;
        is = fabs(light - srgb_light(i / (double)(count - 1))) <= 0.5 / (255 * 12.92);
    }
    return is;
}

static bool find_table(const unsigned char *data, size_t bytes, double *curve)
{
    uint32_t count = bytes >= LEAD_BYTES + 4 ? get32(data + LEAD_BYTES) : 0;
    const unsigned char *entries = data + LEAD_BYTES + 4;
    if (bytes < LEAD_BYTES + 4 || count > (bytes - LEAD_BYTES - 4) / 2) {
        return false;
    }
    *curve = count == 0 ? 1 : count == 1 ? (entries[0] << 8 | entries[1]) / 256.0 : NAN;
    return count < 2 || table_is_srgb(entries, count);
}

/* A formula: a power, or the two pieces of sRGB, whose ends files round in several ways. */
static bool find_formula(const unsigned char *data, size_t bytes, double *curve)
{
    static const double srgb[] = {2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045, 0, 0};
    static const double room[] = {1e-3, 1e-3, 1e-3, 1e-3, 2e-3, 1e-3, 1e-3};
    const unsigned char *numbers = data + LEAD_BYTES + 4;
    int kind = bytes >= LEAD_BYTES + 4 ? data[LEAD_BYTES] << 8 | data[LEAD_BYTES + 1] : -1;
    int count = kind == 0 ? 1 : kind == 3 ? 5 : kind == 4 ? 7 : 0;
    bool is = count > 0 && bytes >= LEAD_BYTES + 4 + 4 * (size_t)count;
    for (int k = 0; k < count && kind > 0 && is; k++) {
        is = fabs(get_number(numbers, k) - srgb[k]) <= room[k];
    }
    *curve = is && kind == 0 ? get_number(numbers, 0) : NAN;
    return is;
}

/* The curve of that tag of the profile; false if there is none that is known. */
static bool find_tag(const satf_metadata *m, const char *name, double *curve)
{
    size_t count = m->icc_bytes >= HEADER_BYTES + COUNT_BYTES ? get32(m->icc + HEADER_BYTES) : 0;
    const unsigned char *tag = m->icc + HEADER_BYTES + COUNT_BYTES;
    size_t left = m->icc_bytes - HEADER_BYTES - COUNT_BYTES;
    for (size_t i = 0; i < count && left >= TAG_BYTES; i++, tag += TAG_BYTES, left -= TAG_BYTES) {
        size_t from = get32(tag + 4), bytes = get32(tag + 8);
        if (memcmp(tag, name, 4) == 0) {
            bool inside = from <= m->icc_bytes && bytes <= m->icc_bytes - from && bytes >= 4;
            const unsigned char *data = m->icc + (inside ? from : 0);
            return inside && (memcmp(data, "curv", 4) == 0   ? find_table(data, bytes, curve)
                              : memcmp(data, "para", 4) == 0 ? find_formula(data, bytes, curve)
                                                             : false);
        }
    }
    return false;
}

static bool find_in_profile(const satf_metadata *m, int channels, double *curve)
{
    double green, blue;
    if (channels < 3) {
        return find_tag(m, "kTRC", curve);
    }
    bool all =
        find_tag(m, "rTRC", curve) && find_tag(m, "gTRC", &green) && find_tag(m, "bTRC", &blue);
    bool srgb = all && isnan(*curve) && isnan(green) && isnan(blue);
    return all && (srgb || (*curve == green && *curve == blue));
}

/* Transfer characteristics of ITU-T H.273: powers, linear light and sRGB. */
static bool find_in_cicp(int transfer, double *curve)
{
    *curve = transfer == 4 ? 2.2 : transfer == 5 ? 2.8 : transfer == 8 ? 1 : NAN;
    return !isnan(*curve) || transfer == 13;
}

satf_status io_find_curve(satf_context *ctx, const satf_metadata *m, int channels, double *curve)
{
    bool by_gamma = !m->has_hdr[SATF_CICP] && !m->icc && !m->has_srgb && m->has_gamma;
    const char *what = m->has_hdr[SATF_CICP] ? "cICP" : m->icc ? "colour profile" : "gAMA";
    bool known = true;
    *curve = NAN;
    if (m->has_hdr[SATF_CICP]) {
        known = find_in_cicp(m->hdr[SATF_CICP][1], curve);
    } else if (m->icc) {
        known = find_in_profile(m, channels, curve);
    } else if (by_gamma) { /* of five digits: 45455 is 2.2 */
        *curve = floor(1000 / m->gamma + 0.5) / 1000;
    }
    known = known && !(*curve < 0.2 || *curve > 5);
    return known ? SATF_OK
                 : satf_fail(ctx, SATF_UNSUPPORTED,
                             "its %s shows light by a curve that is neither sRGB's nor a power of "
                             "0.2 to 5 (option: linear)",
                             what);
}
