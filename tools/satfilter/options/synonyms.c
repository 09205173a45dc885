/* The table of words of other programs. */
#include "synonyms.h"

#include <string.h>

#define MEAN "the mean over N x N pixels is --box N"
#define BLUR "a Gaussian blur is --gauss S, S being sigma in pixels; " MEAN
#define GAUSSIAN "a Gaussian blur is --gauss S, S being its standard deviation in pixels"
#define EDGES "edges are shown by --dog 2 --range -30:30, those of one direction by a --template"
#define EDGES_STAY "what smooths and keeps edges is --guided N"
#define PAGE "a page becomes black and white by --wolf 21, one lit evenly by --threshold otsu"
#define DEPTHS "a blur by a map of depths is --varbox MAP, whose samples are radii"
#define PAINTED "smoothing like a painting is --kuwahara 7"
#define NOISE "noise is removed by --guided 9,noise=18, 18 being its deviation in 255ths"
#define PART "a part of the picture is cut out by --crop WxH+X+Y, or --crop WxH in the middle"
#define GREY "colours become grey by --grey"
#define SMALLER "smaller pictures are made by --resize 50% or, 640 wide, by --resize 640x"
#define NO_RANKS "there are no ranks in windows, such as the least, the greatest or the median"
#define BY_OTHERS "; noise goes by --guided, which keeps edges, and by --kuwahara, like a painting"
#define STRAIGHT "pages are not straightened; --rotate turns by 90, 180 and 270 degrees"
#define TONES "there are no curves of tones; --range LO:HI shows these values from black to white"
#define HUES "colours are not changed into others"
#define UPRIGHT "pictures are turned as their EXIF says by --auto-orient"
#define TURNED "quarter turns are made by --rotate 90, 180 or 270"
#define TWO "two pictures of one size are added, subtracted, multiplied or divided by --by FILE"
#define LIGHT "uneven light is evened by --flatten 201"
#define PAGES "several inputs become the pages of one file by --output both.tif"
#define NAMED "a folder or a file for the output is named by --output"
#define ENLARGED "no filter makes pictures larger"
#define EDGELESS "nothing is put around a picture; what windows see there is said by --border"
#define SPREAD "the nearest is --range auto, which spreads the values that occur"
#define WEIGHTS "weighted rectangles around each pixel are a --template"

static const synonym synonyms[] = {
    {"blur", "gauss", BLUR},
    {"boxblur", "box", MEAN},
    {"box-blur", "box", MEAN},
    {"box-filter", "box", MEAN},
    {"mean", "box", MEAN},
    {"average", "box", MEAN},
    {"smooth", "box", MEAN},
    {"gaussian", "gauss", GAUSSIAN},
    {"gaussian-blur", "gauss", GAUSSIAN},
    {"sigma", "gauss", GAUSSIAN},
    {"depth-map", "varbox", DEPTHS},
    {"bokeh", "varbox", DEPTHS},
    {"tilt-shift", "varbox", DEPTHS},
    {"paint", "kuwahara", PAINTED},
    {"painting", "kuwahara", PAINTED},
    {"oil", "kuwahara", PAINTED},
    {"median", "guided", NO_RANKS BY_OTHERS},
    {"min", NULL, NO_RANKS},
    {"max", NULL, NO_RANKS},
    {"rank", NULL, NO_RANKS},
    {"erode", NULL, NO_RANKS},
    {"erosion", NULL, NO_RANKS},
    {"dilate", NULL, NO_RANKS},
    {"dilation", NULL, NO_RANKS},
    {"opening", NULL, NO_RANKS},
    {"closing", NULL, NO_RANKS},
    {"morphology", NULL, NO_RANKS},
    {"despeckle", "guided", "specks are not sought one by one" BY_OTHERS},
    {"deskew", "rotate", STRAIGHT},
    {"skew", "rotate", STRAIGHT},
    {"straighten", "rotate", STRAIGHT},
    {"turn", "rotate", TURNED},
    {"rot", "rotate", TURNED},
    {"rot90", "rotate", TURNED},
    {"flop", "flip", "left and right change places by --flip h"},
    {"orient", "auto-orient", UPRIGHT},
    {"orientation", "auto-orient", UPRIGHT},
    {"auto-rotate", "auto-orient", UPRIGHT},
    {"autorotate", "auto-orient", UPRIGHT},
    {"upright", "auto-orient", UPRIGHT},
    {"level", "range", TONES},
    {"levels", "range", TONES},
    {"curves", "range", TONES},
    {"brightness", "range", TONES},
    {"exposure", "range", TONES},
    {"saturation", NULL, HUES},
    {"hue", NULL, HUES},
    {"modulate", NULL, HUES},
    {"colorize", NULL, HUES},
    {"colourise", NULL, HUES},
    {"sepia", NULL, HUES},
    {"white-balance", NULL, HUES},
    {"overlay", "by", TWO},
    {"composite", "by", TWO},
    {"blend", "by", TWO},
    {"watermark", "by", TWO},
    {"add", "by", TWO},
    {"subtract", "by", TWO},
    {"multiply", "by", TWO},
    {"divide", "by", TWO},
    {"difference", "by", TWO},
    {"background", "flatten", LIGHT},
    {"flat-field", "flatten", LIGHT},
    {"shading", "flatten", LIGHT},
    {"illumination", "flatten", LIGHT},
    {"dither", "wolf", "nothing is dithered; " PAGE},
    {"nlmeans", "guided", EDGES_STAY},
    {"usm", "unsharp", "a picture is sharpened by --unsharp 5"},
    {"lowpass", "gauss", GAUSSIAN},
    {"low-pass", "gauss", GAUSSIAN},
    {"high-pass", "highpass", "what is finer than the mean is shown by --highpass N"},
    {"canny", "dog", EDGES},
    {"scharr", "dog", EDGES},
    {"prewitt", "dog", EDGES},
    {"enlarge", NULL, ENLARGED},
    {"upscale", NULL, ENLARGED},
    {"zoom", NULL, ENLARGED},
    {"pad", "border", EDGELESS},
    {"extend", "border", EDGELESS},
    {"join", "output", PAGES},
    {"merge", "output", PAGES},
    {"append", "output", PAGES},
    {"multipage", "output", PAGES},
    {"pages", "page", "pages of the inputs are named by --page, such as 3, 2-5 or all"},
    {"frame", "page", "pages of the inputs are named by --page, such as 3, 2-5 or all"},
    {"colorspace", "linear", "light is mixed instead of samples by --linear"},
    {"gamma", "linear", "light is mixed instead of samples by --linear"},
    {"density", "dpi", "a file that names no resolution gets one by --dpi N"},
    {"resolution", "dpi", "a file that names no resolution gets one by --dpi N"},
    {"ppi", "dpi", "a file that names no resolution gets one by --dpi N"},
    {"outdir", "output", NAMED},
    {"output-dir", "output", NAMED},
    {"dest", "output", NAMED},
    {"ext", "format", "the output's format is said by its suffix, or by --format"},
    {"suffix", "format", "the output's format is said by its suffix, or by --format"},
    {"metadata", "strip", "metadata is kept; it is left out by --strip"},
    {"exif", "strip", "metadata is kept; it is left out by --strip"},
    {"bilateral", "guided", EDGES_STAY},
    {"denoise", "guided", NOISE},
    {"noise", "guided", NOISE},
    {"deviation", "stddev", "the local standard deviation is --stddev N"},
    {"adaptive-threshold", "adaptive", "--adaptive 15 is above the mean less 5 levels"},
    {"otsu", "threshold", "--threshold otsu finds one level for the whole picture"},
    {"binarize", "wolf", PAGE},
    {"bw", "wolf", PAGE},
    {"black-and-white", "wolf", PAGE},
    {"monochrome", "wolf", PAGE},
    {"sharpen", "unsharp", "a picture is sharpened by --unsharp 5"},
    {"convolve", "template", WEIGHTS},
    {"convolution", "template", WEIGHTS},
    {"kernel", "template", WEIGHTS},
    {"haar", "template", WEIGHTS},
    {"sobel", "dog", EDGES},
    {"edge", "dog", EDGES},
    {"edges", "dog", EDGES},
    {"laplacian", "dog", EDGES},
    {"negate", "template", "a --template of the line `0 0 1 1 -1` makes a negative"},
    {"negative", "template", "a --template of the line `0 0 1 1 -1` makes a negative"},
    {"scale", "resize", SMALLER},
    {"thumbnail", "resize", SMALLER},
    {"shrink", "resize", SMALLER},
    {"reduce", "resize", SMALLER},
    {"width", "resize", SMALLER},
    {"mosaic", "pixelate", "squares of one colour are made by --pixelate N"},
    {"match", NULL, "no filter seeks a picture in another; " WEIGHTS},
    {"cut", "crop", PART},
    {"extract", "crop", PART},
    {"trim", "crop", "edges of one colour are not sought; " PART},
    {"gray", "grey", GREY},
    {"grayscale", "grey", GREY},
    {"greyscale", "grey", GREY},
    {"desaturate", "grey", GREY},
    {"size", "box", "a window's size is a filter's value, as in --box 15 or --box 15x9"},
    {"window", "box", "a window's size is a filter's value, as in --box 15 or --box 15x9"},
    {"radius", "box", "a window is given by its side: radius R is --box 2R+1, 15 for 7"},
    {"std", "stddev", "the standard deviation over N x N pixels is --stddev N"},
    {"stdev", "stddev", "the standard deviation over N x N pixels is --stddev N"},
    {"sd", "stddev", "the standard deviation over N x N pixels is --stddev N"},
    {"var", "variance", "the variance over N x N pixels is --variance N"},
    {"sat", "integral", "the summed area table is --integral"},
    {"cumsum", "integral", "the summed area table is --integral"},
    {"mirror", "flip", "mirror images are --flip h and --flip v; at the edges --border mirror"},
    {"normalise", "normalize", "it is written --normalize N"},
    {"autocontrast", "range", SPREAD},
    {"auto-contrast", "range", SPREAD},
    {"auto-level", "range", SPREAD},
    {"contrast-stretch", "range", SPREAD},
    {"stretch", "range", SPREAD},
    {"clahe", "normalize", "contrast is evened from place to place by --normalize N"},
    {"equalize", "range", SPREAD},
    {"contrast", "range", SPREAD},
    {"overwrite", "force", "existing files are replaced without a question by --force"},
    {"yes", "force", "existing files are replaced without a question by --force"},
    {"y", "force", "existing files are replaced without a question by --force"},
    {"keep", "skip-existing", "existing files are left alone by --skip-existing"},
    {"n", "skip-existing", "existing files are left alone by --skip-existing"},
    {"input", NULL, "inputs are named without an option"},
    {"i", NULL, "inputs are named without an option"},
    {"gpu", "device", "a GPU is taken by --device cuda"},
    {"jobs", "threads", "the number of threads is --threads N"},
    {"j", "threads", "the number of threads is --threads N"},
    {"silent", "quiet", "notes and progress are left out by --quiet"},
    {"depth", "type", "the samples are chosen by --type, such as u8 or u16"},
    {"bits", "type", "the samples are chosen by --type, such as u8 or u16"},
};

const synonym *synonym_at(size_t index)
{
    return index < sizeof synonyms / sizeof *synonyms ? &synonyms[index] : NULL;
}

const synonym *synonym_find(const char *word, size_t length)
{
    for (size_t i = 0; i < sizeof synonyms / sizeof *synonyms; i++) {
        if (strlen(synonyms[i].word) == length && memcmp(synonyms[i].word, word, length) == 0) {
            return &synonyms[i];
        }
    }
    return NULL;
}
