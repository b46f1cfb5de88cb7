// Counts the memory blocks that a thread allocates.
//
// With the GNU C library, the malloc, calloc, realloc and aligned variants of this target replace those of the library
// in every program that links the target. Each variant adds one to a counter of the calling thread and then calls the
// library's function. With any other library nothing is counted. Nothing is counted under sanitizers either, because
// they replace the same functions.
#pragma once
#include <stdbool.h>
#include <stdint.h>

// Whether allocations are counted in this program.
bool allocation_counter_works(void);

// How many blocks the calling thread has allocated so far, including freed ones; 0 if allocations are not counted.
uint64_t allocation_counter_blocks(void);
