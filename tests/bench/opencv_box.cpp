// The whole-command peer: a mean over a window, PNG to PNG at level 1, as a careful user of OpenCV
// writes it.
//
//   opencv_box WINDOW INPUT OUTPUT
#include <cstdio>
#include <cstdlib>

#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>

int main(int argc, char **argv)
{
    if (argc != 4) {
        std::fprintf(stderr, "usage: opencv_box WINDOW INPUT OUTPUT\n");
        return 2;
    }
    int window = std::atoi(argv[1]);
    cv::Mat in = cv::imread(argv[2], cv::IMREAD_UNCHANGED), out;
    if (in.empty()) {
        std::fprintf(stderr, "opencv_box: the input cannot be read\n");
        return 1;
    }
    cv::blur(in, out, cv::Size(window, window), cv::Point(-1, -1), cv::BORDER_REPLICATE);
    return cv::imwrite(argv[3], out, {cv::IMWRITE_PNG_COMPRESSION, 1}) ? 0 : 1;
}
