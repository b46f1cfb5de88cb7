// LMDB calls these functions instead of the system's, which it would otherwise use for two things only.
#undef sysconf
#undef fsync

#include <fcntl.h>
#include <unistd.h>

// The size of a page, which is all that LMDB asks for.
long tidelog_lmdb_sysconf(int name) {
#ifdef TIDELOG_LMDB_PAGE_SIZE
    (void)name;
    return TIDELOG_LMDB_PAGE_SIZE;
#else
    return sysconf(name);
#endif
}

// Writes a file to the device. On Apple's systems, this includes the device's cache.
int tidelog_lmdb_fsync(int file) {
#ifdef F_FULLFSYNC
    if (fcntl(file, F_FULLFSYNC) == 0) return 0;
#endif
    return fsync(file);
}
