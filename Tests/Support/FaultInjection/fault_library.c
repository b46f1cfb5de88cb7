// Makes the LMDB library report another version.
#if defined(__linux__)
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

typedef char *version_function(int *major, int *minor, int *patch);

version_function mdb_version;

char *mdb_version(int *major, int *minor, int *patch) {
    const char *text = getenv("TIDELOG_FAULT_LMDB_VERSION");
    if (!text) {
        version_function *next = (version_function *)dlsym(RTLD_NEXT, "mdb_version");
        return next(major, minor, patch);
    }
    int found[3] = {0, 0, 0};
    sscanf(text, "%d.%d.%d", &found[0], &found[1], &found[2]);
    if (major) *major = found[0];
    if (minor) *minor = found[1];
    if (patch) *patch = found[2];
    return (char *)"LMDB";
}
#endif
