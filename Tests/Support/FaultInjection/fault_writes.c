// Interposed calls that change a file's bytes or size.
#if defined(__linux__)
#include "fault_state.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/sendfile.h>
#include <sys/syscall.h>
#include <unistd.h>

typedef struct {
    const struct iovec *parts;
    int count;
    bool positioned;
    off_t offset;
    int flags;
} write_call;

static ssize_t run_write(int descriptor, const write_call *call) {
    if (call->flags) {
        long offset = call->positioned ? (long)call->offset : -1L;
        return syscall(SYS_pwritev2, descriptor, call->parts, call->count, offset, 0L, call->flags);
    }
    if (call->positioned) {
        return syscall(SYS_pwritev, descriptor, call->parts, call->count, (long)call->offset, 0L);
    }
    return syscall(SYS_writev, descriptor, call->parts, call->count);
}

// Writes at most `limit` bytes of the call, from its start.
static ssize_t run_torn_write(int descriptor, const write_call *call, size_t limit) {
    size_t done = 0;
    for (int i = 0; i < call->count && done < limit; i++) {
        size_t size = call->parts[i].iov_len < limit - done ? call->parts[i].iov_len : limit - done;
        long written = call->positioned
            ? syscall(SYS_pwrite64, descriptor, call->parts[i].iov_base, size, (long)call->offset + (long)done)
            : syscall(SYS_write, descriptor, call->parts[i].iov_base, size);
        if (written <= 0) break;
        done += (size_t)written;
    }
    return (ssize_t)done;
}

static ssize_t perform_write(int descriptor, const write_call *call) {
    // Writes to standard error pass without the lock, because a signal handler may write there while the lock is held.
    if (descriptor == STDERR_FILENO || !fault_is_active()) return run_write(descriptor, call);
    if (descriptor == STDOUT_FILENO) {
        fault_acknowledge(call->parts, call->count);
        return run_write(descriptor, call);
    }
    fault_lock();
    fault_descriptor file = fault_describe(descriptor);
    if (file.place != FAULT_INSIDE) {
        fault_unlock();
        // The line is recorded before other processes can see its bytes, so an acknowledgement is never recorded too
        // late.
        if (file.place == FAULT_ACKNOWLEDGES) fault_acknowledge(call->parts, call->count);
        return run_write(descriptor, call);
    }
    bool self_synced = file.self_synced || (call->flags & (RWF_SYNC | RWF_DSYNC));
    off_t offset = call->offset;
    if (file.appends || (call->flags & RWF_APPEND)) offset = file.size;
    else if (!call->positioned) offset = lseek(descriptor, 0, SEEK_CUR);

    int flags = !self_synced ? 0 : TIDELOG_FAULT_SELF_SYNCED | (fault_skips_syncs() ? TIDELOG_FAULT_SKIPPED : 0);
    fault_verdict verdict = fault_judge(FAULT_IS_WRITE | (self_synced ? FAULT_IS_SYNC : 0));
    ssize_t result = -1;
    if (verdict == FAULT_REFUSE) errno = fault_error();
    else if (verdict == FAULT_TEAR) result = run_torn_write(descriptor, call, fault_torn_bytes());
    else result = run_write(descriptor, call);
    int saved = errno;
    if (result >= 0) {
        fault_record(
            TIDELOG_FAULT_WRITE, flags, 0, &file, (uint64_t)offset, call->parts, call->count, (size_t)result);
    } else {
        fault_record(TIDELOG_FAULT_WRITE, flags | TIDELOG_FAULT_FAILED, saved, &file, (uint64_t)offset, NULL, 0, 0);
    }
    if (verdict == FAULT_TEAR || verdict == FAULT_RUN_THEN_KILL) fault_kill();
    fault_unlock();
    errno = saved;
    return result;
}

FAULT_EXPORT ssize_t write(int descriptor, const void *bytes, size_t count) {
    struct iovec part = {(void *)bytes, count};
    return perform_write(descriptor, &(write_call){.parts = &part, .count = 1});
}

FAULT_EXPORT ssize_t writev(int descriptor, const struct iovec *parts, int count) {
    return perform_write(descriptor, &(write_call){.parts = parts, .count = count});
}

FAULT_EXPORT ssize_t pwrite(int descriptor, const void *bytes, size_t count, off_t offset) {
    struct iovec part = {(void *)bytes, count};
    return perform_write(descriptor, &(write_call){.parts = &part, .count = 1, .positioned = true, .offset = offset});
}

FAULT_EXPORT ssize_t pwrite64(int descriptor, const void *bytes, size_t count, off64_t offset) {
    return pwrite(descriptor, bytes, count, (off_t)offset);
}

FAULT_EXPORT ssize_t pwritev(int descriptor, const struct iovec *parts, int count, off_t offset) {
    return perform_write(
        descriptor, &(write_call){.parts = parts, .count = count, .positioned = true, .offset = offset});
}

FAULT_EXPORT ssize_t pwritev64(int descriptor, const struct iovec *parts, int count, off64_t offset) {
    return pwritev(descriptor, parts, count, (off_t)offset);
}

FAULT_EXPORT ssize_t pwritev2(int descriptor, const struct iovec *parts, int count, off_t offset, int flags) {
    return perform_write(
        descriptor,
        &(write_call){
            .parts = parts, .count = count, .positioned = offset != -1, .offset = offset, .flags = flags});
}

FAULT_EXPORT ssize_t pwritev64v2(int descriptor, const struct iovec *parts, int count, off64_t offset, int flags) {
    return pwritev2(descriptor, parts, count, (off_t)offset, flags);
}

// A change of size without bytes. `mode` is the mode of fallocate.
static int perform_resize(int descriptor, bool allocates, int mode, off_t offset, off_t length) {
    bool active = fault_is_active();
    fault_descriptor file = {.place = FAULT_OUTSIDE};
    fault_verdict verdict = FAULT_RUN;
    if (active) {
        fault_lock();
        file = fault_describe(descriptor);
        if (file.place == FAULT_INSIDE) verdict = fault_judge(FAULT_IS_WRITE);
    }
    // A change of size happens whole or not at all, so a torn one does not happen.
    if (verdict == FAULT_TEAR) fault_kill();
    int result = -1;
    if (verdict == FAULT_REFUSE) errno = fault_error();
    else if (allocates) result = (int)syscall(SYS_fallocate, descriptor, mode, (long)offset, (long)length);
    else result = (int)syscall(SYS_ftruncate, descriptor, (long)offset);
    int saved = errno;
    if (file.place == FAULT_INSIDE) {
        uint64_t numbers[2] = {(uint64_t)length, (uint64_t)mode};
        struct iovec part = {numbers, sizeof numbers};
        fault_record(
            allocates ? TIDELOG_FAULT_ALLOCATE : TIDELOG_FAULT_TRUNCATE, result == 0 ? 0 : TIDELOG_FAULT_FAILED,
            result == 0 ? 0 : saved, &file, (uint64_t)offset, &part, 1, allocates ? sizeof numbers : 0);
        if (verdict == FAULT_RUN_THEN_KILL) fault_kill();
    }
    if (active) fault_unlock();
    errno = saved;
    return result;
}

FAULT_EXPORT int ftruncate(int descriptor, off_t size) { return perform_resize(descriptor, false, 0, size, 0); }
FAULT_EXPORT int ftruncate64(int descriptor, off64_t size) { return perform_resize(descriptor, false, 0, size, 0); }

FAULT_EXPORT int truncate(const char *path, off_t size) {
    int descriptor = (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CLOEXEC, 0);
    if (descriptor < 0) return -1;
    fault_forget(descriptor);
    int result = perform_resize(descriptor, false, 0, size, 0);
    int saved = errno;
    fault_forget(descriptor);
    syscall(SYS_close, descriptor);
    errno = saved;
    return result;
}

FAULT_EXPORT int truncate64(const char *path, off64_t size) { return truncate(path, (off_t)size); }

FAULT_EXPORT int fallocate(int descriptor, int mode, off_t offset, off_t length) {
    return perform_resize(descriptor, true, mode, offset, length);
}

FAULT_EXPORT int fallocate64(int descriptor, int mode, off64_t offset, off64_t length) {
    return perform_resize(descriptor, true, mode, offset, length);
}

// This function returns the error instead of setting errno.
FAULT_EXPORT int posix_fallocate(int descriptor, off_t offset, off_t length) {
    int saved = errno;
    int error = perform_resize(descriptor, true, 0, offset, length) == 0 ? 0 : errno;
    errno = saved;
    return error;
}

FAULT_EXPORT int posix_fallocate64(int descriptor, off64_t offset, off64_t length) {
    return posix_fallocate(descriptor, offset, length);
}

// Whether a copy inside the kernel would go unrecorded.
static bool hides_copy(int descriptor) {
    if (!fault_is_active()) return false;
    fault_lock();
    bool inside = fault_describe(descriptor).place == FAULT_INSIDE;
    fault_unlock();
    return inside;
}

// Copies through a buffer and the ordinary write, so that the bytes are recorded.
static ssize_t copy_by_hand(int output, off_t *output_offset, int input, off_t *input_offset, size_t count) {
    char buffer[65536];
    size_t wanted = count < sizeof buffer ? count : sizeof buffer;
    ssize_t got = input_offset ? pread(input, buffer, wanted, *input_offset) : read(input, buffer, wanted);
    if (got <= 0) return got;
    size_t size = (size_t)got;
    ssize_t put = output_offset ? pwrite(output, buffer, size, *output_offset) : write(output, buffer, size);
    if (put < got && !input_offset) lseek(input, (put < 0 ? 0 : put) - got, SEEK_CUR);
    if (put > 0 && input_offset) *input_offset += put;
    if (put > 0 && output_offset) *output_offset += put;
    return put;
}

FAULT_EXPORT ssize_t sendfile(int output, int input, off_t *offset, size_t count) {
    if (hides_copy(output)) return copy_by_hand(output, NULL, input, offset, count);
    return syscall(SYS_sendfile, output, input, offset, count);
}

FAULT_EXPORT ssize_t sendfile64(int output, int input, off64_t *offset, size_t count) {
    return sendfile(output, input, (off_t *)offset, count);
}

FAULT_EXPORT ssize_t copy_file_range(
    int input, off64_t *input_offset, int output, off64_t *output_offset, size_t count, unsigned flags) {
    if (hides_copy(output)) {
        return copy_by_hand(output, (off_t *)output_offset, input, (off_t *)input_offset, count);
    }
    return syscall(SYS_copy_file_range, input, input_offset, output, output_offset, count, flags);
}
#endif
