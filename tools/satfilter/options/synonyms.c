/* The table of words of other programs. */
#include "synonyms.h"

#include "../../cli.h"

#define MEAN "the mean over N x N pixels is --box N"
#define PAGE "a page becomes black and white by --wolf 21, one lit evenly by --threshold otsu"
#define PART "a part of the picture is cut out by --crop WxH+X+Y, or --crop WxH in the middle"
#define NO_RANKS "there are no ranks in windows, such as the least, the greatest or the median"
#define BY_OTHERS "; noise goes by --guided, which keeps edges, and by --kuwahara, like a painting"
#define WEIGHTS "weighted rectangles around each pixel are a --template"

static const synonym synonyms[] = {
    {"blur", "gauss", "a Gaussian blur is --gauss S, S being sigma in pixels; " MEAN},
    {"boxblur box-blur box-filter mean average smooth", "box", MEAN},
    {"gaussian gaussian-blur sigma lowpass low-pass", "gauss",
     "a Gaussian blur is --gauss S, S being its standard deviation in pixels"},
    {"depth-map bokeh tilt-shift", "varbox",
     "a blur by a map of depths is --varbox MAP, whose samples are radii"},
    {"paint painting oil", "kuwahara", "smoothing like a painting is --kuwahara 7"},
    {"median", "guided", NO_RANKS BY_OTHERS},
    {"min max rank erode erosion dilate dilation opening closing morphology", NULL, NO_RANKS},
    {"despeckle", "guided", "specks are not sought one by one" BY_OTHERS},
    {"deskew skew straighten", "rotate",
     "pages are not straightened; --rotate turns by 90, 180 and 270 degrees"},
    {"turn rot rot90", "rotate", "quarter turns are made by --rotate 90, 180 or 270"},
    {"flop", "flip", "left and right change places by --flip h"},
    {"orient orientation auto-rotate autorotate upright", "auto-orient",
     "pictures are turned as their EXIF says by --auto-orient"},
    {"level levels curves brightness exposure", "range",
     "there are no curves of tones; --range LO:HI shows these values from black to white"},
    {"saturation hue modulate colorize colourise sepia white-balance", NULL,
     "colours are not changed into others"},
    {"overlay composite blend watermark add subtract multiply divide difference", "by",
     "two pictures of one size are added, subtracted, multiplied or divided by --by FILE"},
    {"background flat-field shading illumination", "flatten",
     "uneven light is evened by --flatten 201"},
    {"dither", "wolf", "nothing is dithered; " PAGE},
    {"nlmeans bilateral", "guided", "what smooths and keeps edges is --guided N"},
    {"usm sharpen", "unsharp", "a picture is sharpened by --unsharp 5,luma"},
    {"high-pass", "highpass", "what is finer than the mean is shown by --highpass N"},
    {"canny scharr prewitt sobel edge edges laplacian", "dog",
     "edges are shown by --dog 2 --range -30:30, those of one direction by a --template"},
    {"enlarge upscale zoom", NULL, "no filter makes pictures larger"},
    {"pad extend", "border",
     "nothing is put around a picture; what windows see there is said by --border"},
    {"convert", "auto-orient",
     "a picture gets another format by a filter that changes nothing, as in satfilter "
     "--auto-orient in.jpg out.png"},
    {"join merge append multipage", "output",
     "several inputs become the pages of one file by --output both.tif"},
    {"pages frame", "page", "pages of the inputs are named by --page, such as 3, 2-5 or all"},
    {"colorspace gamma", "linear", "light is mixed instead of samples by --linear"},
    {"density resolution ppi", "dpi", "a file that names no resolution gets one by --dpi N"},
    {"outdir output-dir dest", "output", "a folder or a file for the output is named by --output"},
    {"ext suffix", "format", "the output's format is said by its suffix, or by --format"},
    {"metadata exif", "strip", "metadata is kept; it is left out by --strip"},
    {"profile icc", "strip", "a colour profile stays as it is, with --strip too"},
    {"comment", "strip", "comments are not kept; other metadata is, but with --strip"},
    {"denoise noise", "guided",
     "noise is removed by --guided 9,noise=5, 5 being its deviation in 255ths"},
    {"deviation", "stddev", "the local standard deviation is --stddev N"},
    {"adaptive-threshold", "adaptive", "--adaptive 15 is above the mean less 5 levels"},
    {"otsu", "threshold", "--threshold otsu finds one level for the whole picture"},
    {"binarize bw black-and-white blackandwhite blackwhite monochrome clean scan", "wolf", PAGE},
    {"convolve convolution kernel haar", "template", WEIGHTS},
    {"negate negative", "template", "a --template of the line `0 0 1 1 -1` makes a negative"},
    {"scale thumbnail shrink reduce width", "resize",
     "smaller pictures are made by --resize 50% or, 640 wide, by --resize 640x"},
    {"mosaic", "pixelate", "squares of one colour are made by --pixelate N"},
    {"match", NULL, "no filter seeks a picture in another; " WEIGHTS},
    {"cut extract", "crop", PART},
    {"trim", "crop", "edges of one colour are not sought; " PART},
    {"grayscale greyscale desaturate", "grey", "colours become grey by --grey"},
    {"size window", "box", "a window's size is a filter's value, as in --box 15 or --box 15x9"},
    {"radius", "box", "a window is given by its side: radius R is --box 2R+1, 15 for 7"},
    {"std stdev sd", "stddev", "the standard deviation over N x N pixels is --stddev N"},
    {"var", "variance", "the variance over N x N pixels is --variance N"},
    {"sat cumsum", "integral", "the summed area table is --integral"},
    {"mirror", "flip", "mirror images are --flip h and --flip v; at the edges --border mirror"},
    {"normalise", "normalize", "it is written --normalize N"},
    {"autocontrast auto-contrast auto-level contrast-stretch stretch equalize contrast", "range",
     "the nearest is --range auto, which spreads the values that occur"},
    {"clahe", "normalize", "contrast is evened from place to place by --normalize N"},
    {"overwrite yes y", "force", "existing files are replaced without a question by --force"},
    {"keep n", "skip-existing", "existing files are left alone by --skip-existing"},
    {"input i", NULL, "inputs are named without an option"},
    {"gpu", "device", "a GPU is taken by --device cuda"},
    {"jobs j", "threads", "the number of threads is --threads N"},
    {"silent", "quiet", "notes and progress are left out by --quiet"},
    {"depth bits", "type", "the samples are chosen by --type, such as u8 or u16"},
};

const synonym *synonym_at(size_t index)
{
    return index < sizeof synonyms / sizeof *synonyms ? &synonyms[index] : NULL;
}

const synonym *synonym_find(const char *word, size_t length)
{
    for (size_t i = 0; i < sizeof synonyms / sizeof *synonyms; i++) {
        if (has_word(synonyms[i].words, word, length)) {
            return &synonyms[i];
        }
    }
    return NULL;
}
