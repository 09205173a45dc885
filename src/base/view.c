/* Views: sizes of types, and the checks of what a caller gives. */
#include "view.h"

#include <float.h>
#include <inttypes.h>
#include <string.h>

typedef struct type_row {
    const char *name; /* NULL: there is no such type */
    size_t bytes;
    uint64_t max; /* 0: floats */
} type_row;

static type_row view_row_of(int type)
{
    switch ((satf_type)type) {
    case SATF_U8:
        return (type_row){"u8", 1, UINT8_MAX};
    case SATF_U16:
        return (type_row){"u16", 2, UINT16_MAX};
    case SATF_U32:
        return (type_row){"u32", 4, UINT32_MAX};
    case SATF_U64:
        return (type_row){"u64", 8, UINT64_MAX};
    case SATF_F32:
        return (type_row){"f32", 4, 0};
    case SATF_F64:
        return (type_row){"f64", 8, 0};
    case SATF_I8:
        return (type_row){"i8", 1, INT8_MAX};
    case SATF_I16:
        return (type_row){"i16", 2, INT16_MAX};
    case SATF_I32:
        return (type_row){"i32", 4, INT32_MAX};
    case SATF_I64:
        return (type_row){"i64", 8, INT64_MAX};
    case SATF_F16:
        return (type_row){"f16", 2, 0};
    case SATF_BF16:
        return (type_row){"bf16", 2, 0};
    }
    return (type_row){NULL, 0, 0};
}

size_t satf_type_bytes(int type)
{
    return view_row_of(type).bytes;
}

const char *satf_type_name(int type)
{
    return view_row_of(type).name;
}

uint64_t satf_type_max(int type)
{
    return view_row_of(type).max;
}

int satf_type_find(const char *name)
{
    const char *found;
    for (int type = 0; (found = satf_type_name(type)); type++) {
        if (strcmp(name, found) == 0) {
            return type;
        }
    }
    return -1;
}

satf_view satf_view_packed(void *data, int64_t width, int64_t height, int32_t channels,
                           satf_type type)
{
    satf_view view = {data, width, height, 0, channels, (int32_t)type, SATF_HOST, 0, 0, 0};
    int64_t pixel_bytes = (int64_t)channels * (int64_t)satf_type_bytes(type);
    ptrdiff_t stride;
    bool fits = !__builtin_mul_overflow(width, pixel_bytes, &stride);
    view.stride = fits ? stride : 0; /* 0 is refused by every call that checks */
    return view;
}

satf_view satf_view_rect(const satf_view *view, satf_rect rect)
{
    satf_view part = {0};
    if (view && satf_inside(rect.x, rect.w, view->width) &&
        satf_inside(rect.y, rect.h, view->height)) {
        part = *view;
        part.width = rect.w;
        part.height = rect.h;
        if (part.data) {
            part.data = (char *)satf_row(view, rect.y) + rect.x * satf_pixel_stride(view);
        }
    }
    return part;
}

/* Whether a number, which is not negative, has a fraction. */
static bool has_fraction(double number)
{
    return number < 0x1p53 && number != (double)(int64_t)number;
}

/* The largest full scale that views of the type may claim. */
static double largest_scale(int type)
{
    return satf_type_is_float(type) ? DBL_MAX : (double)satf_type_max(type);
}

satf_status satf_check_view(satf_context *ctx, const satf_view *view, const char *what,
                            bool need_data)
{
    if (!view) {
        return satf_fail(ctx, SATF_INVALID, "the %s view is missing", what);
    }
    if (!satf_type_name(view->type)) {
        return satf_fail(ctx, SATF_INVALID, "the %s view has an unknown sample type (%d)", what,
                         (int)view->type);
    }
    if (view->width < 1 || view->height < 1) {
        return satf_fail(ctx, SATF_INVALID,
                         "the %s view is %" PRId64 " x %" PRId64 " pixels; both must be at least 1",
                         what, view->width, view->height);
    }
    if (view->channels < 1 || view->channels > SATF_MAX_CHANNELS) {
        return satf_fail(ctx, SATF_INVALID, "the %s view has %d channels; 1 to %d are possible",
                         what, (int)view->channels, SATF_MAX_CHANNELS);
    }
    if ((view->flags & ~SATF_ALPHA) || ((view->flags & SATF_ALPHA) && view->channels < 2)) {
        return satf_fail(ctx, SATF_INVALID, "the %s view's flags (0x%x) do not fit %d channels",
                         what, (unsigned)view->flags, (int)view->channels);
    }
    if (view->device < SATF_HOST) {
        return satf_fail(ctx, SATF_INVALID,
                         "the %s view is on device %d; %d (the host) and, for CUDA devices, "
                         "numbers from %d are possible",
                         what, (int)view->device, SATF_HOST, SATF_CUDA(0));
    }
    if (!(view->full >= 0 && view->full <= largest_scale(view->type)) ||
        (!satf_type_is_float(view->type) && has_fraction(view->full))) {
        return satf_fail(ctx, SATF_INVALID, "the %s view's full scale (%g) does not fit %s samples",
                         what, view->full, satf_type_name(view->type));
    }
    int64_t pixel_bytes = satf_pixel_bytes(view);
    ptrdiff_t pixels, row_bytes, all_bytes; /* what addresses can hold, of 32 bits too */
    if (view->pixel_stride && view->pixel_stride < pixel_bytes) {
        return satf_fail(ctx, SATF_INVALID,
                         "the %s view's pixel stride of %" PRId64 " bytes is shorter than its "
                         "pixels of %" PRId64,
                         what, view->pixel_stride, pixel_bytes);
    }
    if (view->stride == INT64_MIN ||
        __builtin_mul_overflow(view->width - 1, satf_pixel_stride(view), &row_bytes) ||
        __builtin_add_overflow(row_bytes, pixel_bytes, &row_bytes) ||
        (view->stride < 0 ? -view->stride : view->stride) < (view->height > 1 ? row_bytes : 0)) {
        return satf_fail(ctx, SATF_INVALID,
                         "the %s view's stride of %" PRId64 " bytes is shorter than its rows", what,
                         view->stride);
    }
    if (__builtin_mul_overflow(view->width, view->height, &pixels) ||
        __builtin_mul_overflow(view->stride, view->height, &all_bytes)) {
        return satf_fail(ctx, SATF_INVALID, "the %s view's size overflows", what);
    }
    if (need_data && !view->data) {
        return satf_fail(ctx, SATF_INVALID, "the %s view has no data", what);
    }
    return SATF_OK;
}

satf_status satf_check_packed(satf_context *ctx, const satf_view *view, const char *what)
{
    return satf_is_packed(view)
               ? SATF_OK
               : satf_fail(ctx, SATF_UNSUPPORTED,
                           "the %s view's pixels are %" PRId64 " bytes apart; this call takes "
                           "packed ones, of %" PRId64,
                           what, view->pixel_stride, satf_pixel_bytes(view));
}

/* Whether pixels of two rows share bytes, if the rows go on long enough; b begins so many bytes
 * behind a. */
static bool pixels_collide(const satf_view *a, const satf_view *b, uintptr_t behind)
{
    uintptr_t step = (uintptr_t)satf_pixel_stride(a), into = behind % step;
    return satf_pixel_stride(b) != satf_pixel_stride(a) || into < (uintptr_t)satf_pixel_bytes(a) ||
           (uintptr_t)satf_pixel_bytes(b) > step - into;
}

bool satf_views_overlap(const satf_view *a, const satf_view *b)
{
    uintptr_t first[2], last[2], row[2], stride[2];
    const satf_view *views[2] = {a, b};
    for (int i = 0; i < 2; i++) {
        const satf_view *v = views[i];
        uintptr_t top = (uintptr_t)v->data;
        uintptr_t bottom = (uintptr_t)satf_row(v, v->height - 1);
        row[i] = (uintptr_t)((v->width - 1) * satf_pixel_stride(v) + satf_pixel_bytes(v));
        stride[i] = (uintptr_t)(v->stride < 0 ? -v->stride : v->stride);
        first[i] = top < bottom ? top : bottom;
        last[i] = (top < bottom ? bottom : top) + row[i] - 1;
    }
    if (first[0] > last[1] || first[1] > last[0]) {
        return false;
    }
    /* The view that starts later lies `into` bytes behind the start of one of the other's rows. */
    int low = first[0] <= first[1] ? 0 : 1, high = 1 - low;
    if (stride[0] != stride[1] || stride[0] == 0) {
        return true;
    }
    uintptr_t into = (first[high] - first[low]) % stride[0];
    bool meets = into<row[low], meets_next = row[high]> stride[0] - into;
    return (meets && pixels_collide(views[low], views[high], into)) ||
           (meets_next && pixels_collide(views[high], views[low], stride[0] - into));
}

/* Sizes that are constants become loads and stores. */
#define COPY_PIXELS(size)                                       \
    for (int64_t x = 0; x < n; x++) {                           \
        memcpy(to + x * to_step, from + x * from_step, (size)); \
    }                                                           \
    break

void satf_copy_row(char *to, int64_t to_step, const char *from, int64_t from_step, int64_t bytes,
                   int64_t n)
{
    if (to_step == bytes && from_step == bytes) {
        memcpy(to, from, (size_t)(n * bytes));
        return;
    }
    switch (bytes) {
    case 1:
        COPY_PIXELS(1);
    case 2:
        COPY_PIXELS(2);
    case 3:
        COPY_PIXELS(3);
    case 4:
        COPY_PIXELS(4);
    case 8:
        COPY_PIXELS(8);
    default:
        COPY_PIXELS((size_t)bytes);
    }
}

int64_t satf_block_rows(const satf_view *view)
{
    int64_t bytes = satf_row_samples(view) * (int64_t)satf_type_bytes(view->type);
    int64_t rows = ((int64_t)256 << 10) / bytes;
    return rows < 1 ? 1 : rows < view->height ? rows : view->height;
}
