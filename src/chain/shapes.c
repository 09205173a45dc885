/* The table of shapes. Its entries stand beside the engines. */
#include "shape.h"

#define SHAPE_ROW(over, name) extern const pass_shape shape_##name;
FILTER_SHAPES(SHAPE_ROW)
#undef SHAPE_ROW

const pass_shape *pass_shape_at(filter_over over)
{
#define SHAPE_ROW(over, name) &shape_##name,
    static const pass_shape *const shapes[] = {FILTER_SHAPES(SHAPE_ROW)};
#undef SHAPE_ROW
    return (size_t)over < sizeof shapes / sizeof *shapes ? shapes[over] : NULL;
}
