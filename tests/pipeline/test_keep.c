/* What an output keeps of the file that it replaces, by every way that files are written; what it
 * says of the rest; and whether the disk was full. */
#include "test.h"
#include "pipeline_jobs.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#ifdef __linux__
#include <sys/xattr.h>

static const char acl_name[] = "system.posix_acl_access",
                  default_name[] = "system.posix_acl_default";

/* user::rw-, user:4242:r--, group::---, group:4343:r--, mask::r--, other::---, as Linux stores it:
 * whoever is of the file's group may not read it, though the mode is 0640. */
#define NOBODY 0xffffffffU
#define ENTRY(tag, bits, who) \
    tag, 0, bits, 0, (who)&255, (who) >> 8 & 255, (who) >> 16 & 255, (who) >> 24
static const unsigned char acl[] = {2,
                                    0,
                                    0,
                                    0,
                                    ENTRY(1, 6, NOBODY),
                                    ENTRY(2, 4, 4242),
                                    ENTRY(4, 0, NOBODY),
                                    ENTRY(8, 4, 4343),
                                    ENTRY(16, 4, NOBODY),
                                    ENTRY(32, 0, NOBODY)};

/* What the calls of the library fail with, as errno; 0: they do not. */
typedef struct failures {
    int get_acl, set_acl, remove_acl, set_user, owner, group, write;
} failures;

static failures fails;

static int failed(int error)
{
    errno = error;
    return -1;
}

ssize_t __real_getxattr(const char *path, const char *name, void *value, size_t bytes);
ssize_t __wrap_getxattr(const char *path, const char *name, void *value, size_t bytes);
int __real_fsetxattr(int fd, const char *name, const void *value, size_t bytes, int flags);
int __wrap_fsetxattr(int fd, const char *name, const void *value, size_t bytes, int flags);
int __real_fremovexattr(int fd, const char *name);
int __wrap_fremovexattr(int fd, const char *name);
int __real_fchown(int fd, uid_t owner, gid_t group);
int __wrap_fchown(int fd, uid_t owner, gid_t group);
ssize_t __real_write(int fd, const void *bytes, size_t n);
ssize_t __wrap_write(int fd, const void *bytes, size_t n);

ssize_t __wrap_getxattr(const char *name_of, const char *name, void *value, size_t bytes)
{
    return fails.get_acl && strcmp(name, acl_name) == 0
               ? failed(fails.get_acl)
               : __real_getxattr(name_of, name, value, bytes);
}

int __wrap_fsetxattr(int fd, const char *name, const void *value, size_t bytes, int flags)
{
    int error = strcmp(name, acl_name) == 0 ? fails.set_acl : fails.set_user;
    return error ? failed(error) : __real_fsetxattr(fd, name, value, bytes, flags);
}

int __wrap_fremovexattr(int fd, const char *name)
{
    return fails.remove_acl ? failed(fails.remove_acl) : __real_fremovexattr(fd, name);
}

int __wrap_fchown(int fd, uid_t owner, gid_t group)
{
    int error = owner != (uid_t)-1 ? fails.owner : fails.group;
    return error ? failed(error) : __real_fchown(fd, owner, group);
}

ssize_t __wrap_write(int fd, const void *bytes, size_t n)
{
    return fails.write ? failed(fails.write) : __real_write(fd, bytes, n);
}

/* ------------------------------------------------------------------ the file that is replaced */

static bool has_acls, has_user; /* the file system of the folder */
static const char in[] = "in.npy", out[] = "out.npy";

static int find_out(void **state)
{
    char probe[] = "/tmp/satfilter-probe.XXXXXX";
    (void)state;
    close(mkstemp(probe));
    has_acls = setxattr(probe, acl_name, acl, sizeof acl, 0) == 0;
    has_user = setxattr(probe, "user.satfilter", "", 0, 0) == 0;
    unlink(probe);
    if (!has_acls || !has_user) {
        print_message("skipped: %s; the file system of /tmp has none\n",
                      has_acls   ? "attributes (user.)"
                      : has_user ? "ACLs"
                                 : "ACLs, attributes (user.)");
    }
    return 0;
}

static mode_t mode_of(const char *name)
{
    struct stat info;
    assert_int_equal(stat(name, &info), 0);
    return info.st_mode & 07777;
}

/* A file of that mode, with the ACL if it is asked for, and attributes of all sorts. */
static void make_old(const char *name, mode_t mode, bool with_acl)
{
    unlink(name);
    write_bytes(name, "old", 3);
    assert_int_equal(chmod(name, mode), 0);
    if (has_user) {
        static char large[2000];
        memset(large, 7, sizeof large);
        assert_int_equal(setxattr(name, "user.empty", "", 0, 0), 0);
        assert_int_equal(setxattr(name, "user.binary", "a\0b", 3, 0), 0);
        assert_int_equal(setxattr(name, "user.large", large, sizeof large, 0), 0);
    }
    if (with_acl && has_acls) {
        assert_int_equal(setxattr(name, acl_name, acl, sizeof acl, 0), 0);
        assert_int_equal(mode_of(name), 0640); /* the mask */
    }
}

static void expect_acl(const char *name, const char *way, bool with_acl)
{
    unsigned char got[sizeof acl + 1];
    ssize_t n = getxattr(name, acl_name, got, sizeof got);
    ssize_t want = with_acl && has_acls ? (ssize_t)sizeof acl : -1;
    if (n != want || (n > 0 && memcmp(got, acl, sizeof acl) != 0)) {
        fail_msg("%s: %zd bytes of an ACL instead of %zd, or others", way, n, want);
    }
}

static void expect_attributes(const char *name, const char *way)
{
    char got[3000];
    if (has_user &&
        (getxattr(name, "user.empty", got, sizeof got) != 0 ||
         getxattr(name, "user.binary", got, sizeof got) != 3 || memcmp(got, "a\0b", 3) ||
         getxattr(name, "user.large", got, sizeof got) != 2000 || got[1999] != 7)) {
        fail_msg("%s: attributes (user.) are missing or others", way);
    }
}

/* ----------------------------------------------------------------------------- ways to write */

static void image(const char *to)
{
    write_noise(to, 30, 20, 1, SATF_U8, 0, 3);
}

static satf_image *make_page(int k)
{
    return make_noise(300, 200, 3, SATF_U8, 0, (uint32_t)k);
}

static void pages(const char *to)
{
    write_pages(to, make_page, 0, 2, NULL);
}

static const struct {
    const char *name;
    void (*make)(const char *to);
    bool filters, in_place;
    satf_route route;
} ways[] = {
    {"an image", image, false, false, SATF_ROUTE_AUTO},
    {"pages", pages, false, false, SATF_ROUTE_AUTO},
    {"filtered whole", image, true, false, SATF_ROUTE_WHOLE},
    {"filtered by rows", image, true, false, SATF_ROUTE_ROWS},
    {"pages, filtered", pages, true, false, SATF_ROUTE_AUTO},
    {"filtered in place", image, true, true, SATF_ROUTE_AUTO},
};
enum { WAYS = COUNT(ways) };

static void write_by(int way, const char *to)
{
    ways[way].make(ways[way].filters ? in : to);
    if (ways[way].in_place) { /* the same file, and what belongs to it */
        size_t bytes;
        SCOPED unsigned char *data = slurp(in, &bytes);
        write_bytes(to, data, bytes);
    }
    if (ways[way].filters) {
        must_run(JOB(ways[way].in_place ? to : in, to, "box=3", ways[way].route));
    }
}

TEST_ALONE(keeps_all)
{
    static const mode_t modes[] = {0640, 0604, 0600, 0664};
    for (int i = 0; i < WAYS; i++) {
        for (int k = 0; k < 8; k++) {
            bool with_acl = k & 1;
            mode_t mode = with_acl ? 0640 : modes[k / 2];
            make_old(out, mode, with_acl);
            report.note_count = 0;
            write_by(i, out);
            assert_int_equal(mode_of(out), mode);
            expect_acl(out, ways[i].name, with_acl);
            expect_attributes(out, ways[i].name);
            assert_int_equal(report.note_count, 0);
        }
    }
}

/* A new file in a folder with a default ACL has that; one that replaces has the old one's or none.
 */
TEST_ALONE(default_acl)
{
    const char *new = "folder/out.npy";
    assert_int_equal(mkdir("folder", 0755), 0);
    if (!has_acls || setxattr("folder", default_name, acl, sizeof acl, 0) != 0) {
        skip();
    }
    image(new);
    assert_true(getxattr(new, acl_name, NULL, 0) > 0);
    assert_int_equal(removexattr(new, acl_name), 0);
    assert_int_equal(chmod(new, 0644), 0);
    image(new);
    expect_acl(new, "in place of one without", false);
    assert_int_equal(mode_of(new), 0644);
}

/* Before its end nobody else may read it either. */
TEST_ALONE(secret_until_then)
{
    const char *new = "secret/out.npy";
    assert_int_equal(mkdir("secret", 0755), 0);
    io_output *file;
    for (int exists = 0; exists < 2; exists++) {
        if (exists) {
            make_old(new, 0640, true);
        }
        io_output_report said;
        MUST(ctx, io_output_open(ctx, new, NULL, false, &said, &file));
        int open = system("test \"$(find secret -name '.*tmp' -perm /077)\"") == 0;
        assert_int_equal(open, !exists);
        if (!exists) { /* what has come meanwhile is replaced, and its ACL kept */
            make_old(new, 0640, true);
        }
        fputs("new", io_output_file(file));
        MUST(ctx, io_output_end(ctx, file, SATF_OK));
        assert_false(said.access_lost || said.owner_lost || said.attributes_lost || said.full);
        expect_acl(new, "after its end", true);
        expect_attributes(new, "after its end");
    }
}

/* What the group is denied stays denied, asked of the system itself. */
TEST_ALONE(denied_group)
{
    if (geteuid() != 0 || !has_acls) {
        skip(); /* nobody else can be asked */
    }
    assert_int_equal(chmod(".", 0755), 0);
    make_old(out, 0640, true);
    assert_int_equal(chown(out, 0, 5151), 0);
    image(out);
    for (int named = 0; named < 2; named++) { /* by the ACL the second may read */
        pid_t child = fork();
        if (child == 0) {
            gid_t group = named ? 4343 : 5151;
            bool other = setgroups(0, NULL) == 0 && setgid(group) == 0 && setuid(6161) == 0;
            int fd = open(out, O_RDONLY);
            _exit(!other ? 2 : fd >= 0);
        }
        int result;
        assert_int_equal(waitpid(child, &result, 0), child);
        assert_true(WIFEXITED(result));
        assert_int_equal(WEXITSTATUS(result), named);
    }
}

/* --------------------------------------------------------------------- what cannot be kept */

#define ACCESS "who could read the file that it replaces is not kept: its group and others may not"
#define OWNER "the file that it replaces had another owner, who is not kept"
#define ATTRIBUTES "the extended attributes (user.) of the file that it replaces are not all kept"

typedef enum needs { NOTHING, ACLS, USER, CHOWN } needs;

/* What fails, and the output's mode and notes then. */
static const struct {
    const char *what;
    needs of;
    mode_t before, after;
    failures fails;
    const char *notes[2];
} losses_of[] = {
    {"an ACL, EPERM", ACLS, 0640, 0600, {.set_acl = EPERM}, {ACCESS}},
    {"an ACL, ENOTSUP", ACLS, 0640, 0600, {.set_acl = ENOTSUP}, {ACCESS}},
    {"an ACL, EINVAL", ACLS, 0640, 0600, {.set_acl = EINVAL}, {ACCESS}},
    {"an ACL, ENOSPC", ACLS, 0640, 0600, {.set_acl = ENOSPC}, {ACCESS}},
    {"an ACL that cannot be read", ACLS, 0640, 0600, {.get_acl = EIO}, {ACCESS}},
    {"no data", NOTHING, 0644, 0644, {.get_acl = ENODATA, .remove_acl = ENODATA}, {NULL}},
    {"no ACLs", NOTHING, 0644, 0644, {.get_acl = ENOTSUP, .remove_acl = ENOTSUP}, {NULL}},
    {"no calls", NOTHING, 0644, 0644, {.get_acl = ENOSYS, .remove_acl = ENOSYS}, {NULL}},
    {"the folder's ACL stays", NOTHING, 0664, 0600, {.remove_acl = EPERM}, {ACCESS}},
    {"attributes", USER, 0644, 0644, {.set_user = ENOSPC}, {ATTRIBUTES}},
    {"an owner", CHOWN, 0644, 0644, {.owner = EPERM}, {OWNER}},
    {"a group", CHOWN, 0664, 0600, {.owner = EPERM, .group = EPERM}, {ACCESS, OWNER}},
};

TEST_ALONE(losses)
{
    image(in);
    for (size_t i = 0; i < COUNT(losses_of); i++) {
        const char *const *notes = losses_of[i].notes;
        needs of = losses_of[i].of;
        make_old(out, losses_of[i].before, of == ACLS);
        if ((of == ACLS && !has_acls) || (of == USER && !has_user) ||
            (of == CHOWN && chown(out, 4242, 4343) != 0)) {
            continue;
        }
        fails = losses_of[i].fails;
        must_run(JOB(in, out, "box=3", SATF_ROUTE_ROWS));
        memset(&fails, 0, sizeof fails);
        int count = !!notes[0] + !!notes[1];
        bool told = mode_of(out) == losses_of[i].after && report.note_count == count;
        for (int n = 0; n < count && told; n++) {
            told =
                strcmp(report.notes[n].text, notes[n]) == 0 && strcmp(report.notes[n].at, out) == 0;
        }
        if (!told) {
            fail_msg("%s: mode %o, %d notes: '%s', '%s'", losses_of[i].what, (unsigned)mode_of(out),
                     report.note_count, report.note_count > 0 ? report.notes[0].text : "",
                     report.note_count > 1 ? report.notes[1].text : "");
        }
        expect_acl(out, losses_of[i].what, false);
    }
}

/* Other names of a file keep what it held, which is told. */
TEST_ALONE(hard_links)
{
    static const char *const notes[] = {
        NULL,
        "the file that it replaces has 1 other name (hard links), which keeps the old picture",
        "the file that it replaces has 2 other names (hard links), which keep the old picture"};
    for (int i = 0; i < 9; i++) {
        int others = i / 3; /* by each of the ways that report it */
        make_old(out, 0644, false);
        unlink("other.npy");
        unlink("third.npy");
        assert_true(others < 1 || link(out, "other.npy") == 0);
        assert_true(others < 2 || link(out, "third.npy") == 0);
        write_by(2 + i % 3, out);
        assert_int_equal(report.note_count, others > 0);
        if (others > 0) {
            assert_string_equal(report.notes[0].text, notes[others]);
            assert_string_equal(report.notes[0].at, out);
            size_t bytes;
            SCOPED unsigned char *data = slurp("other.npy", &bytes);
            assert_true(bytes == 3 && memcmp(data, "old", 3) == 0);
        }
    }
}

/* ------------------------------------------------------------------------------- a full disk */

TEST_ALONE(full_disk)
{
    io_output *file;
    io_output_report said;
    if (access("/dev/full", W_OK) == 0) {
        MUST(ctx, io_output_open(ctx, "/dev/full", NULL, false, &said, &file));
        fputs("new", io_output_file(file));
        assert_int_equal(io_output_end(ctx, file, SATF_OK), SATF_IO);
        assert_true(said.full);
    }
    /* A file that may not grow fails as one on a full disk does, but for the reason. */
    struct rlimit old, small = {1000, 0};
    static const int errors[] = {0, ENOSPC, EDQUOT, EIO};
    static const satf_route routes[] = {SATF_ROUTE_ROWS, SATF_ROUTE_WHOLE, SATF_ROUTE_AUTO};
    write_noise("large.npy", 900, 900, 1, SATF_U8, 0, 3);
    pages(in);
    getrlimit(RLIMIT_FSIZE, &old);
    small.rlim_max = old.rlim_max;
    void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
    for (int i = 0; i < 12; i++) {
        int how = i % 3; /* by rows, whole, pages */
        setrlimit(RLIMIT_FSIZE, &small);
        fails.write = errors[i / 3];
        satf_status status =
            run(JOB(how == 2 ? in : "large.npy", out, "box=3", routes[how], .threads = 1));
        fails.write = 0;
        setrlimit(RLIMIT_FSIZE, &old);
        assert_int_equal(status, SATF_IO);
        assert_int_equal(report.no_space, i / 3 == 1 || i / 3 == 2);
        assert_string_equal(report.at, out);
        assert_int_equal(access(out, F_OK), -1);
    }
    signal(SIGXFSZ, handler);
    must_run(JOB("large.npy", out, "box=3"));
    assert_false(report.no_space);
}

TEST_FILE(.context = &ctx, .folder = true, .begin = find_out)
#endif
