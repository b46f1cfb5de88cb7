#pragma once
#include <fcntl.h>
#include <spawn.h>
#include <unistd.h>

// Makes a started program inherit only its standard files.

#if defined(__linux__)
// The C library declares these two functions only for GNU sources.
int pipe2(int ends[2], int flags);
int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *actions, int from);

static inline int tidelog_pipe(int *ends) { return pipe2(ends, O_CLOEXEC); }

static inline int tidelog_inherit_standard_files(
    posix_spawn_file_actions_t *actions, posix_spawnattr_t *attributes, short flags) {
    int status = posix_spawnattr_setflags(attributes, flags);
    return status != 0 ? status : posix_spawn_file_actions_addclosefrom_np(actions, 3);
}
#else
static inline int tidelog_pipe(int *ends) {
    int status = pipe(ends);
    if (status == 0) {
        fcntl(ends[0], F_SETFD, FD_CLOEXEC);
        fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    }
    return status;
}

static inline int tidelog_inherit_standard_files(
    posix_spawn_file_actions_t *actions, posix_spawnattr_t *attributes, short flags) {
    int status = posix_spawnattr_setflags(attributes, flags | POSIX_SPAWN_CLOEXEC_DEFAULT);
    return status != 0 ? status : posix_spawn_file_actions_addinherit_np(actions, 2);
}
#endif
