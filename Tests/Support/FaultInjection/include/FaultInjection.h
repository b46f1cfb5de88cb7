// A library to preload (LD_PRELOAD) into a program under test, on Linux. It records the changes that the program makes
// to the files below one directory. It can also kill the program at a chosen call, make a chosen call fail, or skip
// syncs. The library has no functions to call. Environment variables control it.
//
//   TIDELOG_FAULT_ROOT              directory whose files count; without it the library does nothing
//   TIDELOG_FAULT_TRACE             file that the trace is appended to; it must be outside of the root
//   TIDELOG_FAULT_COUNT             file of two 64-bit counters, write-type calls and sync-type calls, always up to date
//   TIDELOG_FAULT_ACKNOWLEDGEMENTS  a path; lines written to it count as acknowledgements, as lines on stdout do
//   TIDELOG_FAULT_KILL_AT           N: SIGKILL at the N-th write-type call, counted from 1
//   TIDELOG_FAULT_KILL_MODE         before (default) | after | torn (only the first bytes are written) |
//                                   stop (SIGSTOP before the call, which is carried out after SIGCONT)
//   TIDELOG_FAULT_TORN_BYTES        how many bytes of a torn write are written, 512 by default
//   TIDELOG_FAULT_FAIL              ENOSPC | EIO | EDQUOT | a number: the errno of the failing call
//   TIDELOG_FAULT_FAIL_AT           N: the N-th call fails, counted from 1
//   TIDELOG_FAULT_FAIL_CALLS        write (default) | sync: which calls N counts
//   TIDELOG_FAULT_FAIL_STICKY       1: every call from the N-th on fails
//   TIDELOG_FAULT_SKIP_SYNC         1: syncs return success, do nothing, and are recorded as skipped
//   TIDELOG_FAULT_LMDB_VERSION      1.0.1, for example: the version that LMDB reports; needs no root
//
// Write-type calls are writes and every change of names and sizes; sync-type calls are fsync, fdatasync, msync,
// sync_file_range, syncfs, sync and writes through an O_SYNC or O_DSYNC descriptor, which are write-type too.
// Calls that free space (unlink, rmdir) never fail with ENOSPC or EDQUOT.
//
// The library cannot see bytes that are stored through a shared mapping, bytes that stdio writes to files (only stdout
// is followed), io_uring, and direct system calls. It records that a shared mapping exists, so that a reader of the
// trace can refuse it.
#pragma once
#include <stdint.h>

// The kinds of trace records. Paths are relative to the root, and "" is the root. A path outside of it starts with "/".
enum tidelog_fault_kind {
    TIDELOG_FAULT_OPEN = 1,        // a file seen for the first time through this descriptor; payload: path
    TIDELOG_FAULT_CREATE = 2,      // payload: path
    TIDELOG_FAULT_WRITE = 3,       // offset; payload: the bytes written
    TIDELOG_FAULT_TRUNCATE = 4,    // offset: the new size
    TIDELOG_FAULT_ALLOCATE = 5,    // offset; payload: 64-bit length, 64-bit fallocate mode
    TIDELOG_FAULT_SYNC_BEGAN = 6,  // payload: path of a directory, or nothing
    TIDELOG_FAULT_SYNC_ENDED = 7,  // offset: index of the record with which the sync began
    TIDELOG_FAULT_RENAME = 8,      // payload: from, NUL, to
    TIDELOG_FAULT_LINK = 9,        // payload: from, NUL, to
    TIDELOG_FAULT_UNLINK = 10,     // payload: path
    TIDELOG_FAULT_MAKE_DIRECTORY = 11,
    TIDELOG_FAULT_REMOVE_DIRECTORY = 12,
    TIDELOG_FAULT_ACKNOWLEDGE = 13,     // payload: a line without its end
    TIDELOG_FAULT_SHARED_MAPPING = 14,  // a shared writable mapping of a file
    TIDELOG_FAULT_KILLED = 15,          // the library is about to kill the process
};

enum tidelog_fault_flag {
    TIDELOG_FAULT_SELF_SYNCED = 1,  // written through O_SYNC or O_DSYNC
    TIDELOG_FAULT_SKIPPED = 2,      // a sync that was left out
    TIDELOG_FAULT_FAILED = 4,       // the call failed with `error`; nothing was changed
    TIDELOG_FAULT_EVERYTHING = 8,   // a sync of the whole file system
    TIDELOG_FAULT_PARTIAL = 16,     // a sync that makes nothing durable (sync_file_range, msync)
    TIDELOG_FAULT_EXCHANGE = 32,    // a rename that exchanged both names
    TIDELOG_FAULT_DIRECTORY = 64,   // a sync of a directory
};

// The head of a record, 56 bytes, little-endian; the payload follows.
struct tidelog_fault_record {
    uint32_t magic;  // "TFLT"
    uint16_t kind;
    uint16_t flags;
    uint32_t process;
    uint32_t error;
    uint64_t index;  // counted per process, from 0
    uint64_t device;
    uint64_t inode;
    uint64_t offset;
    uint32_t payload_length;
    uint32_t reserved;
};
