/* The filter of contrast.h as a module: cc -O3 -shared -fPIC -I. -o contrast.so contrast.c */
#define SATF_MODULE "contrast.h"
#include <satfilter-module.h>
