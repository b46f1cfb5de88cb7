// Declarations of the C libraries that are missing from Swift's modules, and a hint to the processor.
#pragma once

#if defined(__linux__)
// `statfs` is missing from Swift's Glibc and Musl modules.
#include <sys/vfs.h>

// Swift's modules also lack `fallocate`, which the C library declares only for GNU sources.
#include <sys/types.h>
int fallocate(int file, int mode, off_t offset, off_t length);
static inline int tidelog_allocate(int file, long long length) { return fallocate(file, 0, 0, (off_t)length); }
#endif

// Asks the processor to read bytes, so that several places are on their way from memory at once.
static inline void tidelog_prefetch(const void *bytes, long count) {
    for (long offset = 0; offset < count; offset += 64) __builtin_prefetch((const char *)bytes + offset);
}
