// CRC-32C (Castagnoli, polynomial 0x1EDC6F41 reflected; RFC 3720 appendix B.4).
#pragma once
#include <stddef.h>
#include <stdint.h>

// The CRC-32C of `length` bytes. It continues from `crc`, which is 0 at the start. Uses the processor's instruction if
// there is one.
uint32_t tidelog_crc32c(uint32_t crc, const void *bytes, size_t length);

// A run of bytes and its CRC-32C.
typedef struct tidelog_crc32c_run {
    const void *bytes;
    size_t length;
    uint32_t crc;
} tidelog_crc32c_run;

// Computes the CRC-32C of each of three runs. This is quicker than three separate calls: the processor's instruction
// takes three cycles, but a new one can begin in each cycle.
void tidelog_crc32c_three(tidelog_crc32c_run *first, tidelog_crc32c_run *second, tidelog_crc32c_run *third);
