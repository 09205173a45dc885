/*
 * opencv.hpp - the filters on cv::Mat and cv::cuda::GpuMat.
 *
 * Header only, C++11, OpenCV 3 or later; programs link satfilter and opencv_core. Whatever fails
 * throws a cv::Exception, whose err is the library's sentence. docs/opencv.md has an example.
 * A region of interest ends at its edge, where the border begins, as under cv::BORDER_ISOLATED;
 * OpenCV's filters look beyond it otherwise.
 */
#ifndef SATFILTER_OPENCV_HPP
#define SATFILTER_OPENCV_HPP

#include <memory>

#include <opencv2/core.hpp>
#include <opencv2/core/cuda.hpp>
#include <satfilter.h>

namespace satfilter
{

/* How channels are to be understood, which a cv::Mat does not say. By default none of them is
 * alpha, and three or four begin with blue, green and red. */
enum Channels {
    ALPHA = 1, /* the last one is straight alpha: colour is weighted by it */
    RGB = 2    /* they begin with red, green and blue: matters where a filter makes grey */
};

namespace detail
{

inline void check(const satf_context *ctx, satf_status status)
{
    int code = status == SATF_INVALID         ? cv::Error::StsBadArg
               : status == SATF_NO_MEMORY     ? cv::Error::StsNoMem
               : status == SATF_UNSUPPORTED   ? cv::Error::StsNotImplemented
               : status == SATF_NO_DEVICE     ? cv::Error::GpuNotSupported
               : status == SATF_DEVICE_FAILED ? cv::Error::GpuApiCallError
                                              : cv::Error::StsError;
    if (status != SATF_OK) {
        CV_Error(code, satf_message(ctx));
    }
}

inline satf_type type_of(int depth)
{
    switch (depth) {
    case CV_8U:
        return SATF_U8;
    case CV_16U:
        return SATF_U16;
    case CV_32F:
        return SATF_F32;
    case CV_64F:
        return SATF_F64;
    }
    CV_Error(cv::Error::StsUnsupportedFormat,
             "satfilter takes CV_8U, CV_16U, CV_32F and CV_64F: convert to one of these");
}

/* Sums are doubles: OpenCV has no unsigned integers of 32 and 64 bits. */
inline int depth_of(int type)
{
    return type == SATF_U8 ? CV_8U : type == SATF_U16 ? CV_16U : type == SATF_F32 ? CV_32F : CV_64F;
}

template <class Image> satf_view view_of(const Image &image, int channels, int device)
{
    satf_view view = satf_view_packed(image.data, image.cols, image.rows, image.channels(),
                                      type_of(image.depth()));
    view.stride = static_cast<int64_t>(static_cast<size_t>(image.step));
    view.device = device;
    view.flags = channels & ALPHA ? SATF_ALPHA : 0;
    return view;
}

} // namespace detail

/* A view of a Mat, or of a part of one; the pixels stay the Mat's. Two dimensions, 1 to 4 channels,
 * CV_8U, CV_16U, CV_32F or CV_64F. channels: 0 or ALPHA. */
inline satf_view view(const cv::Mat &mat, int channels = 0)
{
    if (mat.empty() || mat.dims != 2) {
        CV_Error(cv::Error::StsBadSize, "satfilter takes a Mat of two dimensions that has pixels");
    }
    return detail::view_of(mat, channels, SATF_HOST);
}

/* The same of a GpuMat on that CUDA device, as CUDA counts; -1: on the current one. */
inline satf_view view(const cv::cuda::GpuMat &mat, int channels = 0, int device = -1)
{
    if (mat.empty()) {
        CV_Error(cv::Error::StsBadSize, "satfilter takes a GpuMat that has pixels");
    }
    return detail::view_of(mat, channels, SATF_CUDA(device < 0 ? cv::cuda::getDevice() : device));
}

struct Destroy {
    void operator()(satf_context *ctx) const
    {
        satf_context_destroy(ctx);
    }
    void operator()(satf_filter *filter) const
    {
        satf_filter_destroy(filter);
    }
};

typedef std::unique_ptr<satf_context, Destroy> Context;
typedef std::unique_ptr<satf_filter, Destroy> Filter;

/* A context whose work on devices is on CUDA's default stream, as OpenCV's is by default. */
inline Context make_context()
{
    satf_context *ctx = NULL;
    detail::check(ctx, satf_context_create(&ctx));
    Context made(ctx);
    detail::check(ctx, satf_context_set_stream(ctx, NULL));
    return made;
}

/* A filter, or several one after another, in the words of the command: "box=15,border=mirror". */
inline Filter make_filter(satf_context *ctx, const char *spec)
{
    satf_filter *filter = NULL;
    detail::check(ctx, satf_filter_parse(ctx, spec, &filter));
    return Filter(filter);
}

namespace detail
{

/* OpenCV's core swaps channels of the host alone. */
inline cv::Mat to_rgb(const cv::Mat &bgr)
{
    const int pairs[] = {0, 2, 1, 1, 2, 0, 3, 3};
    cv::Mat rgb(bgr.size(), bgr.type());
    cv::mixChannels(&bgr, 1, &rgb, 1, pairs, static_cast<size_t>(bgr.channels()));
    return rgb;
}

inline cv::cuda::GpuMat to_rgb(const cv::cuda::GpuMat &)
{
    CV_Error(cv::Error::StsNotImplemented,
             "the filter wants red, green and blue: convert the GpuMat by cv::cuda::cvtColor() and "
             "say satfilter::RGB");
}

inline bool meet(const cv::Mat &a, const cv::Mat &b)
{
    return a.ptr() < b.ptr(b.rows - 1) + static_cast<size_t>(b.cols) * b.elemSize() &&
           b.ptr() < a.ptr(a.rows - 1) + static_cast<size_t>(a.cols) * a.elemSize();
}

inline cv::Mat apart(const cv::Mat &in, const cv::Mat &out)
{
    return meet(in, out) ? in.clone() : in;
}

/* The library refuses those that overlap. */
inline cv::cuda::GpuMat apart(const cv::cuda::GpuMat &in, const cv::cuda::GpuMat &)
{
    return in;
}

inline void fetch(const cv::_OutputArray &dst, cv::Mat &out)
{
    out = dst.getMat();
}

inline void fetch(const cv::_OutputArray &dst, cv::cuda::GpuMat &out)
{
    out = dst.getGpuMat();
}

template <class Image>
void apply(satf_context *ctx, const satf_filter *filter, Image in, cv::OutputArray dst, int depth,
           int channels)
{
    Image out;
    satf_view from = view(in, channels), exact;
    check(ctx, satf_filter_output(ctx, filter, &from, &exact));
    bool swaps = from.channels >= 3 && !(channels & RGB) && satf_filter_knows_colours(filter);
    if (swaps) {
        in = to_rgb(in);
    }
    depth = depth < 0 ? depth_of(exact.type) : CV_MAT_DEPTH(depth);
    type_of(depth);
    dst.create(static_cast<int>(exact.height), static_cast<int>(exact.width),
               CV_MAKETYPE(depth, exact.channels));
    fetch(dst, out);
    in = apart(in, out);
    from = view(in, channels);
    satf_view to = view(out, exact.flags & SATF_ALPHA ? ALPHA : 0);
    check(ctx, satf_filter_apply(ctx, filter, &from, &to));
    if (swaps && exact.channels >= 3) {
        to_rgb(out).copyTo(out);
    }
}

} // namespace detail

/*
 * dst = what the filter makes of src, as satf_filter_apply() does; dst is allocated where it has
 * not the right size and type.
 *
 * src, dst: both Mats (UMats, Mat_<>), or both GpuMats of the current device, for which the call
 *           enqueues on the context's stream. dst may be src, or overlap it, in the host's memory.
 * depth:    of dst, CV_8U, CV_16U, CV_32F or CV_64F, to which values are rounded and saturated; -1:
 *           the filter's own, and CV_64F for sums, which holds them exactly up to 2^53.
 * channels: ALPHA, RGB, both or 0.
 */
inline void apply(satf_context *ctx, const satf_filter *filter, cv::InputArray src,
                  cv::OutputArray dst, int depth = -1, int channels = 0)
{
    if (src.isGpuMat()) {
        detail::apply(ctx, filter, src.getGpuMat(), dst, depth, channels);
    } else {
        detail::apply(ctx, filter, src.getMat(), dst, depth, channels);
    }
}

} // namespace satfilter

#endif
