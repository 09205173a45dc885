/* Formats that are not read, by their first bytes: so that a refusal can name them, and a program
 * that makes pictures of them. */
#include <string.h>

#include "codec.h"

enum { BRAND_AT = 8 };

/* Names a file that has "ftyp" behind its first four bytes: by its brand, or one that it says it
 * fits, as far as they are at hand. */
static const char *name_brand(const unsigned char *head, size_t n)
{
    static const struct {
        const char *brands; /* of four characters each */
        const char *name;
    } kinds[] = {{"avifavis", "AVIF"},
                 {"heicheixheimheishevchevxmif1msf1", "HEIC"},
                 {"crx ", "camera's raw"},
                 {"jp2 jpx jpm jph ", "JPEG 2000"},
                 {"jxl ", "JPEG XL"}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        for (const char *brand = kinds[i].brands; *brand; brand += 4) {
            for (size_t at = BRAND_AT; at + 4 <= n; at += 4) {
                if (memcmp(head + at, brand, 4) == 0) {
                    return kinds[i].name;
                }
            }
        }
    }
    return "video";
}

const char *io_foreign_name(const unsigned char *head, size_t n)
{
#define BYTES(text) text, sizeof text - 1
    static const struct {
        size_t at;
        const char *bytes;
        size_t n;
        const char *name;
    } kinds[] = {
        {8, BYTES("CR\2\0"), "camera's raw"}, /* which begins as a TIFF does */
        {0, BYTES("IIRO"), "camera's raw"},
        {0, BYTES("IIRS"), "camera's raw"},
        {0, BYTES("MMOR"), "camera's raw"},
        {0, BYTES("IIU\0"), "camera's raw"},
        {0, BYTES("FUJIFILMCCD-RAW"), "camera's raw"},
        {6, BYTES("HEAPCCDR"), "camera's raw"},
        {0, BYTES("\0MRM"), "camera's raw"},
        {0, BYTES("FOVb"), "camera's raw"},
        {0, BYTES("II\xbc"), "JPEG XR"},
        {8, BYTES("AVI "), "video"},
        {0, BYTES("\x1a\x45\xdf\xa3"), "video"}, /* Matroska, WebM */
        {4, BYTES("jP  "), "JPEG 2000"},
        {0, BYTES("\xff\x4f\xff\x51"), "JPEG 2000"},
        {4, BYTES("JXL "), "JPEG XL"},
        {0, BYTES("\xff\x0a"), "JPEG XL"},
        {0, BYTES("\x76\x2f\x31\x01"), "OpenEXR"},
        {0, BYTES("%PDF"), "PDF"},
        {0, BYTES("%!PS"), "PostScript"},
        {0, BYTES("\xc5\xd0\xd3\xc6"), "PostScript"},
        {0, BYTES("<svg"), "SVG"},
        {0, BYTES("<?xml"), "XML"},
        {0, BYTES("<!DOCTYPE"), "HTML"},
        {0, BYTES("<!doctype"), "HTML"},
        {0, BYTES("<html"), "HTML"},
        {0, BYTES("\0\0\1\0"), "Windows icon"},
        {0, BYTES("icns"), "Apple icon"},
        {0, BYTES("qoif"), "QOI"},
        {0, BYTES("SIMPLE  ="), "FITS"},
        {0, BYTES("\x89HDF"), "HDF5"},
        {0, BYTES("gimp xcf"), "GIMP"},
        {0, BYTES("AT&TFORM"), "DjVu"},
        {0, BYTES("DDS "), "DDS"},
        {0, BYTES("\x8aMNG"), "MNG"},
        {0, BYTES("\x8bJNG"), "JNG"},
        {0, BYTES("BPG\xfb"), "BPG"},
        {0, BYTES("PK\3\4"), "ZIP (of which .npz is a kind)"},
        {0, BYTES("\x1f\x8b"), "gzip"},
        {0, BYTES("BZh"), "bzip2"},
        {0,
         BYTES("\xfd"
               "7zXZ\0"),
         "xz"},
        {0, BYTES("\x28\xb5\x2f\xfd"), "Zstandard"},
    };
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (n >= kinds[i].at + kinds[i].n &&
            memcmp(head + kinds[i].at, kinds[i].bytes, kinds[i].n) == 0) {
            return kinds[i].name;
        }
    }
    return n > BRAND_AT && memcmp(head + 4, "ftyp", 4) == 0 ? name_brand(head, n) : NULL;
}

const char *io_foreign_advice(const char *name)
{
    static const struct {
        const char *name, *advice;
    } programs[] = {
        {"PDF", "pdftoppm -tiff -r 300 makes pictures of its pages"},
        {"PostScript", "ps2pdf makes a PDF of it, and pdftoppm -tiff -r 300 pictures of that"},
        {"DjVu", "ddjvu -format=tiff makes pictures of its pages"},
        {"JPEG 2000", "opj_decompress makes a picture of it"},
        {"JPEG XL", "djxl makes a picture of it"},
        {"HEIC", "heif-convert makes a picture of it"},
        {"AVIF", "heif-convert makes a picture of it"},
        {"camera's raw", IO_RAW_ADVICE},
        {"SVG", "rsvg-convert makes a picture of it"},
        {"video", "ffmpeg makes pictures of its frames"},
        {"ZIP (of which .npz is a kind)", "unzip unpacks it"},
        {"gzip", "gunzip unpacks it"},
        {"bzip2", "bunzip2 unpacks it"},
        {"xz", "unxz unpacks it"},
        {"Zstandard", "unzstd unpacks it"},
    };
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
        if (strcmp(programs[i].name, name) == 0) {
            return programs[i].advice;
        }
    }
    return "convert the picture to PNG, for example";
}
