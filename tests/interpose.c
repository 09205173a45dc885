/* The calls of interpose.h. */
#include "interpose.h"

#include <stdarg.h>
#include <stdio.h>

struct interposed_allocations allocations;
struct interposed_reads reads;

#ifdef REAL
#define CALLER __builtin_return_address(0)
#define INTERPOSE_PUBLIC __attribute__((visibility("default"), used))

void *REAL(malloc)(size_t bytes);
void *REAL(calloc)(size_t count, size_t bytes);
void *REAL(realloc)(void *memory, size_t bytes);
void *REAL(memalign)(size_t alignment, size_t bytes);
void REAL(free)(void *memory);

#ifdef INTERPOSE_ASAN
/* The sanitizer allocates in a new thread before it calls the thread's function, and ends the
 * program if it cannot: only threads whose function has been called meet failures. */
static _Thread_local bool thread_is_called;

static bool thread_has_begun(void)
{
    return thread_is_called || syscall(SYS_gettid) == getpid();
}

typedef struct beginning {
    void *(*body)(void *argument);
    void *argument;
} beginning;

static void *begin_thread(void *user)
{
    beginning b = *(beginning *)user;
    thread_is_called = true;
    return b.body(b.argument);
}

int REAL(pthread_create)(pthread_t *thread, const pthread_attr_t *attributes, void *(*body)(void *),
                         void *argument);

INTERPOSE_PUBLIC int pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                                    void *(*body)(void *), void *argument)
{
    static beginning beginnings[4096]; /* taken in turn: more than start at a time */
    static atomic_uint turn;
    beginning *b = &beginnings[atomic_fetch_add(&turn, 1) % 4096];
    *b = (beginning){body, argument};
    return REAL(pthread_create)(thread, attributes, begin_thread, b);
}
#else
static bool thread_has_begun(void)
{
    return true;
}
#endif

/* The linker, where it gets no memory, ends the process or keeps its lock. libwebp's
 * decoders before 1.4 free what they have not set where their table of lengths gets none. Not
 * inlined: the address sanitizer looks after its locals, which it cannot before it is set up. */
__attribute__((noinline)) static bool is_spared(size_t bytes, const void *caller)
{
    Dl_info at;
    if (atomic_load(&allocations.opening)) {
        return true;
    }
    return bytes == 512 && dladdr(caller, &at) && at.dli_fname &&
           strstr(at.dli_fname, "libwebp.so");
}

/* caller: who called malloc(). */
static bool allocation_fails(size_t bytes, const void *caller)
{
    if (!atomic_load(&allocations.armed) || !thread_has_begun() || is_spared(bytes, caller)) {
        return false;
    }
    long number = atomic_fetch_add(&allocations.count, 1) + 1;
    long from = atomic_load(&allocations.fail_from);
    bool fails = number == from || (number > from && atomic_load(&allocations.fail_all));
    errno = fails ? ENOMEM : errno;
    return fails;
}

__attribute__((constructor)) static void measure(void)
{
    atomic_store(&allocations.measured, true);
}

static long room_of(void *memory)
{
    return atomic_load(&allocations.measured) ? (long)malloc_usable_size(memory) : 0;
}

static void count_bytes(long more)
{
    long bytes = atomic_fetch_add(&allocations.bytes, more) + more;
    long most = atomic_load(&allocations.most);
    while (bytes > most && !atomic_compare_exchange_weak(&allocations.most, &most, bytes)) {
    }
}

static void *counted(void *memory)
{
    atomic_fetch_add(&allocations.live, memory != NULL);
    count_bytes(room_of(memory));
    return memory;
}

INTERPOSE_PUBLIC void *malloc(size_t bytes)
{
    return allocation_fails(bytes, CALLER) ? NULL : counted(REAL(malloc)(bytes));
}

INTERPOSE_PUBLIC void *calloc(size_t count, size_t bytes)
{
    return allocation_fails(bytes, CALLER) ? NULL : counted(REAL(calloc)(count, bytes));
}

INTERPOSE_PUBLIC void *realloc(void *memory, size_t bytes)
{
    if (allocation_fails(bytes, CALLER)) {
        return NULL;
    }
    long before = room_of(memory);
    void *larger = REAL(realloc)(memory, bytes);
    if (memory && larger) {
        count_bytes(room_of(larger) - before);
    }
    return memory ? larger : counted(larger);
}

INTERPOSE_PUBLIC void *dlopen(const char *file, int mode)
{
    void *(*real)(const char *file, int mode);
    *(void **)&real = dlsym(RTLD_NEXT, "dlopen");
    atomic_fetch_add(&allocations.opening, 1);
    void *object = real(file, mode);
    atomic_fetch_sub(&allocations.opening, 1);
    return object;
}

#ifdef INTERPOSE_ASAN
char *REAL(realpath)(const char *path, char *resolved);

/* The sanitizer's own four allocate where nobody counts. */
INTERPOSE_PUBLIC int asprintf(char **made, const char *format, ...)
{
    va_list values, again;
    va_start(values, format);
    va_copy(again, values);
    int length = vsnprintf(NULL, 0, format, values);
    *made = length < 0 ? NULL : malloc((size_t)length + 1);
    length = *made ? vsnprintf(*made, (size_t)length + 1, format, again) : -1;
    va_end(again);
    va_end(values);
    return length;
}

INTERPOSE_PUBLIC char *strndup(const char *text, size_t most)
{
    size_t length = strnlen(text, most);
    char *copy = malloc(length + 1);
    if (copy) {
        memcpy(copy, text, length);
        copy[length] = 0;
    }
    return copy;
}

INTERPOSE_PUBLIC char *strdup(const char *text)
{
    size_t bytes = strlen(text) + 1;
    char *copy = malloc(bytes);
    return copy ? memcpy(copy, text, bytes) : NULL;
}

INTERPOSE_PUBLIC char *realpath(const char *path, char *resolved)
{
    char *to = resolved ? resolved : malloc(4096 /* PATH_MAX */);
    char *found = to ? REAL(realpath)(path, to) : NULL;
    if (to && !found && !resolved) {
        int error = errno;
        free(to);
        errno = error;
    }
    return found;
}
#endif

INTERPOSE_PUBLIC void *memalign(size_t alignment, size_t bytes)
{
    return allocation_fails(bytes, CALLER) ? NULL : counted(REAL(memalign)(alignment, bytes));
}

INTERPOSE_PUBLIC void *aligned_alloc(size_t alignment, size_t bytes)
{
    return memalign(alignment, bytes);
}

INTERPOSE_PUBLIC int posix_memalign(void **out, size_t alignment, size_t bytes)
{
    void *memory = memalign(alignment, bytes);
    if (!memory) {
        return ENOMEM;
    }
    *out = memory;
    return 0;
}

INTERPOSE_PUBLIC void free(void *memory)
{
    atomic_fetch_sub(&allocations.live, memory != NULL);
    count_bytes(-room_of(memory));
    REAL(free)(memory);
}

/* Named so because the C library's header may hold an inline read() of its own. */
ssize_t interposed_read(int fd, void *to, size_t bytes) __asm__("read");

INTERPOSE_PUBLIC ssize_t interposed_read(int fd, void *to, size_t bytes)
{
    long number = ++reads.count;
    if (reads.interrupted && number % 2) {
        errno = EINTR;
        return -1;
    }
    if (reads.fail_from && number >= reads.fail_from) {
        errno = EIO;
        return -1;
    }
    bytes = reads.most && bytes > reads.most ? reads.most : bytes;
    return syscall(SYS_read, fd, to, bytes);
}
#endif
