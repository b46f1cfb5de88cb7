// The declarations that the interposed calls share: settings, the lock, counters, descriptors, and the trace.
#pragma once
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>

#include "FaultInjection.h"

#define FAULT_EXPORT __attribute__((visibility("default")))

enum { FAULT_IS_WRITE = 1, FAULT_IS_SYNC = 2, FAULT_FREES_SPACE = 4 };

typedef enum { FAULT_RUN, FAULT_REFUSE, FAULT_TEAR, FAULT_RUN_THEN_KILL } fault_verdict;

typedef enum { FAULT_UNKNOWN, FAULT_OUTSIDE, FAULT_INSIDE, FAULT_ACKNOWLEDGES } fault_place;

typedef struct {
    fault_place place;
    dev_t device;
    ino_t inode;
    off_t size;
    bool is_directory;
    bool appends;
    bool self_synced;
} fault_descriptor;

typedef struct {
    char path[PATH_MAX];  // relative to the root, or absolute
    bool inside;
} fault_name;

// Whether a root is set. The first call reads the settings.
bool fault_is_active(void);
bool fault_skips_syncs(void);
size_t fault_torn_bytes(void);
int fault_error(void);

void fault_lock(void);
void fault_unlock(void);

// Counts a call and decides about it. If the plan kills or stops the process before the call, this function does so.
fault_verdict fault_judge(unsigned class);
void fault_kill(void);

// Describes the file of a descriptor. If the file is outside of the root, only `place` is meaningful.
fault_descriptor fault_describe(int descriptor);
void fault_forget(int descriptor);

// The path of `path` with its parent's symbolic links resolved.
void fault_resolve(int directory, const char *path, fault_name *name);
bool fault_path_of(int descriptor, char path[PATH_MAX]);

// Appends a record and returns its index. `parts` hold at least `length` bytes.
uint64_t fault_record(
    int kind, int flags, int error, const fault_descriptor *file, uint64_t offset, const struct iovec *parts, int count,
    size_t length);
uint64_t fault_record_text(int kind, int flags, int error, const fault_descriptor *file, const char *text);
bool fault_is_tracing(void);
void fault_open_trace(const char *path);

// Looks for acknowledgements in bytes that are written to stdout or to the acknowledgement path. Takes the lock itself.
void fault_acknowledge(const struct iovec *parts, int count);
