#include "allocation_counter.h"

#include <stdlib.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define ALLOCATION_COUNTER_SANITIZED 1
#endif
#endif

#if defined(__GLIBC__) && !defined(ALLOCATION_COUNTER_SANITIZED)
#include <errno.h>

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

static _Thread_local uint64_t blocks;

void *malloc(size_t size) {
    blocks++;
    return __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
    blocks++;
    return __libc_calloc(count, size);
}

void *realloc(void *block, size_t size) {
    blocks++;
    return __libc_realloc(block, size);
}

void *memalign(size_t alignment, size_t size) {
    blocks++;
    return __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
    blocks++;
    return __libc_memalign(alignment, size);
}

int posix_memalign(void **result, size_t alignment, size_t size) {
    if (alignment % sizeof(void *) != 0 || (alignment & (alignment - 1)) != 0) return EINVAL;
    int before = errno;
    void *block = aligned_alloc(alignment, size);
    errno = before;
    if (!block) return ENOMEM;
    *result = block;
    return 0;
}

uint64_t allocation_counter_blocks(void) { return blocks; }
#else
uint64_t allocation_counter_blocks(void) { return 0; }
#endif

bool allocation_counter_works(void) {
    uint64_t before = allocation_counter_blocks();
    void *volatile block = malloc(1);           // Without volatile, the compiler may remove both calls.
    free(block);
    return allocation_counter_blocks() > before;
}
