// Interposed stdio calls on stdout. Inside the C library, stdio calls its own write, which cannot be interposed. Lines
// therefore count as acknowledgements when the program passes them to stdio, which is before any other process can read
// them.
#if defined(__linux__)
#include "fault_state.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

// Declares `next`, the function of that name in the C library.
#define NEXT(name)                  \
    static __typeof__(&name) next;  \
    if (!next) next = (__typeof__(&name))dlsym(RTLD_NEXT, #name)

static void follow(FILE *stream, const void *bytes, size_t count) {
    if (stream != stdout || !fault_is_active()) return;
    struct iovec part = {(void *)bytes, count};
    fault_acknowledge(&part, 1);
}

FAULT_EXPORT size_t fwrite(const void *bytes, size_t size, size_t count, FILE *stream) {
    NEXT(fwrite);
    follow(stream, bytes, size * count);
    return next(bytes, size, count, stream);
}

FAULT_EXPORT int fputs(const char *text, FILE *stream) {
    NEXT(fputs);
    follow(stream, text, strlen(text));
    return next(text, stream);
}

FAULT_EXPORT int fputc(int character, FILE *stream) {
    NEXT(fputc);
    char byte = (char)character;
    follow(stream, &byte, 1);
    return next(character, stream);
}

#undef putc
FAULT_EXPORT int putc(int character, FILE *stream) { return fputc(character, stream); }

FAULT_EXPORT int puts(const char *text) {
    NEXT(puts);
    follow(stdout, text, strlen(text));
    follow(stdout, "\n", 1);
    return next(text);
}
#endif
