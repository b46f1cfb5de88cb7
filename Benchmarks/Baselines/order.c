// A stable sort of keys. Few entries are sorted by insertion. More entries are sorted word by word, each word from its
// least significant digit. Digits that are equal in all entries are skipped.
#include "internal.h"

#include <stdlib.h>

enum { INSERTION_LIMIT = 64 };

static bool is_before(const order_entry *left, const order_entry *right, unsigned first_word, unsigned word_count) {
    for (unsigned word = first_word; word < first_word + word_count; word++) {
        if (left->words[word] != right->words[word]) return left->words[word] < right->words[word];
    }
    return false;
}

static void insertion_sort(order_entry *entries, size_t count, unsigned first_word, unsigned word_count) {
    for (size_t index = 1; index < count; index++) {
        order_entry entry = entries[index];
        size_t hole = index;
        while (hole > 0 && is_before(&entry, &entries[hole - 1], first_word, word_count)) {
            entries[hole] = entries[hole - 1];
            hole--;
        }
        entries[hole] = entry;
    }
}

// Sorts stably by one word.
static void radix_sort(order_entry *entries, order_entry *scratch, size_t count, unsigned word) {
    uint32_t counts[8][256] = {0};
    for (size_t index = 0; index < count; index++) {
        uint64_t value = entries[index].words[word];
        for (unsigned digit = 0; digit < 8; digit++) counts[digit][value >> 8 * digit & 255]++;
    }
    order_entry *from = entries, *to = scratch;
    for (unsigned digit = 0; digit < 8; digit++) {
        uint32_t *places = counts[digit], sum = 0;
        if (places[from[0].words[word] >> 8 * digit & 255] == count) continue;
        for (unsigned bucket = 0; bucket < 256; bucket++) {
            uint32_t size = places[bucket];
            places[bucket] = sum;
            sum += size;
        }
        for (size_t index = 0; index < count; index++) {
            to[places[from[index].words[word] >> 8 * digit & 255]++] = from[index];
        }
        order_entry *swap = from;
        from = to;
        to = swap;
    }
    if (from != entries) memcpy(entries, from, count * sizeof *entries);
}

void order_sort(order_entry *entries, order_entry *scratch, size_t count, unsigned first_word, unsigned word_count) {
    if (count <= INSERTION_LIMIT) {
        insertion_sort(entries, count, first_word, word_count);
        return;
    }
    radix_sort(entries, scratch, count, first_word);
    if (word_count == 1) return;
    // Entries that are equal in the first word are sorted by the next words. Random keys have no such entries.
    for (size_t start = 0, end; start < count; start = end) {
        end = start + 1;
        while (end < count && entries[end].words[first_word] == entries[start].words[first_word]) end++;
        if (end - start > 1) order_sort(entries + start, scratch, end - start, first_word + 1, word_count - 1);
    }
}

baseline_status order_reserve(order_buffer *buffer, size_t capacity) {
    if (capacity <= buffer->capacity) return BASELINE_OK;
    order_free(buffer);
    buffer->entries = malloc(capacity * sizeof *buffer->entries);
    buffer->scratch = malloc(capacity * sizeof *buffer->scratch);
    if (!buffer->entries || !buffer->scratch) {
        order_free(buffer);
        return BASELINE_OUT_OF_MEMORY;
    }
    buffer->capacity = capacity;
    return BASELINE_OK;
}

void order_free(order_buffer *buffer) {
    free(buffer->entries);
    free(buffer->scratch);
    *buffer = (order_buffer){0};
}

baseline_status order_records(order_buffer *buffer, const baseline_record *records, size_t count) {
    baseline_status status = order_reserve(buffer, count);
    if (status != BASELINE_OK) return status;
    for (size_t index = 0; index < count; index++) {
        const baseline_record *record = &records[index];
        buffer->entries[index] = (order_entry){
            .words = {ordered_rating(record->rating), load_big_endian(record->key), load_big_endian(record->key + 8)},
            .position = (uint32_t)index,
        };
    }
    order_sort(buffer->entries, buffer->scratch, count, ORDER_KEY, ORDER_KEY_WORDS);
    return BASELINE_OK;
}
