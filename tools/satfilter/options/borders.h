/* Names that other libraries have for borders. */
#ifndef SATFILTER_BORDERS_H
#define SATFILTER_BORDERS_H

/* How the border is called here that the library's message refuses, if another library calls it so,
 * whatever its case and whether "BORDER_" leads it: "clamp" for "'replicate' is no border: ...".
 * NULL: there is none of that name, or the message is about something else. */
const char *border_meant(const char *message);

/* "OpenCV REPLICATE; scipy.ndimage nearest; numpy.pad edge" for "clamp"; NULL: they have none. */
const char *border_elsewhere(const char *name);

#endif
