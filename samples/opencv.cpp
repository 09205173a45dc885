/*
 * The filters in a program that uses OpenCV: opencv SPEC INPUT OUTPUT, for example
 * opencv box=15 in.png out.png.
 * Build: c++ -std=c++11 opencv.cpp $(pkg-config --cflags --libs satfilter opencv4)
 */
#include <cstdio>

#include <opencv2/imgcodecs.hpp>
#include <satfilter/opencv.hpp>

int main(int argc, char **argv)
{
    if (argc != 4) {
        std::fprintf(stderr, "usage: opencv SPEC INPUT OUTPUT\n");
        return 2;
    }
    try {
        satfilter::Context ctx = satfilter::make_context();
        satfilter::Filter filter = satfilter::make_filter(ctx.get(), argv[1]);
        cv::Mat picture = cv::imread(argv[2], cv::IMREAD_UNCHANGED), result;
        int channels = picture.channels() == 4 ? satfilter::ALPHA : 0;
        satfilter::apply(ctx.get(), filter.get(), picture, result, -1, channels);
        if (!cv::imwrite(argv[3], result)) {
            std::fprintf(stderr, "opencv: %s: cannot be written\n", argv[3]);
            return 1;
        }
    } catch (const cv::Exception &error) {
        std::fprintf(stderr, "opencv: %s\n", error.err.c_str());
        return 1;
    }
    return 0;
}
