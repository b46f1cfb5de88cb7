// `O_DIRECT` is declared only for GNU sources.
#define _GNU_SOURCE
#include "mount.h"

#if defined(__linux__)

#include <fcntl.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

// The layout of the kernel's answer to `statx`. The declaration in the C library depends on its age and on the
// age of the headers.
struct answer {
    uint32_t mask;
    uint8_t before[140];
    uint64_t mount_number;
    uint8_t after[104];
};

_Static_assert(sizeof(struct answer) == 256 && offsetof(struct answer, mount_number) == 144, "as in linux/stat.h");

enum { MOUNT_NUMBER_UNIQUE = 0x4000, CURRENT_DIRECTORY = -100 };

uint64_t tidelog_mount_number(const char *path) {
    struct answer answer = {0};
    if (syscall(SYS_statx, CURRENT_DIRECTORY, path, 0, MOUNT_NUMBER_UNIQUE, &answer) != 0) return 0;
    return answer.mask & MOUNT_NUMBER_UNIQUE ? answer.mount_number : 0;
}

bool tidelog_is_volume_in_memory(const char *path) {
    struct statfs volume;
    if (statfs(path, &volume) != 0) return false;
    return (uint32_t)volume.f_type == 0x01021994 || (uint32_t)volume.f_type == 0x858458f6; // tmpfs, ramfs
}

bool tidelog_set_direct(int file, bool is_direct) {
    int flags = fcntl(file, F_GETFL);
    return flags >= 0 && fcntl(file, F_SETFL, is_direct ? flags | O_DIRECT : flags & ~O_DIRECT) == 0;
}

#else

uint64_t tidelog_mount_number(const char *path) { return 0; }
bool tidelog_is_volume_in_memory(const char *path) { return false; }
bool tidelog_set_direct(int file, bool is_direct) { return !is_direct; }

#endif
