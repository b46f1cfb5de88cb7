// The trace: records in the order in which the calls took effect, appended to one file.
#if defined(__linux__)
#include "fault_state.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { RECORD_MAGIC = 0x544C4654, HIGH_DESCRIPTOR = 900, LINE_LENGTH = 16384 };

static int trace = -1;
static uint64_t next_index;
static char line[LINE_LENGTH];
static size_t line_length;

bool fault_is_tracing(void) { return trace >= 0; }

// The descriptor gets a high number, so that the program gets the same descriptor numbers as without this library.
void fault_open_trace(const char *path) {
    int opened = (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (opened < 0) return;
    trace = fcntl(opened, F_DUPFD_CLOEXEC, HIGH_DESCRIPTOR);
    if (trace < 0) trace = opened;
    else syscall(SYS_close, opened);
}

// A trace with a missing record would prove nothing, so the process ends.
static void give_up(void) {
    static const char text[] = "fault injection: the trace cannot be written\n";
    syscall(SYS_write, 2, text, sizeof text - 1);
    _exit(97);
}

uint64_t fault_record(
    int kind, int flags, int error, const fault_descriptor *file, uint64_t offset, const struct iovec *parts, int count,
    size_t length) {
    uint64_t index = next_index++;
    if (trace < 0) return index;
    struct tidelog_fault_record head = {
        .magic = RECORD_MAGIC, .kind = (uint16_t)kind, .flags = (uint16_t)flags, .process = (uint32_t)getpid(),
        .error = (uint32_t)error, .index = index, .device = file ? file->device : 0, .inode = file ? file->inode : 0,
        .offset = offset, .payload_length = (uint32_t)length,
    };
    struct iovec all[IOV_MAX + 1];
    int used = 0;
    all[used++] = (struct iovec){&head, sizeof head};
    size_t left = length;
    for (int i = 0; i < count && left > 0; i++) {
        size_t size = parts[i].iov_len < left ? parts[i].iov_len : left;
        if (size == 0) continue;
        // The vector is full, so the parts that it holds are written first. The lock keeps the record in one piece.
        if (used == IOV_MAX) {
            size_t gathered = 0;
            for (int k = 0; k < used; k++) gathered += all[k].iov_len;
            if (syscall(SYS_writev, trace, all, used) != (long)gathered) give_up();
            used = 0;
        }
        all[used++] = (struct iovec){parts[i].iov_base, size};
        left -= size;
    }
    size_t gathered = 0;
    for (int k = 0; k < used; k++) gathered += all[k].iov_len;
    if (syscall(SYS_writev, trace, all, used) != (long)gathered) give_up();
    return index;
}

uint64_t fault_record_text(int kind, int flags, int error, const fault_descriptor *file, const char *text) {
    struct iovec part = {(void *)text, strlen(text)};
    return fault_record(kind, flags, error, file, 0, &part, 1, part.iov_len);
}

void fault_acknowledge(const struct iovec *parts, int count) {
    if (trace < 0) return;
    int saved = errno;
    fault_lock();
    for (int i = 0; i < count; i++) {
        const char *bytes = parts[i].iov_base;
        for (size_t k = 0; k < parts[i].iov_len; k++) {
            if (bytes[k] != '\n') {
                if (line_length < LINE_LENGTH) line[line_length++] = bytes[k];
                continue;
            }
            struct iovec whole = {line, line_length};
            fault_record(TIDELOG_FAULT_ACKNOWLEDGE, 0, 0, NULL, 0, &whole, 1, line_length);
            line_length = 0;
        }
    }
    fault_unlock();
    errno = saved;
}
#endif
