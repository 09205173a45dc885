/*
 * satfilter/opencv.hpp: opencv_check SPEC DEPTH CHANNELS WIDTH HEIGHT RESULT_DEPTH filters the
 * samples on standard input, grey or RGB with or without alpha, and writes the shape and the
 * samples of the result. Without arguments it looks at what is refused.
 */
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include <satfilter/opencv.hpp>

#define REQUIRE(holds)                                                       \
    do {                                                                     \
        if (!(holds)) {                                                      \
            std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #holds); \
            std::exit(1);                                                    \
        }                                                                    \
    } while (0)

/* ------------------------------------------------------------------- results */

static int depth_named(const char *name)
{
    const char *const names[] = {"u8", "u16", "f32", "f64"};
    const int depths[] = {CV_8U, CV_16U, CV_32F, CV_64F};
    for (int i = 0; i < 4; i++) {
        if (!std::strcmp(name, names[i])) {
            return depths[i];
        }
    }
    return -1;
}

static cv::Mat swapped(const cv::Mat &from)
{
    const int pairs[] = {0, 2, 1, 1, 2, 0, 3, 3};
    if (from.channels() < 3) {
        return from.clone();
    }
    cv::Mat to(from.size(), from.type());
    cv::mixChannels(&from, 1, &to, 1, pairs, (size_t)from.channels());
    return to;
}

static bool same(const cv::Mat &a, const cv::Mat &b)
{
    bool equal = a.size() == b.size() && a.type() == b.type();
    for (int y = 0; equal && y < a.rows; y++) {
        equal = !std::memcmp(a.ptr(y), b.ptr(y), (size_t)a.cols * a.elemSize());
    }
    return equal;
}

/* A part of a larger Mat, whose other pixels are 77. */
static cv::Mat part(const cv::Mat &whole)
{
    return whole(cv::Rect(3, 2, whole.cols - 7, whole.rows - 5));
}

static cv::Mat frame(int rows, int cols, int type)
{
    return cv::Mat(rows + 5, cols + 7, type, cv::Scalar::all(77));
}

/* With the pixels of the part back at 77 it is as it was. */
static void require_frame(cv::Mat &whole)
{
    part(whole).setTo(cv::Scalar::all(77));
    REQUIRE(same(whole, cv::Mat(whole.size(), whole.type(), cv::Scalar::all(77))));
}

static cv::Mat read_picture(int rows, int cols, int type)
{
    cv::Mat picture(rows, cols, type);
    size_t bytes = picture.total() * picture.elemSize();
    REQUIRE(std::fread(picture.data, 1, bytes, stdin) == bytes);
    return picture;
}

/* The same result into parts of Mats, in place, beside and across the source, and from a UMat. */
static void require_anywhere(satf_context *ctx, const satf_filter *filter, const cv::Mat &picture,
                             const cv::Mat &result, int depth, int channels)
{
    cv::Mat outer = frame(result.rows, result.cols, result.type()), inner = part(outer);
    const uchar *place = inner.data;
    satfilter::apply(ctx, filter, picture, inner, depth, channels);
    REQUIRE(inner.data == place && same(inner, result));
    require_frame(outer);

    cv::Mat itself = picture.clone();
    satfilter::apply(ctx, filter, itself, itself, depth, channels);
    REQUIRE(same(itself, result));

    if (result.type() == picture.type() && result.size() == picture.size()) {
        cv::Mat both(picture.rows + 1, 2 * picture.cols, picture.type(), cv::Scalar::all(5));
        cv::Rect left(0, 0, picture.cols, picture.rows);
        const int moves[][2] = {{0, 1}, {picture.cols, 0}, {picture.cols / 2, 1}};
        for (int i = 0; i < 3; i++) {
            cv::Mat from = both(left), to = both(left + cv::Point(moves[i][0], moves[i][1]));
            picture.copyTo(from);
            satfilter::apply(ctx, filter, from, to, depth, channels);
            REQUIRE(same(to, result));
        }
    }

    cv::UMat far, there;
    picture.copyTo(far);
    satfilter::apply(ctx, filter, far, there, depth, channels);
    REQUIRE(same(there.getMat(cv::ACCESS_READ), result));
}

/* As BGR in part of a Mat, and as RGB. */
static void run(char **argument)
{
    int type = CV_MAKETYPE(depth_named(argument[1]), std::atoi(argument[2]));
    int cols = std::atoi(argument[3]), rows = std::atoi(argument[4]);
    int depth = depth_named(argument[5]);
    int alpha = CV_MAT_CN(type) % 2 ? 0 : satfilter::ALPHA;

    satfilter::Context ctx = satfilter::make_context();
    satfilter::Filter filter = satfilter::make_filter(ctx.get(), argument[0]);
    cv::Mat rgb = read_picture(rows, cols, type), bgr = swapped(rgb), result;
    cv::Mat around = frame(rows, cols, type), in = part(around);
    bgr.copyTo(in);
    satfilter::apply(ctx.get(), filter.get(), in, result, depth, alpha);
    REQUIRE(same(in, bgr));
    require_frame(around);
    require_anywhere(ctx.get(), filter.get(), bgr, result, depth, alpha);

    cv::Mat shown;
    satfilter::apply(ctx.get(), filter.get(), rgb, shown, depth, alpha | satfilter::RGB);
    REQUIRE(same(shown, swapped(result)));
    const char *const names[] = {"u1", "", "u2", "", "", "f4", "f8"};
    std::printf("%d %d %d %s\n", shown.cols, shown.rows, shown.channels(), names[shown.depth()]);
    std::fwrite(shown.data, shown.elemSize(), shown.total(), stdout);
    REQUIRE(std::fflush(stdout) == 0);
}

/* ------------------------------------------------------------------ refusals */

static void require_refusal(const char *spec, cv::InputArray src, cv::InputOutputArray dst,
                            int depth, int code, const char *sentence)
{
    satfilter::Context ctx = satfilter::make_context();
    try {
        satfilter::Filter filter = satfilter::make_filter(ctx.get(), spec);
        satfilter::apply(ctx.get(), filter.get(), src, dst, depth);
    } catch (const cv::Exception &error) {
        if (error.code != code || error.err.find(sentence) == std::string::npos) {
            std::fprintf(stderr, "%s: %d: %s, not %d: %s\n", spec, error.code, error.err.c_str(),
                         code, sentence);
            std::exit(1);
        }
        return;
    }
    std::fprintf(stderr, "%s is not refused: %s\n", spec, sentence);
    std::exit(1);
}

static void check_refusals()
{
    cv::Mat good(8, 9, CV_8UC3, cv::Scalar(1, 2, 3)), kept(8, 9, CV_16SC1, cv::Scalar(4)), out;
    const int three[] = {2, 3, 4};
    require_refusal("box=0", good, out, -1, cv::Error::StsBadArg, "'0' is no window");
    require_refusal("box=3", cv::Mat(), out, -1, cv::Error::StsBadSize, "that has pixels");
    require_refusal("box=3", cv::Mat(3, three, CV_8U), out, -1, cv::Error::StsBadSize,
                    "two dimensions");
    const int depths[] = {CV_8S, CV_16S, CV_32S};
    for (int i = 0; i < 3; i++) {
        require_refusal("box=3", cv::Mat(8, 9, CV_MAKETYPE(depths[i], 1), cv::Scalar(1)), out, -1,
                        cv::Error::StsUnsupportedFormat, "satfilter takes CV_8U, ");
    }
    require_refusal("box=3", good, kept, CV_16S, cv::Error::StsUnsupportedFormat, "CV_8U, ");
    require_refusal("box=3", cv::Mat(8, 9, CV_8UC(5)), out, -1, cv::Error::StsBadArg,
                    "5 channels; 1 to 4 are possible");
    REQUIRE(out.empty() && kept.type() == CV_16SC1 && kept.at<short>(7, 8) == 4);
}

/* Not a byte of it is looked at: there need not be a device. */
static void check_device_views()
{
    char pixels[4 * 48];
    cv::cuda::GpuMat whole(4, 5, CV_16UC4, pixels, 48), part(whole, cv::Rect(1, 2, 3, 2));
    satf_view view = satfilter::view(part, satfilter::ALPHA, 2);
    REQUIRE(view.data == pixels + 2 * 48 + 8 && view.stride == 48 && view.pixel_stride == 0);
    REQUIRE(view.width == 3 && view.height == 2 && view.channels == 4 && view.type == SATF_U16);
    REQUIRE(view.device == SATF_CUDA(2) && view.flags == SATF_ALPHA);
    REQUIRE(satfilter::view(cv::Mat(2, 2, CV_8U)).device == SATF_HOST);
    try {
        satfilter::view(cv::cuda::GpuMat(), 0, 0);
    } catch (const cv::Exception &error) {
        REQUIRE(error.code == cv::Error::StsBadSize);
        return;
    }
    REQUIRE(!"an empty GpuMat is refused");
}

int main(int argc, char **argv)
{
    if (argc == 7) {
        run(argv + 1);
    } else {
        check_refusals();
        check_device_views();
    }
    return 0;
}
