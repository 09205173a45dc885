/* Writing a file of several pages, which are made side by side and stand in their order. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "codec.h"

/* A page that has ended, while others are in front of it. */
typedef struct waiting_page {
    struct waiting_page *next;
    int64_t number;
    bool passed; /* it does not come */
    unsigned char *bytes;
    size_t count;
    io_page page;
} waiting_page;

/* `lock` guards it, and the pages' turn, list and file; `moved` says that the turn has. */
struct io_pages_order {
    pthread_mutex_t lock;
    pthread_cond_t moved;
    waiting_page *waiting;
    int error; /* errno of a write that has failed; nothing is written then */
};

/* Whether a place in the file, which begins here, can be gone back to. */
static bool can_go_back(FILE *file)
{
    struct stat info;
    int flags = fcntl(fileno(file), F_GETFL);
    return fstat(fileno(file), &info) == 0 && S_ISREG(info.st_mode) && flags >= 0 &&
           !(flags & O_APPEND) && ftello(file) == 0;
}

/* Room for what the format writes in front of the pages, last of all: in a file of its own, if it
 * could not go back there. */
static satf_status pages_begin(satf_context *ctx, io_pages *pages)
{
    static const char zeros[64] = {0};
    size_t n = pages->format->lead_bytes;
    if (n > 0 && !can_go_back(pages->file)) {
        pages->behind = pages->file;
        pages->file = tmpfile();
        if (!pages->file) {
            return satf_fail(ctx, SATF_IO, "no temporary file for the pages: %s", strerror(errno));
        }
    }
    if (n > 0 && fwrite(zeros, 1, n, pages->file) != n) {
        return satf_fail(ctx, SATF_IO, "writing failed: %s", strerror(errno));
    }
    pages->bytes = (int64_t)n;
    return SATF_OK;
}

satf_status io_pages_open(satf_context *ctx, const io_format *format, FILE *file,
                          const io_axes *axes, int64_t wanted, io_pages **out)
{
    *out = NULL;
    io_pages *pages = satf_alloc_zeroed(sizeof *pages);
    struct io_pages_order *order = satf_alloc_zeroed(sizeof *order);
    if (!pages || !order) {
        satf_free(pages);
        satf_free(order);
        return satf_fail_memory(ctx, sizeof *pages + sizeof *order, "a file of pages");
    }
    pthread_mutex_init(&order->lock, NULL);
    pthread_cond_init(&order->moved, NULL);
    pages->format = format;
    pages->file = file;
    pages->wanted = wanted;
    pages->order = order;
    if (axes) {
        pages->axes = *axes;
    }
    satf_status status = pages_begin(ctx, pages);
    if (status) {
        io_pages_close(pages);
        return status;
    }
    *out = pages;
    return SATF_OK;
}

/* ------------------------------------------------- with the lock of the pages */

static satf_status fail_write(satf_context *ctx, const io_pages *pages)
{
    return satf_fail(ctx, SATF_IO, "writing failed: %s", strerror(pages->order->error));
}

static satf_status put_bytes(satf_context *ctx, io_pages *pages, const void *bytes, size_t n)
{
    if (!pages->order->error && n > 0 && fwrite(bytes, 1, n, pages->file) != n) {
        pages->order->error = errno ? errno : EIO;
    }
    pages->bytes += (int64_t)n;
    return pages->order->error ? fail_write(ctx, pages) : SATF_OK;
}

/* The page, all of whose bytes are in the file, is one of it. */
static satf_status add_page(satf_context *ctx, io_pages *pages, const io_page *page)
{
    if (pages->count == pages->room) {
        int64_t room = pages->room ? 2 * pages->room : 16;
        size_t bytes = (size_t)room * sizeof *pages->at;
        io_page *larger = satf_grow(pages->at, (size_t)pages->count * sizeof *larger, bytes);
        if (!larger) {
            satf_free(page->record);
            pages->order->error = pages->order->error ? pages->order->error : ENOMEM;
            return satf_fail_memory(ctx, bytes, "a list of pages");
        }
        satf_disown(larger);
        pages->at = larger;
        pages->room = room;
    }
    pages->at[pages->count++] = *page;
    return SATF_OK;
}

/* The waiting page whose turn it is, taken out of the list; NULL: it is not there yet. */
static waiting_page *take_next(io_pages *pages)
{
    waiting_page **at = &pages->order->waiting;
    while (*at && (*at)->number != pages->turn) {
        at = &(*at)->next;
    }
    waiting_page *found = *at;
    if (found) {
        *at = found->next;
    }
    return found;
}

/* The page whose turn it was has ended: those behind it that have ended too go to the file. */
static satf_status end_turn(satf_context *ctx, io_pages *pages)
{
    waiting_page *next;
    satf_status status = SATF_OK;
    pages->turn++;
    while ((next = take_next(pages))) {
        next->page.start = pages->bytes;
        if (!next->passed) {
            satf_status put = put_bytes(ctx, pages, next->bytes, next->count);
            satf_status added = add_page(ctx, pages, &next->page);
            status = status ? status : put ? put : added;
        }
        satf_free(next->bytes);
        satf_free(next);
        pages->turn++;
    }
    pthread_cond_broadcast(&pages->order->moved);
    return status;
}

/* What the writer holds, if its turn has come. */
static satf_status let_go(satf_context *ctx, io_writer *writer)
{
    io_pages *pages = writer->pages;
    if (!writer->held) {
        return SATF_OK;
    }
    satf_status status = put_bytes(ctx, pages, writer->held, writer->held_bytes);
    satf_free(writer->held);
    writer->held = NULL;
    writer->held_bytes = writer->held_room = 0;
    return status;
}

/* ----------------------------------------------------------------- the writers */

static satf_status pages_hold(satf_context *ctx, io_writer *writer, const void *bytes, size_t n)
{
    size_t wanted;
    if (!satf_add(writer->held_bytes, n, &wanted)) {
        wanted = SIZE_MAX;
    }
    if (wanted > writer->held_room) {
        size_t room = wanted < SIZE_MAX / 2 ? wanted + wanted / 2 + 4096 : wanted;
        unsigned char *larger = satf_grow(writer->held, writer->held_bytes, room);
        if (!larger) {
            return satf_fail_memory(ctx, room, "a page that waits for those in front of it");
        }
        writer->held = larger;
        writer->held_room = room;
    }
    memcpy(writer->held + writer->held_bytes, bytes, n);
    writer->held_bytes = wanted;
    return SATF_OK;
}

satf_status io_page_write(satf_context *ctx, io_writer *writer, const void *bytes, size_t n)
{
    io_pages *pages = writer->pages;
    pthread_mutex_lock(&pages->order->lock);
    bool mine = pages->turn == writer->page;
    satf_status status = mine ? let_go(ctx, writer) : SATF_OK;
    status = status || !mine ? status : put_bytes(ctx, pages, bytes, n);
    pthread_mutex_unlock(&pages->order->lock);
    if (!mine) {
        status = pages_hold(ctx, writer, bytes, n);
        n = status ? 0 : n; /* or the writer would take back from the file what is not there */
    }
    writer->bytes += (int64_t)n;
    return status;
}

void io_page_abandon(io_writer *writer)
{
    io_pages *pages = writer->pages;
    pthread_mutex_lock(&pages->order->lock);
    int64_t put = writer->bytes - (int64_t)writer->held_bytes;
    if (pages->turn == writer->page && put > 0 && !writer->ended) {
        pages->bytes -= put;
        pages->taken_back = true;
        if (fflush(pages->file) || fseeko(pages->file, -put, SEEK_CUR)) {
            pages->order->error = errno;
        }
    }
    pthread_mutex_unlock(&pages->order->lock);
}

/* With the lock held: the page that has ended waits; it takes what the writer holds. */
static satf_status wait_behind(satf_context *ctx, io_pages *pages, int64_t number,
                               io_writer *writer)
{
    waiting_page *page = satf_alloc_zeroed(sizeof *page);
    if (!page) { /* nobody behind it will have a turn */
        pages->order->error = pages->order->error ? pages->order->error : ENOMEM;
        pthread_cond_broadcast(&pages->order->moved);
        return satf_fail_memory(ctx, sizeof *page, "a page that waits");
    }
    *page = (waiting_page){.next = pages->order->waiting, .number = number, .passed = !writer};
    if (writer) {
        page->bytes = writer->held;
        page->count = writer->held_bytes;
        page->page.record = writer->record;
        page->page.view = writer->plan.out;
        writer->held = NULL;
        writer->record = NULL;
        satf_disown(page->bytes); /* the page's call ends before they are written */
        satf_disown(page->page.record);
    }
    satf_disown(page);
    pages->order->waiting = page;
    return SATF_OK;
}

satf_status io_page_end(satf_context *ctx, io_writer *writer)
{
    io_pages *pages = writer->pages;
    satf_status status;
    pthread_mutex_lock(&pages->order->lock);
    writer->ended = true;
    if (pages->turn != writer->page) {
        status = wait_behind(ctx, pages, writer->page, writer);
    } else {
        status = let_go(ctx, writer);
        io_page page = {.start = pages->bytes - writer->bytes,
                        .record = writer->record,
                        .view = writer->plan.out};
        satf_disown(page.record);
        writer->record = NULL;
        satf_status added = add_page(ctx, pages, &page);
        satf_status ended = end_turn(ctx, pages);
        status = status ? status : added ? added : ended;
    }
    pthread_mutex_unlock(&pages->order->lock);
    return status;
}

satf_status io_pages_pass(satf_context *ctx, io_pages *pages, int64_t page)
{
    pthread_mutex_lock(&pages->order->lock);
    satf_status status =
        pages->turn == page ? end_turn(ctx, pages) : wait_behind(ctx, pages, page, NULL);
    pthread_mutex_unlock(&pages->order->lock);
    return status;
}

void io_pages_await(io_pages *pages, int64_t page)
{
    pthread_mutex_lock(&pages->order->lock);
    while (pages->turn < page && !pages->order->error) {
        pthread_cond_wait(&pages->order->moved, &pages->order->lock);
    }
    pthread_mutex_unlock(&pages->order->lock);
}

/* Copies all of the temporary file. */
static satf_status pages_copy(satf_context *ctx, FILE *from, FILE *to)
{
    char part[1 << 14];
    size_t n;
    rewind(from);
    while ((n = fread(part, 1, sizeof part, from)) > 0) {
        if (fwrite(part, 1, n, to) != n) {
            break;
        }
    }
    return ferror(from) || ferror(to)
               ? satf_fail(ctx, SATF_IO, "writing failed: %s", strerror(errno))
               : SATF_OK;
}

satf_status io_pages_finish(satf_context *ctx, io_pages *pages)
{
    if (pages->order->error) {
        return fail_write(ctx, pages);
    }
    satf_status status = pages->format->finish_pages(ctx, pages);
    if (!status && pages->taken_back &&
        (fflush(pages->file) || ftruncate(fileno(pages->file), pages->bytes))) {
        status = satf_fail(ctx, SATF_IO, "writing failed: %s", strerror(errno));
    }
    return status || !pages->behind ? status : pages_copy(ctx, pages->file, pages->behind);
}

void io_pages_close(io_pages *pages)
{
    if (!pages) {
        return;
    }
    for (waiting_page *w = pages->order->waiting, *next; w; w = next) {
        next = w->next;
        satf_free(w->bytes);
        satf_free(w->page.record);
        satf_free(w);
    }
    for (int64_t i = 0; i < pages->count; i++) {
        satf_free(pages->at[i].record);
    }
    satf_free(pages->at);
    if (pages->behind && pages->file) {
        fclose(pages->file);
    }
    pthread_cond_destroy(&pages->order->moved);
    pthread_mutex_destroy(&pages->order->lock);
    satf_free(pages->order);
    satf_free(pages);
}
