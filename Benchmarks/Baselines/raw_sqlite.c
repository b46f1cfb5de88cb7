// Raw SQLite: opening, closing, writing.
#include "raw_sqlite.h"

#include <stdio.h>
#include <stdlib.h>

static const char schema[] =
    "CREATE TABLE IF NOT EXISTS log (sequence INTEGER PRIMARY KEY, event BLOB NOT NULL);"
    "CREATE TABLE IF NOT EXISTS post ("
    " number INTEGER PRIMARY KEY, id BLOB NOT NULL UNIQUE, title TEXT NOT NULL, content TEXT NOT NULL,"
    " rating INTEGER NOT NULL, status TEXT NOT NULL, createdAt TEXT NOT NULL, updatedAt TEXT NOT NULL);"
    "CREATE INDEX IF NOT EXISTS post_rating ON post (rating);";

#define COLUMNS "id, title, content, rating, status, createdAt, updatedAt"

// The statements of the context, in the order of `sqlite_statement`.
static const char *const statements[STATEMENT_COUNT] = {
    [STATEMENT_BEGIN] = "BEGIN IMMEDIATE",
    [STATEMENT_COMMIT] = "COMMIT",
    [STATEMENT_ROLLBACK] = "ROLLBACK",
    [STATEMENT_APPEND] = "INSERT INTO log (sequence, event) VALUES (?1, ?2)",
    [STATEMENT_UPSERT] =
        "INSERT INTO post (" COLUMNS ") VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)"
        " ON CONFLICT (id) DO UPDATE SET title = excluded.title, content = excluded.content,"
        " rating = excluded.rating, status = excluded.status, createdAt = excluded.createdAt,"
        " updatedAt = excluded.updatedAt",
    [STATEMENT_READ] = "SELECT " COLUMNS " FROM post WHERE id = ?1",
    [STATEMENT_SCAN] = "SELECT " COLUMNS " FROM post NOT INDEXED WHERE rating < ?1",
    [STATEMENT_RANGE] = "SELECT " COLUMNS " FROM post WHERE rating >= ?1 ORDER BY rating LIMIT ?2",
};

baseline_status sqlite_fail(baseline_sqlite *context, baseline_status status, const char *what) {
    snprintf(context->message, sizeof context->message, "%s", what);
    return status;
}

baseline_status sqlite_code(baseline_sqlite *context, int code, const char *what) {
    if (code == SQLITE_OK || code == SQLITE_DONE || code == SQLITE_ROW) return BASELINE_OK;
    const char *reason = context->connection ? sqlite3_errmsg(context->connection) : sqlite3_errstr(code);
    snprintf(context->message, sizeof context->message, "%s: %s", what, reason);
    return code == SQLITE_NOMEM ? BASELINE_OUT_OF_MEMORY : BASELINE_STORAGE;
}

// MARK: - Opening and closing

static int set_pragmas(sqlite3 *connection, baseline_durability durability) {
    static const char *const synchronous[] = {
        [BASELINE_FULL] = "PRAGMA synchronous = FULL",
        [BASELINE_RELAXED] = "PRAGMA synchronous = NORMAL",
        [BASELINE_UNSYNCED] = "PRAGMA synchronous = OFF",
    };
    int code = sqlite3_exec(connection, "PRAGMA journal_mode = WAL", NULL, NULL, NULL);
    if (!code) code = sqlite3_exec(connection, synchronous[durability], NULL, NULL, NULL);
    if (!code) code = sqlite3_exec(connection, "PRAGMA cache_size = -262144", NULL, NULL, NULL);
    if (!code) code = sqlite3_exec(connection, "PRAGMA wal_autocheckpoint = 10000", NULL, NULL, NULL);
    if (!code) code = sqlite3_exec(connection, "PRAGMA mmap_size = 4294967296", NULL, NULL, NULL);
    return code;
}

// Finds the sequence number after the log's last event.
static int find_head(baseline_sqlite *context) {
    sqlite3_stmt *statement = NULL;
    int code = sqlite3_prepare_v2(
        context->connection, "SELECT coalesce(max(sequence), 0) + 1 FROM log", -1, &statement, NULL);
    if (!code && sqlite3_step(statement) == SQLITE_ROW) context->next_sequence = sqlite3_column_int64(statement, 0);
    int finished = sqlite3_finalize(statement);
    return code ? code : finished;
}

baseline_status baseline_sqlite_open(const char *path, baseline_durability durability, baseline_sqlite **result) {
    baseline_sqlite *context = calloc(1, sizeof *context);
    *result = context;
    if (!context) return BASELINE_OUT_OF_MEMORY;
    int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;
    int code = sqlite3_open_v2(path, &context->connection, flags, NULL);
    if (!code) code = set_pragmas(context->connection, durability);
    if (!code) code = sqlite3_exec(context->connection, schema, NULL, NULL, NULL);
    for (int index = 0; !code && index < STATEMENT_COUNT; index++) {
        code = sqlite3_prepare_v3(
            context->connection, statements[index], -1, SQLITE_PREPARE_PERSISTENT, &context->statements[index], NULL);
    }
    if (!code) code = find_head(context);
    return sqlite_code(context, code, "open");
}

void baseline_sqlite_close(baseline_sqlite *context) {
    if (!context) return;
    for (int index = 0; index < STATEMENT_COUNT; index++) sqlite3_finalize(context->statements[index]);
    sqlite3_close(context->connection);
    order_free(&context->order);
    free(context);
}

const char *baseline_sqlite_message(const baseline_sqlite *context) {
    return context ? context->message : "out of memory";
}

const char *baseline_sqlite_version(void) { return sqlite3_libversion(); }

baseline_status baseline_sqlite_checkpoint(baseline_sqlite *context) {
    int code = sqlite3_wal_checkpoint_v2(context->connection, NULL, SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL);
    return sqlite_code(context, code, "checkpoint");
}

static int count_rows(sqlite3 *connection, const char *sql, uint64_t *count) {
    sqlite3_stmt *statement = NULL;
    int code = sqlite3_prepare_v2(connection, sql, -1, &statement, NULL);
    if (!code && sqlite3_step(statement) == SQLITE_ROW) *count = (uint64_t)sqlite3_column_int64(statement, 0);
    int finished = sqlite3_finalize(statement);
    return code ? code : finished;
}

baseline_status baseline_sqlite_counts(baseline_sqlite *context, baseline_counts *counts) {
    *counts = (baseline_counts){0};
    int code = count_rows(context->connection, "SELECT count(*) FROM log", &counts->log);
    if (!code) code = count_rows(context->connection, "SELECT count(*) FROM post", &counts->table);
    return sqlite_code(context, code, "count");
}

// MARK: - Writing

// Runs a statement that returns no rows, and resets it.
static int run(baseline_sqlite *context, sqlite_statement which) {
    sqlite3_stmt *statement = context->statements[which];
    int code = sqlite3_step(statement);
    int reset = sqlite3_reset(statement);
    return code == SQLITE_DONE ? reset : code;
}

static int bind_text(sqlite3_stmt *statement, int parameter, baseline_text text) {
    return sqlite3_bind_text(statement, parameter, (const char *)text.bytes, (int)text.length, SQLITE_STATIC);
}

static int append_events(baseline_sqlite *context, const baseline_record *records, size_t count) {
    sqlite3_stmt *statement = context->statements[STATEMENT_APPEND];
    int code = SQLITE_OK;
    for (size_t index = 0; !code && index < count; index++) {
        const baseline_record *record = &records[index];
        code = sqlite3_bind_int64(statement, 1, context->next_sequence++);
        if (!code) code = sqlite3_bind_blob(statement, 2, record->event, (int)record->event_length, SQLITE_STATIC);
        if (!code) code = run(context, STATEMENT_APPEND);
    }
    return code;
}

static int upsert(baseline_sqlite *context, const baseline_record *record) {
    sqlite3_stmt *statement = context->statements[STATEMENT_UPSERT];
    int code = sqlite3_bind_blob(statement, 1, record->key, sizeof record->key, SQLITE_STATIC);
    if (!code) code = bind_text(statement, 2, record->texts[BASELINE_TITLE]);
    if (!code) code = bind_text(statement, 3, record->texts[BASELINE_CONTENT]);
    if (!code) code = sqlite3_bind_int64(statement, 4, record->rating);
    if (!code) code = bind_text(statement, 5, record->texts[BASELINE_STATUS_FIELD]);
    if (!code) code = bind_text(statement, 6, record->texts[BASELINE_CREATED_AT]);
    if (!code) code = bind_text(statement, 7, record->texts[BASELINE_UPDATED_AT]);
    return code ? code : run(context, STATEMENT_UPSERT);
}

baseline_status sqlite_write_batch(
    baseline_sqlite *context, const baseline_record *records, size_t count, bool with_rows) {
    baseline_status status = with_rows ? order_records(&context->order, records, count) : BASELINE_OK;
    if (status != BASELINE_OK) return sqlite_fail(context, status, "save: out of memory");
    sqlite3_int64 first_sequence = context->next_sequence;
    int code = run(context, STATEMENT_BEGIN);
    if (code) return sqlite_code(context, code, "begin");
    code = append_events(context, records, count);
    for (size_t at = 0; with_rows && !code && at < count; at++) {
        code = upsert(context, &records[context->order.entries[at].position]);
    }
    if (!code) code = run(context, STATEMENT_COMMIT);
    if (!code) return BASELINE_OK;
    status = sqlite_code(context, code, "save");
    run(context, STATEMENT_ROLLBACK);
    context->next_sequence = first_sequence;
    return status;
}

static baseline_status write_batches(
    baseline_sqlite *context, const baseline_record *records, size_t count, size_t batch, uint64_t *latencies,
    bool with_rows) {
    if (batch == 0) return sqlite_fail(context, BASELINE_MISUSE, "a batch holds at least one record");
    lap_timer timer = lap_timer_start(latencies);
    for (size_t first = 0; first < count; first += batch) {
        size_t size = count - first < batch ? count - first : batch;
        baseline_status status = sqlite_write_batch(context, records + first, size, with_rows);
        if (status != BASELINE_OK) return status;
        lap_timer_lap(&timer);
    }
    return BASELINE_OK;
}

baseline_status baseline_sqlite_append(
    baseline_sqlite *context, const baseline_record *records, size_t count, size_t batch, uint64_t *latencies) {
    return write_batches(context, records, count, batch, latencies, false);
}

baseline_status baseline_sqlite_save(
    baseline_sqlite *context, const baseline_record *records, size_t count, size_t batch, uint64_t *latencies) {
    return write_batches(context, records, count, batch, latencies, true);
}
