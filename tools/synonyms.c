#include "synonyms.h"

#include <string.h>

static const synonym synonyms[] = {
    {"blur", "box", "the mean over N x N pixels is --box N"},
    {"boxblur", "box", "the mean over N x N pixels is --box N"},
    {"mean", "box", "the mean over N x N pixels is --box N"},
    {"average", "box", "the mean over N x N pixels is --box N"},
    {"smooth", "box", "the mean over N x N pixels is --box N"},
    {"gaussian", "box", "three times --box N comes near a Gaussian: --box 5 --box 5 --box 5"},
    {"gaussian-blur", "box", "three times --box N comes near a Gaussian: --box 5 --box 5 --box 5"},
    {"gauss", "box", "three times --box N comes near a Gaussian: --box 5 --box 5 --box 5"},
    {"median", "box", "the nearest is the mean, --box N"},
    {"threshold", "sauvola", "a page becomes black and white by --sauvola 31"},
    {"niblack", "sauvola", "a page becomes black and white by --sauvola 31"},
    {"otsu", "sauvola", "a page becomes black and white by --sauvola 31"},
    {"adaptive", "sauvola", "a page becomes black and white by --sauvola 31"},
    {"sharpen", "unsharp", "a picture is sharpened by --unsharp 5"},
    {"sobel", "template", "a difference of rectangles is a --template"},
    {"resize", NULL, "no filter changes the size of the picture"},
    {"scale", NULL, "no filter changes the size of the picture"},
    {"crop", NULL, "no filter changes the size of the picture"},
    {"size", "box", "a window's size is a filter's value, as in --box 15 or --box 15x9"},
    {"window", "box", "a window's size is a filter's value, as in --box 15 or --box 15x9"},
    {"radius", "box", "a window is given by its side: radius R is --box 2R+1, 15 for 7"},
    {"std", "stddev", "the standard deviation over N x N pixels is --stddev N"},
    {"stdev", "stddev", "the standard deviation over N x N pixels is --stddev N"},
    {"sd", "stddev", "the standard deviation over N x N pixels is --stddev N"},
    {"var", "variance", "the variance over N x N pixels is --variance N"},
    {"sat", "integral", "the summed area table is --integral"},
    {"cumsum", "integral", "the summed area table is --integral"},
    {"haar", "template", "weighted rectangles are a --template"},
    {"mirror", "flip", "mirror images are --flip h and --flip v; at the edges --border mirror"},
    {"overwrite", "force", "existing files are replaced without a question by --force"},
    {"yes", "force", "existing files are replaced without a question by --force"},
    {"gpu", "device", "a GPU is taken by --device cuda"},
    {"jobs", "threads", "the number of threads is --threads N"},
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
