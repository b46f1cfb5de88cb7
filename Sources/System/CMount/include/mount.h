// Information from Linux about the volume of a file.
#pragma once
#include <stdbool.h>
#include <stdint.h>

// The number of the mount of `path`. Until the next start of the system, the kernel uses no number twice. The result is
// 0 if the number is not available, which is so before Linux 6.8 and on other systems.
uint64_t tidelog_mount_number(const char *path);

// Whether the volume of `path` exists only in memory, so that its contents are lost when it is unmounted.
bool tidelog_is_volume_in_memory(const char *path);
