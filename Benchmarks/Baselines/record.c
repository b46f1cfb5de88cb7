// Makes posts from rows and from columns, and reads them.
#include "internal.h"

baseline_text baseline_post_text(const baseline_post *post, baseline_field field) {
    return (baseline_text){.bytes = post->bytes + post->starts[field], .length = post->lengths[field]};
}

baseline_status post_from_row(
    baseline_post *post, const baseline_row_layout *layout, const uint8_t *key, int64_t rating, const uint8_t *row,
    size_t length) {
    if (length > BASELINE_POST_CAPACITY) return BASELINE_CAPACITY;
    memcpy(post->key, key, sizeof post->key);
    post->rating = rating;
    memcpy(post->bytes, row, length);
    for (int field = 0; field < BASELINE_TEXT_COUNT; field++) {
        baseline_slot slot = layout->texts[field];
        if (slot.end_position < 2 || length < (size_t)slot.end_position + 2) return BASELINE_LAYOUT;
        unsigned end = load_u16(row + slot.end_position);
        unsigned start = load_u16(row + slot.end_position - 2) + (unsigned)slot.skip;
        if (start > end || end > length) return BASELINE_LAYOUT;
        post->starts[field] = (uint16_t)start;
        post->lengths[field] = (uint16_t)(end - start);
    }
    return BASELINE_OK;
}

void post_begin(baseline_post *post) {
    memset(post->starts, 0, sizeof post->starts);
    memset(post->lengths, 0, sizeof post->lengths);
}

baseline_status post_add_text(baseline_post *post, baseline_field field, const void *text, size_t length) {
    size_t start = 0;
    for (int other = 0; other < BASELINE_TEXT_COUNT; other++) start += post->lengths[other];
    if (length > BASELINE_POST_CAPACITY - start) return BASELINE_CAPACITY;
    if (length > 0) memcpy(post->bytes + start, text, length);
    post->starts[field] = (uint16_t)start;
    post->lengths[field] = (uint16_t)length;
    return BASELINE_OK;
}

static int hexadecimal_digit(uint8_t character) {
    if (character >= '0' && character <= '9') return character - '0';
    if (character >= 'a' && character <= 'f') return character - 'a' + 10;
    if (character >= 'A' && character <= 'F') return character - 'A' + 10;
    return -1;
}

bool key_from_identifier(uint8_t *key, const uint8_t *identifier, size_t length) {
    if (length != 36) return false;
    size_t at = 0;
    for (size_t byte = 0; byte < 16; byte++) {
        if (at == 8 || at == 13 || at == 18 || at == 23) at++;
        int high = hexadecimal_digit(identifier[at]), low = hexadecimal_digit(identifier[at + 1]);
        if (high < 0 || low < 0) return false;
        key[byte] = (uint8_t)(high << 4 | low);
        at += 2;
    }
    return true;
}
