// Encodes a post as a row and decodes it again in C, with the same bytes as Tidelog. The `codec` workload compares
// this.
#pragma once
#include "baselines.h"

// The texts of a post in the order of the row. The rating comes after the third text.
typedef enum baseline_codec_text {
    BASELINE_CODEC_ID = 0,
    BASELINE_CODEC_TITLE,
    BASELINE_CODEC_CONTENT,
    BASELINE_CODEC_STATUS,
    BASELINE_CODEC_CREATED_AT,
    BASELINE_CODEC_UPDATED_AT,
    BASELINE_CODEC_TEXT_COUNT,
} baseline_codec_text;

// A post that points to its texts.
typedef struct baseline_codec_post {
    int64_t rating;
    baseline_text texts[BASELINE_CODEC_TEXT_COUNT];
} baseline_codec_post;

// Bytes that the caller owns. They are filled from the start.
typedef struct baseline_codec_buffer {
    uint8_t *bytes;
    size_t capacity;
    size_t count;
} baseline_codec_buffer;

// Encodes `count` posts as rows, one after the other, and writes the end of each row into `ends`. Returns
// BASELINE_CAPACITY if a row does not fit into the buffer, or if an end in a row does not fit into two bytes.
baseline_status baseline_codec_encode(
    const baseline_codec_post *posts, size_t count, baseline_codec_buffer *rows, size_t *ends);

// Decodes `count` rows, which end at `ends`, into posts. The texts are copied into `texts`, one after the other.
// Returns BASELINE_LAYOUT if the bytes are not a row, if a field is missing, or if a field reaches beyond the end of
// the row.
baseline_status baseline_codec_decode(
    const uint8_t *rows, const size_t *ends, size_t count, baseline_codec_post *posts, baseline_codec_buffer *texts);
