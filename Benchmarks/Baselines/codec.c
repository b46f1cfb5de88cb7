// Encodes and decodes rows of posts (FORMATS, section 4) in C. A row has presence bits, two-byte ends, and the values.
#include "baseline_codec.h"
#include "internal.h"

enum {
    ROW_VERSION = 1,
    SLOT_COUNT = BASELINE_CODEC_TEXT_COUNT + 1,
    RATING_SLOT = 3,
    PRESENCE_POSITION = 4,
    TABLE_POSITION = PRESENCE_POSITION + (SLOT_COUNT + 7) / 8,
    VALUES_POSITION = TABLE_POSITION + 2 * SLOT_COUNT,
    ALL_PRESENT = (1 << SLOT_COUNT) - 1,
};

static inline void store_u16(uint8_t *bytes, uint16_t value) { memcpy(bytes, &value, sizeof value); }

static baseline_status encode_row(const baseline_codec_post *post, baseline_codec_buffer *rows) {
    size_t length = VALUES_POSITION + sizeof post->rating;
    for (int text = 0; text < BASELINE_CODEC_TEXT_COUNT; text++) length += post->texts[text].length;
    if (length > UINT16_MAX || length > rows->capacity - rows->count) return BASELINE_CAPACITY;
    uint8_t *row = rows->bytes + rows->count;
    store_u16(row, ROW_VERSION);
    store_u16(row + 2, SLOT_COUNT);
    row[PRESENCE_POSITION] = ALL_PRESENT;
    size_t end = VALUES_POSITION;
    for (int slot = 0, text = 0; slot < SLOT_COUNT; slot++) {
        if (slot == RATING_SLOT) {
            memcpy(row + end, &post->rating, sizeof post->rating);
            end += sizeof post->rating;
        } else {
            memcpy(row + end, post->texts[text].bytes, post->texts[text].length);
            end += post->texts[text++].length;
        }
        store_u16(row + TABLE_POSITION + 2 * slot, (uint16_t)end);
    }
    rows->count += end;
    return BASELINE_OK;
}

static baseline_status decode_row(
    const uint8_t *row, size_t length, baseline_codec_post *post, baseline_codec_buffer *texts) {
    if (length < VALUES_POSITION || load_u16(row) != ROW_VERSION || load_u16(row + 2) != SLOT_COUNT) {
        return BASELINE_LAYOUT;
    }
    size_t start = VALUES_POSITION;
    for (int slot = 0, text = 0; slot < SLOT_COUNT; slot++) {
        if (!(row[PRESENCE_POSITION] & 1 << slot)) return BASELINE_LAYOUT;
        size_t end = load_u16(row + TABLE_POSITION + 2 * slot);
        if (end < start || end > length) return BASELINE_LAYOUT;
        if (slot == RATING_SLOT) {
            if (end - start != sizeof post->rating) return BASELINE_LAYOUT;
            post->rating = load_i64(row + start);
        } else {
            if (end - start > texts->capacity - texts->count) return BASELINE_CAPACITY;
            uint8_t *copy = texts->bytes + texts->count;
            memcpy(copy, row + start, end - start);
            post->texts[text++] = (baseline_text){.bytes = copy, .length = (uint32_t)(end - start)};
            texts->count += end - start;
        }
        start = end;
    }
    return BASELINE_OK;
}

baseline_status baseline_codec_encode(
    const baseline_codec_post *posts, size_t count, baseline_codec_buffer *rows, size_t *ends) {
    rows->count = 0;
    for (size_t post = 0; post < count; post++) {
        baseline_status status = encode_row(&posts[post], rows);
        if (status != BASELINE_OK) return status;
        ends[post] = rows->count;
    }
    return BASELINE_OK;
}

baseline_status baseline_codec_decode(
    const uint8_t *rows, const size_t *ends, size_t count, baseline_codec_post *posts, baseline_codec_buffer *texts) {
    texts->count = 0;
    size_t start = 0;
    for (size_t post = 0; post < count; post++) {
        baseline_status status = decode_row(rows + start, ends[post] - start, &posts[post], texts);
        if (status != BASELINE_OK) return status;
        start = ends[post];
    }
    return BASELINE_OK;
}
