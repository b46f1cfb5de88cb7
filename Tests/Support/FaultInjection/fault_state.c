// Settings, counters, and the state of descriptors.
#if defined(__linux__)
#include "fault_state.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

typedef enum { KILL_BEFORE, KILL_AFTER, KILL_TORN, KILL_STOP } kill_mode;

enum { KNOWN_DESCRIPTORS = 4096 };

static struct {
    bool active, skips_syncs, sticky, fails_syncs;
    char root[PATH_MAX];
    size_t root_length;
    char acknowledgements[PATH_MAX];
    long kill_at, fail_at;
    kill_mode kill_mode;
    size_t torn_bytes;
    int error;
} settings;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long writes, syncs;
static _Atomic uint64_t *counters;
static fault_descriptor known[KNOWN_DESCRIPTORS];

static void reset_lock_in_child(void) {
    pthread_mutex_init(&lock, NULL);
}

static long number(const char *name) {
    const char *text = getenv(name);
    return text ? strtol(text, NULL, 10) : 0;
}

static int error_named(const char *text) {
    if (!text || strcmp(text, "EIO") == 0) return EIO;
    if (strcmp(text, "ENOSPC") == 0) return ENOSPC;
    if (strcmp(text, "EDQUOT") == 0) return EDQUOT;
    return (int)strtol(text, NULL, 10);
}

static kill_mode kill_mode_named(const char *text) {
    if (text && strcmp(text, "after") == 0) return KILL_AFTER;
    if (text && strcmp(text, "torn") == 0) return KILL_TORN;
    if (text && strcmp(text, "stop") == 0) return KILL_STOP;
    return KILL_BEFORE;
}

static void open_counters(const char *path) {
    int descriptor = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (descriptor < 0) return;
    if (syscall(SYS_ftruncate, descriptor, 2L * (long)sizeof(uint64_t)) == 0) {
        const int protection = PROT_READ | PROT_WRITE;
        void *map = (void *)syscall(SYS_mmap, NULL, 2 * sizeof(uint64_t), protection, MAP_SHARED, descriptor, 0L);
        if (map != MAP_FAILED) counters = map;
    }
    syscall(SYS_close, descriptor);
}

static void read_settings(void) {
    const char *root = getenv("TIDELOG_FAULT_ROOT");
    if (!root || !*root) return;
    // The root itself need not exist yet. The links of its parent are resolved first, and then its own if it exists.
    fault_name name;
    fault_resolve(AT_FDCWD, root, &name);
    if (!realpath(root, settings.root)) strcpy(settings.root, name.path);
    settings.root_length = strlen(settings.root);

    settings.kill_at = number("TIDELOG_FAULT_KILL_AT");
    settings.kill_mode = kill_mode_named(getenv("TIDELOG_FAULT_KILL_MODE"));
    settings.torn_bytes = number("TIDELOG_FAULT_TORN_BYTES") > 0 ? (size_t)number("TIDELOG_FAULT_TORN_BYTES") : 512;
    settings.error = error_named(getenv("TIDELOG_FAULT_FAIL"));
    settings.fail_at = number("TIDELOG_FAULT_FAIL_AT");
    settings.sticky = number("TIDELOG_FAULT_FAIL_STICKY") != 0;
    settings.skips_syncs = number("TIDELOG_FAULT_SKIP_SYNC") != 0;
    const char *calls = getenv("TIDELOG_FAULT_FAIL_CALLS");
    settings.fails_syncs = calls && strcmp(calls, "sync") == 0;

    const char *acknowledgements = getenv("TIDELOG_FAULT_ACKNOWLEDGEMENTS");
    if (acknowledgements && !realpath(acknowledgements, settings.acknowledgements)) {
        fault_resolve(AT_FDCWD, acknowledgements, &name);
        strcpy(settings.acknowledgements, name.path);
    }
    if (getenv("TIDELOG_FAULT_COUNT")) open_counters(getenv("TIDELOG_FAULT_COUNT"));
    if (getenv("TIDELOG_FAULT_TRACE")) fault_open_trace(getenv("TIDELOG_FAULT_TRACE"));
    pthread_atfork(NULL, NULL, reset_lock_in_child);
    settings.active = true;
}

// Initialisers of other libraries may run earlier than this library's, so the settings are read at the first call.
bool fault_is_active(void) {
    pthread_once(&once, read_settings);
    return settings.active;
}

bool fault_skips_syncs(void) { return settings.skips_syncs; }
size_t fault_torn_bytes(void) { return settings.torn_bytes; }
int fault_error(void) { return settings.error; }

void fault_lock(void) { pthread_mutex_lock(&lock); }
void fault_unlock(void) { pthread_mutex_unlock(&lock); }

void fault_kill(void) {
    fault_record(TIDELOG_FAULT_KILLED, 0, 0, NULL, 0, NULL, 0, 0);
    syscall(SYS_kill, getpid(), SIGKILL);
    for (;;) pause();
}

fault_verdict fault_judge(unsigned class) {
    if (class & FAULT_IS_WRITE) {
        writes += 1;
        if (counters) atomic_fetch_add(&counters[0], 1);
    }
    if (class & FAULT_IS_SYNC) {
        syncs += 1;
        if (counters) atomic_fetch_add(&counters[1], 1);
    }
    bool counted = class & (settings.fails_syncs ? FAULT_IS_SYNC : FAULT_IS_WRITE);
    long at = settings.fails_syncs ? syncs : writes;
    bool spared = (class & FAULT_FREES_SPACE) && (settings.error == ENOSPC || settings.error == EDQUOT);
    bool refuses = settings.fail_at > 0 && counted && !spared
        && (at == settings.fail_at || (settings.sticky && at > settings.fail_at));

    if (settings.kill_at > 0 && (class & FAULT_IS_WRITE) && writes == settings.kill_at) {
        switch (settings.kill_mode) {
            case KILL_BEFORE: fault_kill(); break;
            case KILL_STOP: syscall(SYS_kill, getpid(), SIGSTOP); break;
            case KILL_TORN: return FAULT_TEAR;
            case KILL_AFTER: return refuses ? FAULT_REFUSE : FAULT_RUN_THEN_KILL;
        }
    }
    return refuses ? FAULT_REFUSE : FAULT_RUN;
}

// Makes an absolute path relative to the root. Returns whether the path is below the root.
static bool strip_root(char path[PATH_MAX]) {
    if (settings.root_length == 0 || strncmp(path, settings.root, settings.root_length) != 0) return false;
    const char *rest = path + settings.root_length;
    if (*rest == '/') rest += 1;
    else if (*rest != 0) return false;
    memmove(path, rest, strlen(rest) + 1);
    return true;
}

static bool link_of_descriptor(int descriptor, char path[PATH_MAX]) {
    char link[32] = "/proc/self/fd/";
    char digits[12];
    int count = 0;
    unsigned value = (unsigned)descriptor;
    do digits[count++] = (char)('0' + value % 10);
    while ((value /= 10) != 0);
    size_t length = strlen(link);
    while (count > 0) link[length++] = digits[--count];
    link[length] = 0;
    ssize_t size = readlink(link, path, PATH_MAX - 1);
    if (size < 0) return false;
    path[size] = 0;
    return true;
}

bool fault_path_of(int descriptor, char path[PATH_MAX]) {
    return link_of_descriptor(descriptor, path) && strip_root(path);
}

void fault_resolve(int directory, const char *path, fault_name *name) {
    char parent[PATH_MAX];
    size_t length = strnlen(path, PATH_MAX - 1);
    while (length > 1 && path[length - 1] == '/') length -= 1;
    size_t base = length;
    while (base > 0 && path[base - 1] != '/') base -= 1;
    memcpy(parent, path, base);
    parent[base] = 0;

    name->inside = false;
    name->path[0] = 0;
    int opened = (int)syscall(SYS_openat, directory, base ? parent : ".", O_PATH | O_CLOEXEC | O_DIRECTORY, 0);
    if (opened < 0) return;
    if (link_of_descriptor(opened, name->path)) {
        size_t end = strlen(name->path);
        if (end + (length - base) + 2 <= PATH_MAX) {
            if (end > 1) name->path[end++] = '/';
            memcpy(name->path + end, path + base, length - base);
            name->path[end + (length - base)] = 0;
            name->inside = strip_root(name->path);
        }
    }
    syscall(SYS_close, opened);
}

void fault_forget(int descriptor) {
    if (descriptor >= 0 && descriptor < KNOWN_DESCRIPTORS) {
        __atomic_store_n(&known[descriptor].place, FAULT_UNKNOWN, __ATOMIC_RELAXED);
    }
}

// A descriptor may have been closed and opened without a call of this library, for example by stdio or while a child is
// started. Its identity is therefore compared every time. Its flags and its path are read if the descriptor is new.
fault_descriptor fault_describe(int descriptor) {
    fault_descriptor found = {.place = FAULT_OUTSIDE};
    struct stat status;
    if (descriptor < 0 || fstat(descriptor, &status) != 0) return found;
    fault_descriptor *entry = descriptor < KNOWN_DESCRIPTORS ? &known[descriptor] : NULL;
    if (entry && entry->place != FAULT_UNKNOWN && entry->device == status.st_dev && entry->inode == status.st_ino) {
        found = *entry;
        found.size = status.st_size;
        return found;
    }
    char path[PATH_MAX];
    found.device = status.st_dev;
    found.inode = status.st_ino;
    found.size = status.st_size;
    found.is_directory = S_ISDIR(status.st_mode);
    if (link_of_descriptor(descriptor, path)) {
        if (settings.acknowledgements[0] && strcmp(path, settings.acknowledgements) == 0) {
            found.place = FAULT_ACKNOWLEDGES;
        } else if ((S_ISREG(status.st_mode) || found.is_directory) && strip_root(path)) {
            found.place = FAULT_INSIDE;
            int flags = fcntl(descriptor, F_GETFL);
            found.appends = (flags & O_APPEND) != 0;
            found.self_synced = (flags & (O_SYNC | O_DSYNC)) != 0;
            if (!found.is_directory) fault_record_text(TIDELOG_FAULT_OPEN, 0, 0, &found, path);
        }
    }
    if (entry) *entry = found;
    return found;
}
#endif
