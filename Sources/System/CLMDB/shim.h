#include <lmdb.h>

// `statfs` is missing from Swift's Glibc and Musl modules.
#if defined(__linux__)
#include <sys/vfs.h>
#endif
