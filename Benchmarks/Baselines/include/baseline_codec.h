// What it takes in C to write a post as a row and to read it again: the same bytes as Tidelog's, for the `codec` workload.
#pragma once
#include "baselines.h"

// The texts of a post as a row has them; the rating stands behind the third.
typedef enum baseline_codec_text {
    BASELINE_CODEC_ID = 0,
    BASELINE_CODEC_TITLE,
    BASELINE_CODEC_CONTENT,
    BASELINE_CODEC_STATUS,
    BASELINE_CODEC_CREATED_AT,
    BASELINE_CODEC_UPDATED_AT,
    BASELINE_CODEC_TEXT_COUNT,
} baseline_codec_text;

// A post whose texts stand elsewhere.
typedef struct baseline_codec_post {
    int64_t rating;
    baseline_text texts[BASELINE_CODEC_TEXT_COUNT];
} baseline_codec_post;

// Bytes that the caller owns, filled from the front.
typedef struct baseline_codec_buffer {
    uint8_t *bytes;
    size_t capacity;
    size_t count;
} baseline_codec_buffer;

// Writes `count` posts as rows, one behind the other; the ends of the rows in `rows` go into `ends`. BASELINE_CAPACITY
// where a row does not fit the buffer or its ends two bytes.
baseline_status baseline_codec_encode(
    const baseline_codec_post *posts, size_t count, baseline_codec_buffer *rows, size_t *ends);

// Reads `count` rows, which end at `ends`, into posts whose texts are copied into `texts`, one behind the other.
// BASELINE_LAYOUT where a row is none, misses a field or has one that reaches beyond its end.
baseline_status baseline_codec_decode(
    const uint8_t *rows, const size_t *ends, size_t count, baseline_codec_post *posts, baseline_codec_buffer *texts);
