// What Linux says of the volume that a file is on.
#pragma once
#include <stdbool.h>
#include <stdint.h>

// The number of the mount that `path` is on. The kernel gives none twice before it is started again. 0 where it does not say,
// which is before Linux 6.8 and on other systems.
uint64_t tidelog_mount_number(const char *path);

// Whether the volume that `path` is on is in memory alone, so that nothing of it is left once it is unmounted.
bool tidelog_is_volume_in_memory(const char *path);
