// Raw LMDB: point reads, the scan, the index range.
#include "raw_lmdb.h"

static baseline_status copy_row(baseline_lmdb *context, const uint8_t *key, MDB_val row, baseline_post *post) {
    int64_t rating = 0;
    baseline_status status = row_rating(&context->row_layout, row.mv_data, row.mv_size, &rating);
    if (status == BASELINE_OK) {
        status = post_from_row(post, &context->row_layout, key, rating, row.mv_data, row.mv_size);
    }
    return status == BASELINE_OK ? status : lmdb_fail(context, status, "a row does not fit its layout or the post");
}

baseline_status read_one(baseline_lmdb *context, const uint8_t *key_bytes, baseline_post *post) {
    MDB_val key = value_of(key_bytes, KEY_BYTES);
    MDB_val row;
    int code = mdb_get(context->reader, context->table, &key, &row);
    return code ? lmdb_code(context, code, "read") : copy_row(context, key_bytes, row, post);
}

baseline_status baseline_lmdb_read(
    baseline_lmdb *context, const uint8_t *keys, size_t count, baseline_post *post, uint64_t *latencies) {
    lap_timer timer = lap_timer_start(latencies);
    for (size_t index = 0; index < count; index++) {
        baseline_status status = reader_begin(context);
        if (status != BASELINE_OK) return status;
        status = read_one(context, keys + KEY_BYTES * index, post);
        reader_end(context);
        if (status != BASELINE_OK) return status;
        lap_timer_lap(&timer);
    }
    return BASELINE_OK;
}

// MARK: - Scan

static baseline_status scan_rows(
    baseline_lmdb *context, int64_t bound, baseline_post *posts, size_t capacity, size_t *matched) {
    MDB_cursor *cursor = context->table_reader;
    const baseline_row_layout *layout = &context->row_layout;
    MDB_val key, row;
    int code = mdb_cursor_renew(context->reader, cursor);
    if (!code) code = mdb_cursor_get(cursor, &key, &row, MDB_FIRST);
    for (; !code; code = mdb_cursor_get(cursor, &key, &row, MDB_NEXT)) {
        int64_t rating = 0;
        baseline_status status = row_rating(layout, row.mv_data, row.mv_size, &rating);
        if (status != BASELINE_OK) return lmdb_fail(context, status, "scan: a row does not fit its layout");
        if (rating >= bound) continue;
        if (*matched == capacity) return lmdb_fail(context, BASELINE_CAPACITY, "scan: more posts than room");
        status = post_from_row(&posts[*matched], layout, key.mv_data, rating, row.mv_data, row.mv_size);
        if (status != BASELINE_OK) return lmdb_fail(context, status, "scan: a row does not fit a post");
        ++*matched;
    }
    return code == MDB_NOTFOUND ? BASELINE_OK : lmdb_code(context, code, "scan");
}

baseline_status baseline_lmdb_scan(
    baseline_lmdb *context, int64_t bound, baseline_post *posts, size_t capacity, size_t *matched) {
    *matched = 0;
    baseline_status status = reader_begin(context);
    if (status != BASELINE_OK) return status;
    status = scan_rows(context, bound, posts, capacity, matched);
    reader_end(context);
    return status;
}

// MARK: - Index range

static baseline_status range_once(
    baseline_lmdb *context, int64_t bound, size_t limit, baseline_post *posts, size_t *found) {
    MDB_cursor *cursor = context->index_reader;
    uint8_t from[INDEX_KEY_BYTES] = {0};
    store_big_endian(from, ordered_rating(bound));
    MDB_val key = value_of(from, sizeof from);
    MDB_val nothing;
    *found = 0;
    int code = mdb_cursor_renew(context->reader, cursor);
    if (!code) code = mdb_cursor_get(cursor, &key, &nothing, MDB_SET_RANGE);
    while (!code && *found < limit) {
        const uint8_t *row_key = (const uint8_t *)key.mv_data + 8;
        baseline_status status = read_one(context, row_key, &posts[*found]);
        if (status != BASELINE_OK) return status;
        if (++*found < limit) code = mdb_cursor_get(cursor, &key, &nothing, MDB_NEXT);
    }
    return code == MDB_NOTFOUND ? BASELINE_OK : lmdb_code(context, code, "range");
}

baseline_status baseline_lmdb_range(
    baseline_lmdb *context, const int64_t *bounds, size_t count, size_t limit, baseline_post *posts, size_t *rows,
    uint64_t *latencies) {
    *rows = 0;
    lap_timer timer = lap_timer_start(latencies);
    for (size_t index = 0; index < count; index++) {
        size_t found = 0;
        baseline_status status = reader_begin(context);
        if (status != BASELINE_OK) return status;
        status = range_once(context, bounds[index], limit, posts, &found);
        reader_end(context);
        if (status != BASELINE_OK) return status;
        *rows += found;
        lap_timer_lap(&timer);
    }
    return BASELINE_OK;
}
