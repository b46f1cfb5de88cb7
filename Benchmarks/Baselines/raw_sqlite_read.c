// Raw SQLite: point reads, the scan, the index range, the mix.
#include "raw_sqlite.h"

// Copies the columns of the current row: id, title, content, rating, status, createdAt, updatedAt.
static baseline_status copy_columns(baseline_sqlite *context, sqlite3_stmt *statement, baseline_post *post) {
    static const struct {
        int column;
        baseline_field field;
    } texts[BASELINE_TEXT_COUNT] = {
        {1, BASELINE_TITLE}, {2, BASELINE_CONTENT}, {4, BASELINE_STATUS_FIELD}, {5, BASELINE_CREATED_AT},
        {6, BASELINE_UPDATED_AT},
    };
    const void *key = sqlite3_column_blob(statement, 0);
    if (sqlite3_column_bytes(statement, 0) != sizeof post->key) {
        return sqlite_fail(context, BASELINE_LAYOUT, "an id is not of 16 bytes");
    }
    post_begin(post);
    memcpy(post->key, key, sizeof post->key);
    post->rating = sqlite3_column_int64(statement, 3);
    for (int index = 0; index < BASELINE_TEXT_COUNT; index++) {
        const void *text = sqlite3_column_text(statement, texts[index].column);
        size_t length = (size_t)sqlite3_column_bytes(statement, texts[index].column);
        baseline_status status = post_add_text(post, texts[index].field, text, length);
        if (status != BASELINE_OK) return sqlite_fail(context, status, "a row does not fit a post");
    }
    return BASELINE_OK;
}

// Steps through the rows of the statement into `posts`, and resets the statement.
static baseline_status collect(
    baseline_sqlite *context, sqlite3_stmt *statement, baseline_post *posts, size_t capacity, size_t *found) {
    baseline_status status = BASELINE_OK;
    int code;
    *found = 0;
    while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
        if (*found == capacity) {
            status = sqlite_fail(context, BASELINE_CAPACITY, "more posts than room");
            break;
        }
        status = copy_columns(context, statement, &posts[*found]);
        if (status != BASELINE_OK) break;
        ++*found;
    }
    if (status == BASELINE_OK) status = sqlite_code(context, code, "query");
    sqlite3_reset(statement);
    return status;
}

static baseline_status read_one(baseline_sqlite *context, const uint8_t *key, baseline_post *post) {
    sqlite3_stmt *statement = context->statements[STATEMENT_READ];
    int code = sqlite3_bind_blob(statement, 1, key, sizeof post->key, SQLITE_STATIC);
    if (code) return sqlite_code(context, code, "read");
    code = sqlite3_step(statement);
    baseline_status status = BASELINE_OK;
    if (code == SQLITE_ROW) {
        status = copy_columns(context, statement, post);
    } else if (code == SQLITE_DONE) {
        status = sqlite_fail(context, BASELINE_NOT_FOUND, "read: no such record");
    } else {
        status = sqlite_code(context, code, "read");
    }
    sqlite3_reset(statement);
    return status;
}

baseline_status baseline_sqlite_read(
    baseline_sqlite *context, const uint8_t *keys, size_t count, baseline_post *post, uint64_t *latencies) {
    lap_timer timer = lap_timer_start(latencies);
    for (size_t index = 0; index < count; index++) {
        baseline_status status = read_one(context, keys + sizeof post->key * index, post);
        if (status != BASELINE_OK) return status;
        lap_timer_lap(&timer);
    }
    return BASELINE_OK;
}

baseline_status baseline_sqlite_scan(
    baseline_sqlite *context, int64_t bound, baseline_post *posts, size_t capacity, size_t *matched) {
    sqlite3_stmt *statement = context->statements[STATEMENT_SCAN];
    *matched = 0;
    int code = sqlite3_bind_int64(statement, 1, bound);
    if (code) return sqlite_code(context, code, "scan");
    return collect(context, statement, posts, capacity, matched);
}

baseline_status baseline_sqlite_range(
    baseline_sqlite *context, const int64_t *bounds, size_t count, size_t limit, baseline_post *posts, size_t *rows,
    uint64_t *latencies) {
    sqlite3_stmt *statement = context->statements[STATEMENT_RANGE];
    *rows = 0;
    lap_timer timer = lap_timer_start(latencies);
    for (size_t index = 0; index < count; index++) {
        size_t found = 0;
        int code = sqlite3_bind_int64(statement, 1, bounds[index]);
        if (!code) code = sqlite3_bind_int64(statement, 2, (sqlite3_int64)limit);
        if (code) return sqlite_code(context, code, "range");
        baseline_status status = collect(context, statement, posts, limit, &found);
        if (status != BASELINE_OK) return status;
        *rows += found;
        lap_timer_lap(&timer);
    }
    return BASELINE_OK;
}

baseline_status baseline_sqlite_mix(
    baseline_sqlite *context, const baseline_record *records, const baseline_operation *operations, size_t count,
    baseline_post *post, uint64_t *latencies) {
    lap_timer timer = lap_timer_start(latencies);
    for (size_t index = 0; index < count; index++) {
        const baseline_record *record = &records[operations[index].record];
        baseline_status status = operations[index].is_update ? sqlite_write_batch(context, record, 1, true)
                                                             : read_one(context, record->key, post);
        if (status != BASELINE_OK) return status;
        lap_timer_lap(&timer);
    }
    return BASELINE_OK;
}
