// Calls of Linux that the C library does not declare for Swift: about the volume of a file, and its direct writes.
#pragma once
#include <stdbool.h>
#include <stdint.h>

// The number of the mount of `path`. Until the next start of the system, the kernel uses no number twice. The result is
// 0 if the number is not available, which is so before Linux 6.8 and on other systems.
uint64_t tidelog_mount_number(const char *path);

// Whether the volume of `path` exists only in memory, so that its contents are lost when it is unmounted.
bool tidelog_is_volume_in_memory(const char *path);

// Makes writes of an open file go from the caller's memory to the device (`O_DIRECT`), or through the system's memory
// again. Returns false if the file system cannot do it.
bool tidelog_set_direct(int file, bool is_direct);
