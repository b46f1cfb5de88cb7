// Interposed calls that make bytes or names durable.
#if defined(__linux__)
#include "fault_state.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

typedef struct {
    int flags;
    fault_descriptor file;
    char path[PATH_MAX];
    uint64_t began;
    bool counts;
} sync_call;

// Returns whether to carry the sync out. If not, the interposed call returns `result` and errno. The lock is not held
// while the sync runs. Data that other threads write during that time is not covered, and the records show this.
static bool sync_begins(sync_call *call, int *result) {
    fault_verdict verdict = fault_judge(FAULT_IS_SYNC);
    call->began = fault_record_text(TIDELOG_FAULT_SYNC_BEGAN, call->flags, 0, &call->file, call->path);
    if (verdict != FAULT_REFUSE && !fault_skips_syncs()) return true;
    bool refused = verdict == FAULT_REFUSE;
    int outcome = call->flags | (refused ? TIDELOG_FAULT_FAILED : TIDELOG_FAULT_SKIPPED);
    int error = refused ? fault_error() : 0;
    fault_record(TIDELOG_FAULT_SYNC_ENDED, outcome, error, &call->file, call->began, NULL, 0, 0);
    *result = refused ? -1 : 0;
    if (refused) errno = error;
    return false;
}

static void sync_ended(sync_call *call, int result) {
    int saved = errno;
    int flags = call->flags | (result == 0 ? 0 : TIDELOG_FAULT_FAILED);
    fault_lock();
    fault_record(TIDELOG_FAULT_SYNC_ENDED, flags, result == 0 ? 0 : saved, &call->file, call->began, NULL, 0, 0);
    fault_unlock();
    errno = saved;
}

// Begins the sync of the file of a descriptor, if the file is below the root.
static bool descriptor_sync_begins(int descriptor, sync_call *call, int *result) {
    fault_lock();
    call->file = fault_describe(descriptor);
    call->counts = call->file.place == FAULT_INSIDE;
    call->path[0] = 0;
    bool runs = true;
    if (call->counts) {
        if (call->file.is_directory && fault_path_of(descriptor, call->path)) call->flags |= TIDELOG_FAULT_DIRECTORY;
        runs = sync_begins(call, result);
    }
    int saved = errno;
    fault_unlock();
    errno = saved;
    return runs;
}

static int perform_sync(int descriptor, long number) {
    if (!fault_is_active()) return (int)syscall(number, descriptor);
    sync_call call = {.flags = 0};
    int result = 0;
    if (!descriptor_sync_begins(descriptor, &call, &result)) return result;
    result = (int)syscall(number, descriptor);
    if (call.counts) sync_ended(&call, result);
    return result;
}

FAULT_EXPORT int fsync(int descriptor) { return perform_sync(descriptor, SYS_fsync); }
FAULT_EXPORT int fdatasync(int descriptor) { return perform_sync(descriptor, SYS_fdatasync); }

// The call starts writing or waits for it, but flushes neither metadata nor the drive. It therefore covers nothing.
FAULT_EXPORT int sync_file_range(int descriptor, off64_t offset, off64_t count, unsigned flags) {
    if (!fault_is_active()) return (int)syscall(SYS_sync_file_range, descriptor, offset, count, flags);
    sync_call call = {.flags = TIDELOG_FAULT_PARTIAL};
    int result = 0;
    if (!descriptor_sync_begins(descriptor, &call, &result)) return result;
    result = (int)syscall(SYS_sync_file_range, descriptor, offset, count, flags);
    if (call.counts) sync_ended(&call, result);
    return result;
}

static bool unbound_sync_begins(sync_call *call, int *result) {
    call->file = (fault_descriptor){.place = FAULT_OUTSIDE};
    call->path[0] = 0;
    fault_lock();
    bool runs = sync_begins(call, result);
    int saved = errno;
    fault_unlock();
    errno = saved;
    return runs;
}

// The trace does not contain bytes that were stored through a mapping, so a sync of the mapping covers nothing in it.
FAULT_EXPORT int msync(void *address, size_t length, int flags) {
    if (!fault_is_active() || !(flags & MS_SYNC)) return (int)syscall(SYS_msync, address, length, flags);
    sync_call call = {.flags = TIDELOG_FAULT_PARTIAL};
    int result = 0;
    if (!unbound_sync_begins(&call, &result)) return result;
    result = (int)syscall(SYS_msync, address, length, flags);
    sync_ended(&call, result);
    return result;
}

FAULT_EXPORT int syncfs(int descriptor) {
    if (!fault_is_active()) return (int)syscall(SYS_syncfs, descriptor);
    sync_call call = {.flags = TIDELOG_FAULT_EVERYTHING};
    int result = 0;
    if (!unbound_sync_begins(&call, &result)) return result;
    result = (int)syscall(SYS_syncfs, descriptor);
    sync_ended(&call, result);
    return result;
}

FAULT_EXPORT void sync(void) {
    sync_call call = {.flags = TIDELOG_FAULT_EVERYTHING};
    int result = 0;
    bool active = fault_is_active();
    if (active && !unbound_sync_begins(&call, &result)) return;
    syscall(SYS_sync);
    if (active) sync_ended(&call, 0);
}

// Stores through a shared mapping cannot be recorded, but the mapping itself is recorded.
FAULT_EXPORT void *mmap(void *address, size_t length, int protection, int flags, int descriptor, off_t offset) {
    if (descriptor >= 0 && (flags & MAP_SHARED) && (protection & PROT_WRITE) && fault_is_active()) {
        fault_lock();
        fault_descriptor file = fault_describe(descriptor);
        if (file.place == FAULT_INSIDE) {
            fault_record(TIDELOG_FAULT_SHARED_MAPPING, 0, 0, &file, (uint64_t)offset, NULL, 0, 0);
        }
        fault_unlock();
    }
    return (void *)syscall(SYS_mmap, address, length, protection, flags, descriptor, (long)offset);
}

FAULT_EXPORT void *mmap64(void *address, size_t length, int protection, int flags, int descriptor, off64_t offset) {
    return mmap(address, length, protection, flags, descriptor, (off_t)offset);
}
#endif
