/* The command within a test's process, and files of its. Behind cmocka.h. */
#ifndef TESTS_RUN_LINE_H
#define TESTS_RUN_LINE_H

#include "test.h"
#include <dirent.h>
#include <fcntl.h>

#include "tools/satfilter/batch.h"

enum { RUN_LINE_WORDS = 64 };

/* What main() of tools/satfilter/satfilter.c does. line: words with a blank between. */
static inline int run_words(const char *line)
{
    char text[2048], *argv[RUN_LINE_WORDS] = {(char *)"satfilter"};
    int argc = 1;
    snprintf(text, sizeof text, "%s", line);
    for (char *rest, *word = strtok_r(text, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        argv[argc++] = word;
    }
    settings s;
    int status = options_parse(&s, argc, argv);
    status = status ? status : batch_run(&s);
    options_free(&s);
    return status;
}

/* The same, its messages in the file `stderr`. */
static inline int run_line(const char *line)
{
    int kept = dup(STDERR_FILENO);
    int to = open("stderr", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    fflush(stderr);
    dup2(to, STDERR_FILENO);
    close(to);
    int status = run_words(line);
    fflush(stderr);
    dup2(kept, STDERR_FILENO);
    close(kept);
    return status;
}

/* The bytes of a file, with a zero behind them; below 0: there is none. */
static inline long load_file(const char *path, char *to, size_t room)
{
    FILE *file = fopen(path, "rb");
    long n = file ? (long)fread(to, 1, room - 1, file) : -1;
    if (file) {
        fclose(file);
        to[n] = '\0';
    }
    return n;
}

static inline bool same_files(const char *a, const char *b)
{
    static char of_a[1 << 20], of_b[sizeof of_a];
    long bytes = load_file(a, of_a, sizeof of_a);
    return bytes >= 0 && load_file(b, of_b, sizeof of_b) == bytes &&
           memcmp(of_a, of_b, (size_t)bytes) == 0;
}

/* A folder of its own becomes the current one; false: there is none. */
static inline bool enter_folder(const char *name, char dir[64])
{
    snprintf(dir, 64, "/tmp/%s.XXXXXX", name);
    return mkdtemp(dir) && chdir(dir) == 0;
}

static inline int leave_folder(const char *dir)
{
    char command[96];
    snprintf(command, sizeof command, "rm -r %s", dir);
    return chdir("/") || system(command);
}

static inline void save_bytes(const char *path, const void *bytes, size_t n)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, n, file), n);
    fclose(file);
}

static inline void save_file(const char *path, const char *text)
{
    save_bytes(path, text, strlen(text));
}

/* A PPM of noise. */
static inline void save_noise(const char *path, int width, int height)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    fprintf(file, "P6\n%d %d\n255\n", width, height);
    uint32_t random = 1;
    for (int i = 0; i < 3 * width * height; i++) {
        random = random * 69069 + 12345;
        putc((int)(random >> 24), file);
    }
    fclose(file);
}

/* Files of the current folder whose names begin with a dot. */
static inline int hidden_files(void)
{
    DIR *d = opendir(".");
    int n = 0;
    for (struct dirent *e; (e = readdir(d));) {
        n += e->d_name[0] == '.' && strcmp(e->d_name, ".") && strcmp(e->d_name, "..");
    }
    closedir(d);
    return n;
}

#endif
