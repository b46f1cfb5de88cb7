// Counts how often the process waits for a device because Tidelog, LMDB or SQLite syncs.
//
// On Linux these functions replace those of the C library in a program that links them. They count the call and then
// make the system call. LMDB writes its meta page through a descriptor opened with O_DSYNC, so such a write counts as a
// sync too.
#define _GNU_SOURCE
#include "baselines.h"

#if defined(__linux__)
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

enum { DESCRIPTOR_COUNT = 4096 };

static atomic_uint_fast64_t syncs;
static atomic_bool is_synchronous[DESCRIPTOR_COUNT];

static void count_sync(void) { atomic_fetch_add_explicit(&syncs, 1, memory_order_relaxed); }

uint64_t baseline_sync_count(void) { return atomic_load_explicit(&syncs, memory_order_relaxed); }

int fsync(int descriptor) {
    count_sync();
    return (int)syscall(SYS_fsync, descriptor);
}

int fdatasync(int descriptor) {
    count_sync();
    return (int)syscall(SYS_fdatasync, descriptor);
}

int msync(void *start, size_t length, int flags) {
    if (flags & MS_SYNC) count_sync();
    return (int)syscall(SYS_msync, start, length, flags);
}

// MARK: - Descriptors with O_DSYNC

static int open_noting(const char *path, int flags, mode_t mode) {
    int descriptor = (int)syscall(SYS_openat, AT_FDCWD, path, flags | O_LARGEFILE, mode);
    if (descriptor >= 0 && descriptor < DESCRIPTOR_COUNT) {
        atomic_store_explicit(&is_synchronous[descriptor], (flags & O_DSYNC) != 0, memory_order_relaxed);
    }
    return descriptor;
}

static ssize_t write_noting(int descriptor, const void *bytes, size_t length, off_t offset) {
    bool is_noted = descriptor >= 0 && descriptor < DESCRIPTOR_COUNT;
    if (is_noted && atomic_load_explicit(&is_synchronous[descriptor], memory_order_relaxed)) count_sync();
    return syscall(SYS_pwrite64, descriptor, bytes, length, offset);
}

// Reads the argument `mode`, which is only passed if the call may create a file.
#define MODE_AFTER(flags) \
    mode_t mode = 0; \
    if (((flags) & O_CREAT) || ((flags) & O_TMPFILE) == O_TMPFILE) { \
        va_list rest; \
        va_start(rest, flags); \
        mode = va_arg(rest, mode_t); \
        va_end(rest); \
    }

int open(const char *path, int flags, ...) {
    MODE_AFTER(flags)
    return open_noting(path, flags, mode);
}

ssize_t pwrite(int descriptor, const void *bytes, size_t length, off_t offset) {
    return write_noting(descriptor, bytes, length, offset);
}

#if !defined(open64)
int open64(const char *path, int flags, ...) {
    MODE_AFTER(flags)
    return open_noting(path, flags, mode);
}

ssize_t pwrite64(int descriptor, const void *bytes, size_t length, off64_t offset) {
    return write_noting(descriptor, bytes, length, offset);
}
#endif
#else
uint64_t baseline_sync_count(void) { return 0; }
#endif
