/* Advice on memory, which Windows is not given. */
#ifndef SATF_WINDOWS_MMAN_H
#define SATF_WINDOWS_MMAN_H

#define MADV_DONTNEED 0
#define madvise(memory, bytes, advice) ((void)(memory), (void)(bytes))

#endif
