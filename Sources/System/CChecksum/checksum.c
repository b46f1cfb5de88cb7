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

__attribute__((target("sse4.2"))) static size_t crc_hardware_three(
    uint32_t states[3], const uint8_t *const bytes[3], size_t length) {
    const uint8_t *first = bytes[0], *second = bytes[1], *third = bytes[2];
    uint64_t a = states[0], b = states[1], c = states[2];
    size_t at = 0;
    for (; at + 8 <= length; at += 8) {
        uint64_t words[3];
        memcpy(&words[0], first + at, 8);
        memcpy(&words[1], second + at, 8);
        memcpy(&words[2], third + at, 8);
        a = _mm_crc32_u64(a, words[0]);
        b = _mm_crc32_u64(b, words[1]);
        c = _mm_crc32_u64(c, words[2]);
    }
    states[0] = (uint32_t)a;
    states[1] = (uint32_t)b;
    states[2] = (uint32_t)c;
    return at;
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

static size_t crc_hardware_three(uint32_t states[3], const uint8_t *const bytes[3], size_t length) {
    size_t at = 0;
    for (; at + 8 <= length; at += 8) {
        for (int lane = 0; lane < 3; lane++) {
            uint64_t word;
            memcpy(&word, bytes[lane] + at, 8);
            states[lane] = __crc32cd(states[lane], word);
        }
    }
    return at;
}

static int has_hardware(void) { return 1; }

#else
static uint32_t crc_hardware(uint32_t crc, const uint8_t *bytes, size_t length) {
    (void)bytes;
    (void)length;
    return crc;
}

static size_t crc_hardware_three(uint32_t states[3], const uint8_t *const bytes[3], size_t length) {
    (void)states;
    (void)bytes;
    (void)length;
    return 0;
}

static int has_hardware(void) { return 0; }
#endif

// Computes one bit at a time. This works on every processor, but is used only if the processor has no instruction for
// it.
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

void tidelog_crc32c_three(tidelog_crc32c_run *first, tidelog_crc32c_run *second, tidelog_crc32c_run *third) {
    tidelog_crc32c_run *const runs[3] = {first, second, third};
    const uint8_t *bytes[3];
    uint32_t states[3];
    size_t common = first->length;
    for (int lane = 0; lane < 3; lane++) {
        bytes[lane] = runs[lane]->bytes;
        states[lane] = ~(uint32_t)0;
        if (runs[lane]->length < common) common = runs[lane]->length;
    }
    // The three runs are computed together up to the length of the shortest. The rest of each run is computed
    // separately.
    size_t done = has_hardware() ? crc_hardware_three(states, bytes, common) : 0;
    for (int lane = 0; lane < 3; lane++) {
        runs[lane]->crc = tidelog_crc32c(~states[lane], bytes[lane] + done, runs[lane]->length - done);
    }
}
