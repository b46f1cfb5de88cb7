// CRC-32C (Castagnoli, polynomial 0x1EDC6F41 reflected; RFC 3720 appendix B.4).
#pragma once
#include <stddef.h>
#include <stdint.h>

// The CRC-32C of `length` bytes, going on from `crc` (0 to start). Uses the processor's instruction where there is one.
uint32_t tidelog_crc32c(uint32_t crc, const void *bytes, size_t length);

// A run of bytes and its CRC-32C.
typedef struct tidelog_crc32c_run {
    const void *bytes;
    size_t length;
    uint32_t crc;
} tidelog_crc32c_run;

// Sets the CRC-32C of each of three runs. Quicker than one after the other: the processor's instruction takes three cycles,
// but one can begin in each.
void tidelog_crc32c_three(tidelog_crc32c_run *first, tidelog_crc32c_run *second, tidelog_crc32c_run *third);
