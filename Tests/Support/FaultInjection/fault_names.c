// Interposed calls that create, rename or remove names, and calls that open and close descriptors.
#if defined(__linux__)
#include "fault_state.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

typedef struct {
    int kind;
    int flags;
    fault_name from, to;
    bool has_to;
    bool counts;
    fault_verdict verdict;
} name_call;

// Takes the lock and decides about the call. Returns whether to carry the call out. `name_ended` follows in both cases.
static bool name_begins(name_call *call, unsigned class) {
    fault_lock();
    call->counts = call->from.inside || (call->has_to && call->to.inside);
    call->verdict = call->counts ? fault_judge(class) : FAULT_RUN;
    // A change of names happens whole or not at all, so a torn one does not happen.
    if (call->verdict == FAULT_TEAR) fault_kill();
    return call->verdict != FAULT_REFUSE;
}

static int name_ended(name_call *call, int result, const fault_descriptor *file) {
    int saved = errno;
    bool refused = call->verdict == FAULT_REFUSE;
    if (call->counts && (refused || result >= 0)) {
        struct iovec parts[3] = {
            {call->from.path, strlen(call->from.path)}, {(void *)"", 1}, {call->to.path, strlen(call->to.path)}};
        size_t length = parts[0].iov_len + (call->has_to ? 1 + parts[2].iov_len : 0);
        int flags = call->flags | (refused ? TIDELOG_FAULT_FAILED : 0);
        fault_record(
            call->kind, flags, refused ? fault_error() : 0, file, 0, parts, call->has_to ? 3 : 1, length);
        if (call->verdict == FAULT_RUN_THEN_KILL) fault_kill();
    }
    fault_unlock();
    errno = refused ? fault_error() : saved;
    return refused ? -1 : result;
}

static int perform_open(int directory, const char *path, int flags, mode_t mode) {
    bool changes = (flags & (O_CREAT | O_TRUNC)) && (flags & O_TMPFILE) != O_TMPFILE && fault_is_active();
    struct stat status;
    int saved = errno;
    bool exists = changes && fstatat(directory, path, &status, 0) == 0;
    if (exists) changes = (flags & O_TRUNC) && !(flags & O_EXCL) && S_ISREG(status.st_mode) && status.st_size > 0;
    else changes = changes && (flags & O_CREAT);
    errno = saved;
    if (!changes) {
        int opened = (int)syscall(SYS_openat, directory, path, flags, mode);
        fault_forget(opened);
        return opened;
    }
    name_call call = {.kind = exists ? TIDELOG_FAULT_TRUNCATE : TIDELOG_FAULT_CREATE};
    fault_resolve(directory, path, &call.from);
    int opened = -1;
    fault_descriptor file = {.place = FAULT_OUTSIDE};
    if (name_begins(&call, FAULT_IS_WRITE)) {
        opened = (int)syscall(SYS_openat, directory, path, flags, mode);
        saved = errno;
        fault_forget(opened);
        if (opened >= 0 && call.counts) {
            if (exists) file = fault_describe(opened);
            if (!exists && fstat(opened, &status) == 0) {
                file.device = status.st_dev;
                file.inode = status.st_ino;
            }
            if (exists) call.from.path[0] = 0;
        }
        errno = saved;
    }
    return name_ended(&call, opened, &file);
}

FAULT_EXPORT int open(const char *path, int flags, ...) {
    va_list list;
    va_start(list, flags);
    mode_t mode = (flags & O_CREAT) || (flags & O_TMPFILE) == O_TMPFILE ? va_arg(list, mode_t) : 0;
    va_end(list);
    return perform_open(AT_FDCWD, path, flags, mode);
}

FAULT_EXPORT int open64(const char *path, int flags, ...) {
    va_list list;
    va_start(list, flags);
    mode_t mode = (flags & O_CREAT) || (flags & O_TMPFILE) == O_TMPFILE ? va_arg(list, mode_t) : 0;
    va_end(list);
    return perform_open(AT_FDCWD, path, flags, mode);
}

FAULT_EXPORT int openat(int directory, const char *path, int flags, ...) {
    va_list list;
    va_start(list, flags);
    mode_t mode = (flags & O_CREAT) || (flags & O_TMPFILE) == O_TMPFILE ? va_arg(list, mode_t) : 0;
    va_end(list);
    return perform_open(directory, path, flags, mode);
}

FAULT_EXPORT int openat64(int directory, const char *path, int flags, ...) {
    va_list list;
    va_start(list, flags);
    mode_t mode = (flags & O_CREAT) || (flags & O_TMPFILE) == O_TMPFILE ? va_arg(list, mode_t) : 0;
    va_end(list);
    return perform_open(directory, path, flags, mode);
}

// A hardened build calls this function for an open without a mode.
FAULT_EXPORT int __open_2(const char *path, int flags) { return perform_open(AT_FDCWD, path, flags, 0); }
FAULT_EXPORT int __open64_2(const char *path, int flags) { return perform_open(AT_FDCWD, path, flags, 0); }
FAULT_EXPORT int __openat_2(int directory, const char *path, int flags) {
    return perform_open(directory, path, flags, 0);
}
FAULT_EXPORT int __openat64_2(int directory, const char *path, int flags) {
    return perform_open(directory, path, flags, 0);
}

FAULT_EXPORT int creat(const char *path, mode_t mode) {
    return perform_open(AT_FDCWD, path, O_WRONLY | O_CREAT | O_TRUNC, mode);
}

FAULT_EXPORT int creat64(const char *path, mode_t mode) { return creat(path, mode); }

FAULT_EXPORT int close(int descriptor) {
    fault_forget(descriptor);
    return (int)syscall(SYS_close, descriptor);
}

FAULT_EXPORT int dup(int descriptor) {
    int copy = (int)syscall(SYS_dup, descriptor);
    fault_forget(copy);
    return copy;
}

FAULT_EXPORT int dup2(int descriptor, int copy) {
    // For equal numbers, the kernel's dup3 fails, but dup2 only checks the descriptor.
    if (descriptor == copy) return fcntl(descriptor, F_GETFD) < 0 ? -1 : copy;
    fault_forget(copy);
    return (int)syscall(SYS_dup3, descriptor, copy, 0);
}

FAULT_EXPORT int dup3(int descriptor, int copy, int flags) {
    fault_forget(copy);
    return (int)syscall(SYS_dup3, descriptor, copy, flags);
}

FAULT_EXPORT int renameat2(int from_directory, const char *from, int to_directory, const char *to, unsigned flags) {
    if (!fault_is_active()) return (int)syscall(SYS_renameat2, from_directory, from, to_directory, to, flags);
    name_call call = {.kind = TIDELOG_FAULT_RENAME, .has_to = true};
    if (flags & RENAME_EXCHANGE) call.flags = TIDELOG_FAULT_EXCHANGE;
    fault_resolve(from_directory, from, &call.from);
    fault_resolve(to_directory, to, &call.to);
    int result = -1;
    if (name_begins(&call, FAULT_IS_WRITE)) {
        result = (int)syscall(SYS_renameat2, from_directory, from, to_directory, to, flags);
    }
    return name_ended(&call, result, NULL);
}

FAULT_EXPORT int rename(const char *from, const char *to) { return renameat2(AT_FDCWD, from, AT_FDCWD, to, 0); }

FAULT_EXPORT int renameat(int from_directory, const char *from, int to_directory, const char *to) {
    return renameat2(from_directory, from, to_directory, to, 0);
}

FAULT_EXPORT int linkat(int from_directory, const char *from, int to_directory, const char *to, int flags) {
    if (!fault_is_active()) return (int)syscall(SYS_linkat, from_directory, from, to_directory, to, flags);
    name_call call = {.kind = TIDELOG_FAULT_LINK, .has_to = true};
    fault_resolve(from_directory, from, &call.from);
    fault_resolve(to_directory, to, &call.to);
    int result = -1;
    if (name_begins(&call, FAULT_IS_WRITE)) {
        result = (int)syscall(SYS_linkat, from_directory, from, to_directory, to, flags);
    }
    return name_ended(&call, result, NULL);
}

FAULT_EXPORT int link(const char *from, const char *to) { return linkat(AT_FDCWD, from, AT_FDCWD, to, 0); }

FAULT_EXPORT int unlinkat(int directory, const char *path, int flags) {
    if (!fault_is_active()) return (int)syscall(SYS_unlinkat, directory, path, flags);
    name_call call = {.kind = flags & AT_REMOVEDIR ? TIDELOG_FAULT_REMOVE_DIRECTORY : TIDELOG_FAULT_UNLINK};
    fault_resolve(directory, path, &call.from);
    int result = -1;
    if (name_begins(&call, FAULT_IS_WRITE | FAULT_FREES_SPACE)) {
        result = (int)syscall(SYS_unlinkat, directory, path, flags);
    }
    return name_ended(&call, result, NULL);
}

FAULT_EXPORT int unlink(const char *path) { return unlinkat(AT_FDCWD, path, 0); }
FAULT_EXPORT int rmdir(const char *path) { return unlinkat(AT_FDCWD, path, AT_REMOVEDIR); }

FAULT_EXPORT int remove(const char *path) {
    int result = unlink(path);
    return result != 0 && errno == EISDIR ? rmdir(path) : result;
}

FAULT_EXPORT int mkdirat(int directory, const char *path, mode_t mode) {
    if (!fault_is_active()) return (int)syscall(SYS_mkdirat, directory, path, mode);
    name_call call = {.kind = TIDELOG_FAULT_MAKE_DIRECTORY};
    fault_resolve(directory, path, &call.from);
    int result = -1;
    if (name_begins(&call, FAULT_IS_WRITE)) result = (int)syscall(SYS_mkdirat, directory, path, mode);
    return name_ended(&call, result, NULL);
}

FAULT_EXPORT int mkdir(const char *path, mode_t mode) { return mkdirat(AT_FDCWD, path, mode); }
#endif
