/* The filters, in the order of --help, under the headings of docs/gallery.md. A new one costs its
 * file and one line here. */
/* Blur */
#include "box.h"
#include "gauss.h"
/* Measure */
#include "variance.h"
#include "stddev.h"
#include "sum.h"
/* Black and white */
#include "sauvola.h"
#include "wolf.h"
#include "adaptive.h"
#include "bradley.h"
#include "niblack.h"
#include "nick.h"
#include "threshold.h"
/* Sharpen, and find detail */
#include "unsharp.h"
#include "highpass.h"
#include "dog.h"
/* Even light and contrast */
#include "flatten.h"
#include "normalize.h"
/* Smooth, by what is there */
#include "guided.h"
#include "kuwahara.h"
#include "varbox.h"
/* Size and colour */
#include "crop.h"
#include "resize.h"
#include "pixelate.h"
#include "grey.h"
#include "linearize.h"
#include "delinearize.h"
/* Compute with pictures */
#include "by.h"
#include "real.h"
/* Sums of rectangles */
#include "template.h"
#include "integral.h"
/* Move pixels */
#include "transpose.h"
#include "rotate.h"
#include "flip.h"
#include "permute.h"
