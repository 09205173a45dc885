// The whole-command peer: a mean over a window, PNG to PNG, as a careful user of OpenCV writes it.
//
//   opencv_box WINDOW INPUT OUTPUT          filter, PNG level 1
//   opencv_box --make WIDTH HEIGHT OUTPUT   a picture with a photograph's mixture of flat and fine
//   opencv_box --errors WINDOW INPUT OUTPUT "WRONG MAX": samples of OUTPUT that are not the exact
//                                           mean rounded to nearest, and the largest difference
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>

static const std::vector<int> level_one = {cv::IMWRITE_PNG_COMPRESSION, 1};

static int fail(const char *what)
{
    std::fprintf(stderr, "opencv_box: %s\n", what);
    return 1;
}

static int filter(int window, const char *input, const char *output)
{
    cv::Mat in = cv::imread(input, cv::IMREAD_UNCHANGED), out;
    if (in.empty()) {
        return fail("the input cannot be read");
    }
    cv::blur(in, out, cv::Size(window, window), cv::Point(-1, -1), cv::BORDER_REPLICATE);
    return cv::imwrite(output, out, level_one) ? 0 : fail("the output cannot be written");
}

// Octaves of noise, coarse ones strong, and a grain of two grey levels.
static int make(int width, int height, const char *output)
{
    cv::RNG random(1);
    cv::Mat picture(height, width, CV_32FC3, cv::Scalar::all(128)), noise, octave;
    for (int cell = 512; cell >= 2; cell /= 2) {
        noise.create(height / cell + 2, width / cell + 2, CV_32FC3);
        random.fill(noise, cv::RNG::NORMAL, 0, 4.0 * std::sqrt(cell) / 2);
        cv::resize(noise, octave, picture.size(), 0, 0, cv::INTER_CUBIC);
        picture += octave;
    }
    noise.create(height, width, CV_32FC3);
    random.fill(noise, cv::RNG::NORMAL, 0, 2);
    picture += noise;
    picture.convertTo(picture, CV_8UC3);
    return cv::imwrite(output, picture, level_one) ? 0 : fail("the output cannot be written");
}

static int errors(int window, const char *input, const char *output)
{
    cv::Mat in = cv::imread(input, cv::IMREAD_UNCHANGED), wide, sums;
    cv::Mat out = cv::imread(output, cv::IMREAD_UNCHANGED);
    if (in.empty() || in.size() != out.size() || in.type() != out.type() || in.depth() != CV_8U) {
        return fail("the two pictures do not belong together");
    }
    int before = window / 2, after = window - 1 - before, channels = in.channels();
    cv::copyMakeBorder(in, wide, before, after, before, after, cv::BORDER_REPLICATE);
    cv::integral(wide, sums, CV_32S);
    long wrong = 0;
    int max = 0;
    unsigned area = static_cast<unsigned>(window * window);
    for (int y = 0; y < in.rows; y++) {
        const int *top = sums.ptr<int>(y), *bottom = sums.ptr<int>(y + window);
        const unsigned char *got = out.ptr<unsigned char>(y);
        for (int i = 0; i < in.cols * channels; i++) {
            int right = i + window * channels;
            // Unsigned: differences of wrapped sums are exact.
            unsigned sum = static_cast<unsigned>(bottom[right]) - static_cast<unsigned>(bottom[i]) -
                           static_cast<unsigned>(top[right]) + static_cast<unsigned>(top[i]);
            int difference = std::abs(static_cast<int>((2 * sum + area) / (2 * area)) - got[i]);
            wrong += difference != 0;
            max = std::max(max, difference);
        }
    }
    std::printf("%ld %d\n", wrong, max);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc == 5 && std::strcmp(argv[1], "--make") == 0) {
        return make(std::atoi(argv[2]), std::atoi(argv[3]), argv[4]);
    }
    if (argc == 5 && std::strcmp(argv[1], "--errors") == 0) {
        return errors(std::atoi(argv[2]), argv[3], argv[4]);
    }
    if (argc == 4) {
        return filter(std::atoi(argv[1]), argv[2], argv[3]);
    }
    std::fprintf(stderr, "usage: opencv_box WINDOW INPUT OUTPUT\n");
    return 2;
}
