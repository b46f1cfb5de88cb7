// The costs of the process, from the kernel's counters.
#include "internal.h"

#if defined(__linux__)
#include <fcntl.h>
#include <malloc.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

// The first number after `name` at the start of a line of the file.
static baseline_status read_number(const char *path, const char *name, uint64_t *number) {
    FILE *file = fopen(path, "r");
    if (!file) return BASELINE_UNSUPPORTED;
    char line[256];
    unsigned long long value = 0;
    bool found = false;
    size_t length = strlen(name);
    while (!found && fgets(line, sizeof line, file)) {
        found = strncmp(line, name, length) == 0 && sscanf(line + length, "%llu", &value) == 1;
    }
    fclose(file);
    *number = value;
    return found ? BASELINE_OK : BASELINE_UNSUPPORTED;
}

// The resident memory that belongs to no file. This file is much cheaper to read than the same number in
// /proc/self/status.
baseline_status baseline_anonymous_bytes(uint64_t *bytes) {
    char text[128];
    unsigned long long resident = 0, shared = 0;
    *bytes = 0;
    int descriptor = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) return BASELINE_UNSUPPORTED;
    ssize_t length = read(descriptor, text, sizeof text - 1);
    close(descriptor);
    if (length <= 0) return BASELINE_UNSUPPORTED;
    text[length] = 0;
    if (sscanf(text, "%*u %llu %llu", &resident, &shared) != 2 || shared > resident) return BASELINE_UNSUPPORTED;
    *bytes = (resident - shared) * (uint64_t)sysconf(_SC_PAGESIZE);
    return BASELINE_OK;
}

void baseline_trim_memory(void) {
#if defined(__GLIBC__)
    malloc_trim(0);
#endif
}

// The bytes that the device of `path` has written since the system started. Unsupported if the file system has no
// device.
static baseline_status device_counter(const char *path, uint64_t *bytes) {
    struct stat status;
    if (stat(path, &status) != 0) return BASELINE_UNSUPPORTED;
    char name[64];
    snprintf(name, sizeof name, "/sys/dev/block/%u:%u/stat", major(status.st_dev), minor(status.st_dev));
    FILE *file = fopen(name, "re");
    if (file == NULL) return BASELINE_UNSUPPORTED;
    unsigned long long sectors = 0;
    // The fields are reads, merged, sectors, time, writes, merged, sectors. A sector counts 512 bytes on every device.
    int found = fscanf(file, "%*u %*u %*u %*u %*u %*u %llu", &sectors);
    fclose(file);
    if (found != 1) return BASELINE_UNSUPPORTED;
    *bytes = sectors * 512;
    return BASELINE_OK;
}

baseline_status baseline_device_bytes(const char *path, uint64_t *bytes) {
    uint64_t written = 0, cancelled = 0;
    *bytes = 0;
    if (device_counter(path, bytes) == BASELINE_OK) return BASELINE_OK;
    baseline_status status = read_number("/proc/self/io", "write_bytes:", &written);
    if (status == BASELINE_OK) status = read_number("/proc/self/io", "cancelled_write_bytes:", &cancelled);
    if (status == BASELINE_OK) *bytes = written > cancelled ? written - cancelled : 0;
    return status;
}
#else
baseline_status baseline_anonymous_bytes(uint64_t *bytes) {
    *bytes = 0;
    return BASELINE_UNSUPPORTED;
}

void baseline_trim_memory(void) {}

baseline_status baseline_device_bytes(const char *path, uint64_t *bytes) {
    (void)path;
    *bytes = 0;
    return BASELINE_UNSUPPORTED;
}
#endif
