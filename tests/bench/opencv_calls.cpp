// Calls of libsatfilter beside the calls of OpenCV that do the same work, in one process, sample by
// sample in turn, so that whatever else the machine does meets both. Prints JSON: a list of
// records.
//
//   opencv_calls SIZE REPEAT
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <opencv2/imgproc.hpp>

#include "satfilter.h"

static const int max_threads = 2;
static satf_context *contexts[max_threads + 1]; // by threads

static void check(satf_context *ctx, satf_status status)
{
    if (status != SATF_OK) {
        std::fprintf(stderr, "opencv_calls: %s\n", satf_message(ctx));
        std::exit(1);
    }
}

static satf_view view_of(const cv::Mat &m)
{
    satf_type type = m.depth() == CV_8U    ? SATF_U8
                     : m.depth() == CV_32S ? SATF_U32
                     : m.depth() == CV_32F ? SATF_F32
                                           : SATF_F64;
    satf_view view = satf_view_packed(m.data, m.cols, m.rows, m.channels(), type);
    view.stride = static_cast<int64_t>(m.step[0]);
    return view;
}

static double least(const std::vector<double> &v)
{
    return *std::min_element(v.begin(), v.end());
}

static double time_ms(const std::function<void()> &work)
{
    auto start = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
        .count();
}

static double median(std::vector<double> v)
{
    std::sort(v.begin(), v.end());
    return v.size() % 2 ? v[v.size() / 2] : (v[v.size() / 2 - 1] + v[v.size() / 2]) / 2;
}

struct Case {
    std::string name, peer;
    int window;
    double bytes; // read and written, for the copy
    std::function<void(satf_context *)> ours;
    std::function<void()> theirs;
    std::function<double()> difference; // largest between the two results
    double allowed;
};

// Medians (and least times) of ours on 1 and 2 threads, of the peer, and of a memcpy of bytes / 2
// on one thread.
static void measure(const Case &c, int repeat, bool first)
{
    std::vector<char> from(static_cast<size_t>(c.bytes / 2), 1), to(from.size(), 2);
    std::vector<double> theirs, copy, ours[max_threads + 1];
    for (int i = -1; i < repeat; i++) { // sample -1 warms up
        double cv_ms = time_ms(c.theirs);
        double copy_ms = time_ms([&] { std::memcpy(to.data(), from.data(), from.size()); });
        for (int threads = 1; threads <= max_threads; threads++) {
            double ms = time_ms([&] { c.ours(contexts[threads]); });
            if (i >= 0) {
                ours[threads].push_back(ms);
            }
        }
        if (i >= 0) {
            theirs.push_back(cv_ms);
            copy.push_back(copy_ms);
        }
    }
    double difference = c.difference();
    if (!(difference <= c.allowed)) {
        std::fprintf(stderr, "opencv_calls: %s, window %d: the results differ by %g\n",
                     c.name.c_str(), c.window, difference);
        std::exit(1);
    }
    std::printf("%s {\"name\": \"%s\", \"peer\": \"%s\", \"window\": %d, ", first ? "" : ",\n",
                c.name.c_str(), c.peer.c_str(), c.window);
    std::printf("\"peer_ms\": %.4g, \"ms_1\": %.4g, \"ms_2\": %.4g, \"copy_ms\": %.4g, ",
                median(theirs), median(ours[1]), median(ours[2]), median(copy));
    std::printf("\"peer_ms_min\": %.4g, \"ms_1_min\": %.4g, \"ms_2_min\": %.4g, ", least(theirs),
                least(ours[1]), least(ours[2]));
    std::printf("\"difference\": %.3g}", difference);
    std::fflush(stdout);
}

static double largest_difference(const cv::Mat &a, const cv::Mat &b)
{
    return cv::norm(a, b, cv::NORM_INF);
}

static std::shared_ptr<satf_filter> make_filter(const char *name, int window)
{
    satf_filter *filter;
    std::string spec = std::string(name) + "=" + std::to_string(window);
    check(contexts[1], satf_filter_parse(contexts[1], spec.c_str(), &filter));
    return std::shared_ptr<satf_filter>(filter, satf_filter_destroy);
}

// The mean against cv::blur, of the input's type.
static Case box_case(const cv::Mat &in, int window, double allowed)
{
    auto mine = std::make_shared<cv::Mat>(in.size(), in.type());
    auto other = std::make_shared<cv::Mat>(in.size(), in.type());
    auto filter = make_filter("box", window);
    Case c;
    c.name = in.depth() == CV_8U ? "box u8" : "box f32";
    c.peer = "blur";
    c.window = window;
    c.bytes = 2.0 * static_cast<double>(in.total() * in.elemSize());
    c.ours = [=](satf_context *ctx) {
        satf_view from = view_of(in), to = view_of(*mine);
        check(ctx, satf_filter_apply(ctx, filter.get(), &from, &to));
    };
    c.theirs = [=] {
        cv::blur(in, *other, cv::Size(window, window), cv::Point(-1, -1), cv::BORDER_REPLICATE);
    };
    c.difference = [=] { return largest_difference(*mine, *other); };
    c.allowed = allowed;
    return c;
}

static Case variance_case(const cv::Mat &in, int window)
{
    auto mine = std::make_shared<cv::Mat>(in.size(), CV_32F);
    auto other = std::make_shared<cv::Mat>(in.size(), CV_32F);
    auto mean = std::make_shared<cv::Mat>(), squares = std::make_shared<cv::Mat>();
    auto filter = make_filter("variance", window);
    Case c;
    c.name = "variance u8 to f32";
    c.peer = "boxFilter, sqrBoxFilter, difference";
    c.window = window;
    c.bytes = static_cast<double>(in.total()) * 5;
    c.ours = [=](satf_context *ctx) {
        satf_view from = view_of(in), to = view_of(*mine);
        check(ctx, satf_filter_apply(ctx, filter.get(), &from, &to));
    };
    c.theirs = [=] {
        cv::Size size(window, window);
        cv::boxFilter(in, *mean, CV_32F, size, cv::Point(-1, -1), true, cv::BORDER_REPLICATE);
        cv::sqrBoxFilter(in, *squares, CV_32F, size, cv::Point(-1, -1), true, cv::BORDER_REPLICATE);
        *other = *squares - mean->mul(*mean);
    };
    c.difference = [=] { return largest_difference(*mine, *other); };
    c.allowed = 0.05; // of 16256: the peer subtracts in single precision
    return c;
}

static Case integral_case(const cv::Mat &in, bool squares)
{
    auto mine = std::make_shared<cv::Mat>(in.size(), CV_32S);
    auto mine_squares = std::make_shared<std::vector<uint64_t>>(squares ? in.total() : 0);
    auto other = std::make_shared<cv::Mat>(), other_squares = std::make_shared<cv::Mat>();
    Case c;
    c.name = squares ? "integral u8 to u32, squares to u64" : "integral u8 to u32";
    c.peer = squares ? "integral (s32, f64)" : "integral (s32)";
    c.window = 0;
    c.bytes = static_cast<double>(in.total()) * (squares ? 13 : 5);
    c.ours = [=](satf_context *ctx) {
        satf_view from = view_of(in), to = view_of(*mine);
        check(ctx, satf_sat(ctx, &from, &to, 0));
        if (squares) {
            satf_view second =
                satf_view_packed(mine_squares->data(), in.cols, in.rows, 1, SATF_U64);
            check(ctx, satf_sat(ctx, &from, &second, SATF_SQUARED));
        }
    };
    c.theirs = [=] {
        if (squares) {
            cv::integral(in, *other, *other_squares, CV_32S, CV_64F);
        } else {
            cv::integral(in, *other, CV_32S);
        }
    };
    c.difference = [=] { // OpenCV's have a row and a column of zeros more
        cv::Rect inside(1, 1, in.cols, in.rows);
        double difference = cv::norm(*mine, (*other)(inside), cv::NORM_INF);
        for (int y = 0; squares && y < in.rows; y++) {
            const double *row = other_squares->ptr<double>(y + 1) + 1;
            for (int x = 0; x < in.cols; x++) {
                size_t i =
                    static_cast<size_t>(y) * static_cast<size_t>(in.cols) + static_cast<size_t>(x);
                difference = std::max(difference,
                                      std::fabs(static_cast<double>((*mine_squares)[i]) - row[x]));
            }
        }
        return difference;
    };
    c.allowed = 0;
    return c;
}

int main(int argc, char **argv)
{
    int size = argc > 1 ? std::atoi(argv[1]) : 4096;
    int repeat = argc > 2 ? std::atoi(argv[2]) : 15;
    cv::setNumThreads(1);
    for (int threads = 1; threads <= max_threads; threads++) {
        check(nullptr, satf_context_create(&contexts[threads]));
        check(contexts[threads], satf_context_set_threads(contexts[threads], threads));
        check(contexts[threads], satf_context_set_device(contexts[threads], SATF_HOST));
    }
    cv::Mat bytes(size, size, CV_8U), floats(size, size, CV_32F);
    cv::randu(bytes, 0, 256);
    cv::randu(floats, 0, 1);
    std::vector<std::function<Case()>> cases; // each holds its memory only while it is measured
    for (int window : {3, 5, 7, 15, 31, 63, 127, 255}) {
        cases.push_back([=] { return box_case(bytes, window, 1); });
    }
    for (int window : {3, 5, 7, 15, 31, 63, 127, 255}) {
        cases.push_back([=] { return box_case(floats, window, 1e-5); });
    }
    for (int window : {3, 15, 63}) {
        cases.push_back([=] { return variance_case(bytes, window); });
    }
    cases.push_back([=] { return integral_case(bytes, false); });
    cases.push_back([=] { return integral_case(bytes, true); });
    std::printf("[");
    for (size_t i = 0; i < cases.size(); i++) {
        measure(cases[i](), repeat, i == 0);
    }
    std::printf("]\n");
}
