#include "checksum.h"
#include <string.h>

#if defined(__x86_64__)
#include <nmmintrin.h>

__attribute__((target("sse4.2"))) static uint32_t crc_hardware(uint32_t crc, const uint8_t *bytes, size_t length) {
    uint64_t state = crc;
    while (length >= 8) {
        uint64_t word;
        memcpy(&word, bytes, 8);
        state = _mm_crc32_u64(state, word);
        bytes += 8;
        length -= 8;
    }
    while (length-- > 0) state = _mm_crc32_u8((uint32_t)state, *bytes++);
    return (uint32_t)state;
}

static int has_hardware(void) { return __builtin_cpu_supports("sse4.2"); }

#elif defined(__aarch64__) && defined(__ARM_FEATURE_CRC32)
#include <arm_acle.h>

static uint32_t crc_hardware(uint32_t crc, const uint8_t *bytes, size_t length) {
    while (length >= 8) {
        uint64_t word;
        memcpy(&word, bytes, 8);
        crc = __crc32cd(crc, word);
        bytes += 8;
        length -= 8;
    }
    while (length-- > 0) crc = __crc32cb(crc, *bytes++);
    return crc;
}

static int has_hardware(void) { return 1; }

#else
static uint32_t crc_hardware(uint32_t crc, const uint8_t *bytes, size_t length) {
    (void)bytes;
    (void)length;
    return crc;
}

static int has_hardware(void) { return 0; }
#endif

// One bit at a time: right everywhere, used only where the processor has no instruction for it.
static uint32_t crc_portable(uint32_t crc, const uint8_t *bytes, size_t length) {
    while (length-- > 0) {
        crc ^= *bytes++;
        for (int bit = 0; bit < 8; bit++) crc = (crc >> 1) ^ (0x82F63B78u & (0u - (crc & 1u)));
    }
    return crc;
}

uint32_t tidelog_crc32c(uint32_t crc, const void *bytes, size_t length) {
    crc = ~crc;
    crc = has_hardware() ? crc_hardware(crc, bytes, length) : crc_portable(crc, bytes, length);
    return ~crc;
}
