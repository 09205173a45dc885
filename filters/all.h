/* The filters, in the order of --help. A new one costs its file and one line here. */
#include "box.h"
#include "variance.h"
#include "stddev.h"
#include "template.h"
#include "integral.h"
