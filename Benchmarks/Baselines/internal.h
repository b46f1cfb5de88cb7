// Declarations that the baselines share.
#pragma once
#include "baselines.h"

#include <string.h>
#include <time.h>

enum { BASELINE_MESSAGE_CAPACITY = 256 };

static inline uint64_t now_nanoseconds(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

// Times consecutive operations and reads the clock once for each. Without an array it does nothing.
typedef struct lap_timer {
    uint64_t *next;
    uint64_t last;
} lap_timer;

static inline lap_timer lap_timer_start(uint64_t *latencies) {
    return (lap_timer){.next = latencies, .last = latencies ? now_nanoseconds() : 0};
}

static inline void lap_timer_lap(lap_timer *timer) {
    if (!timer->next) return;
    uint64_t now = now_nanoseconds();
    *timer->next++ = now - timer->last;
    timer->last = now;
}

// MARK: - Numbers in bytes

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the baselines read little-endian rows in place");

static inline uint16_t load_u16(const uint8_t *bytes) {
    uint16_t value;
    memcpy(&value, bytes, sizeof value);
    return value;
}

static inline int64_t load_i64(const uint8_t *bytes) {
    int64_t value;
    memcpy(&value, bytes, sizeof value);
    return value;
}

static inline uint64_t load_big_endian(const uint8_t *bytes) {
    uint64_t value;
    memcpy(&value, bytes, sizeof value);
    return __builtin_bswap64(value);
}

static inline void store_big_endian(uint8_t *bytes, uint64_t value) {
    value = __builtin_bswap64(value);
    memcpy(bytes, &value, sizeof value);
}

// A rating as an unsigned number with the same order. The next function reverses this.
static inline uint64_t ordered_rating(int64_t rating) { return (uint64_t)rating ^ UINT64_C(1) << 63; }

// MARK: - Rows and posts (record.c)

// The rating of a row, found by the layout.
static inline baseline_status row_rating(
    const baseline_row_layout *layout, const uint8_t *row, size_t length, int64_t *rating) {
    if (length < (size_t)layout->rating_end_position + 2) return BASELINE_LAYOUT;
    size_t end = load_u16(row + layout->rating_end_position);
    if (end < 8 || end > length) return BASELINE_LAYOUT;
    *rating = load_i64(row + end - 8);
    return BASELINE_OK;
}

// Copies a row into a post. The whole row is copied at once, and the texts are ranges of the copy.
baseline_status post_from_row(
    baseline_post *post, const baseline_row_layout *layout, const uint8_t *key, int64_t rating, const uint8_t *row,
    size_t length);

// Begins a post whose texts are added one by one. `post_add_text` copies the next text after the earlier ones.
void post_begin(baseline_post *post);
baseline_status post_add_text(baseline_post *post, baseline_field field, const void *text, size_t length);

// The 16 bytes of a UUID of 36 characters. Returns false if the text is not a UUID.
bool key_from_identifier(uint8_t *key, const uint8_t *identifier, size_t length);

// MARK: - Order (order.c)

// An entry to sort by the rating, and then by the key as two big-endian numbers. `position` identifies the record.
typedef struct order_entry {
    uint64_t words[3];                          // ordered rating, key's first half, key's second half
    uint32_t position;
    uint32_t tag;
} order_entry;

enum { ORDER_RATING = 0, ORDER_KEY = 1, ORDER_KEY_WORDS = 2 };

// Sorts by `word_count` words from `first_word`, the most significant word first. The sort is stable. Entries that are
// in the order of their keys and are then sorted by the rating alone therefore end in the order (rating, key).
// `scratch` must have room for `count` entries.
void order_sort(order_entry *entries, order_entry *scratch, size_t count, unsigned first_word, unsigned word_count);

// Two arrays that grow to the size of the largest batch and are reused.
typedef struct order_buffer {
    order_entry *entries;
    order_entry *scratch;
    size_t capacity;
} order_buffer;

baseline_status order_reserve(order_buffer *buffer, size_t capacity);
void order_free(order_buffer *buffer);

// Fills the buffer with the ratings and the keys of the records, sorted by key.
baseline_status order_records(order_buffer *buffer, const baseline_record *records, size_t count);
