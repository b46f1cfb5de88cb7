// What the process costs, as the kernel counts it.
#include "internal.h"

#if defined(__linux__)
#include <fcntl.h>
#include <malloc.h>
#include <stdio.h>
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

// What is resident and no file's: much cheaper to ask for than the same number of /proc/self/status.
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

baseline_status baseline_device_bytes(uint64_t *bytes) {
    uint64_t written = 0, cancelled = 0;
    *bytes = 0;
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

baseline_status baseline_device_bytes(uint64_t *bytes) {
    *bytes = 0;
    return BASELINE_UNSUPPORTED;
}
#endif
