// Counts the blocks of memory that a thread asks for.
//
// With the GNU C library this target's malloc, calloc, realloc and aligned variants take the place of the library's own
// in every program that links it: each adds one to a number of the calling thread and goes on to the library's. With
// other libraries, and under sanitizers (which do the same), nothing is counted.
#pragma once
#include <stdbool.h>
#include <stdint.h>

// Whether this program counts.
bool allocation_counter_works(void);

// How many blocks the calling thread has asked for so far, freed ones included; 0 where nothing counts.
uint64_t allocation_counter_blocks(void);
