// CRC-32C (Castagnoli, polynomial 0x1EDC6F41 reflected; RFC 3720 appendix B.4).
#pragma once
#include <stddef.h>
#include <stdint.h>

// The CRC-32C of `length` bytes, going on from `crc` (0 to start). Uses the processor's instruction where there is one.
uint32_t tidelog_crc32c(uint32_t crc, const void *bytes, size_t length);
