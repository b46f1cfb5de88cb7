// The Amplify save path: opening, statements, steps 1 to 6, and the query by id.
#include "amplify_path.h"

#include <stdio.h>
#include <stdlib.h>

baseline_status amplify_fail(baseline_amplify *context, baseline_status status, const char *what) {
    snprintf(context->message, sizeof context->message, "%s", what);
    return status;
}

baseline_status amplify_code(baseline_amplify *context, int code, const char *what) {
    if (code == SQLITE_OK || code == SQLITE_DONE || code == SQLITE_ROW) return BASELINE_OK;
    const char *reason = context->connection ? sqlite3_errmsg(context->connection) : sqlite3_errstr(code);
    snprintf(context->message, sizeof context->message, "%s: %s", what, reason);
    return code == SQLITE_NOMEM ? BASELINE_OUT_OF_MEMORY : BASELINE_STORAGE;
}

// MARK: - Statements

baseline_status amplify_prepare(baseline_amplify *context, amplify_step step, sqlite3_stmt **statement) {
    size_t length = strlen(amplify_lines[step].text);
    char *sql = malloc(length + 1);             // Amplify builds each statement's text; this copies it
    if (!sql) return amplify_fail(context, BASELINE_OUT_OF_MEMORY, "out of memory");
    memcpy(sql, amplify_lines[step].text, length + 1);
    int code = sqlite3_prepare_v2(context->connection, sql, (int)length, statement, NULL);
    free(sql);
    return amplify_code(context, code, "prepare");
}

baseline_status amplify_run(baseline_amplify *context, sqlite3_stmt *statement, int code) {
    if (!code) {
        do code = sqlite3_step(statement); while (code == SQLITE_ROW);
    }
    baseline_status status = amplify_code(context, code, "step");
    sqlite3_finalize(statement);
    return status;
}

baseline_status amplify_execute(baseline_amplify *context, amplify_step step) {
    sqlite3_stmt *statement = NULL;
    baseline_status status = amplify_prepare(context, step, &statement);
    return status == BASELINE_OK ? amplify_run(context, statement, SQLITE_OK) : status;
}

int amplify_bind(sqlite3_stmt *statement, int parameter, const void *text, size_t length) {
    return sqlite3_bind_text(statement, parameter, text, (int)length, SQLITE_TRANSIENT);
}

baseline_status amplify_exists(
    baseline_amplify *context, amplify_step step, const void *identifier, size_t length, bool *exists) {
    sqlite3_stmt *statement = NULL;
    baseline_status status = amplify_prepare(context, step, &statement);
    if (status != BASELINE_OK) return status;
    int code = amplify_bind(statement, 1, identifier, length);
    if (!code) code = sqlite3_step(statement);
    if (code == SQLITE_ROW) *exists = sqlite3_column_int64(statement, 0) > 0;
    status = amplify_code(context, code, "exists");
    sqlite3_finalize(statement);
    return status;
}

static void column_to_json(json_text *rows, sqlite3_stmt *statement, int column) {
    const char *name = sqlite3_column_name(statement, column);
    switch (sqlite3_column_type(statement, column)) {
    case SQLITE_NULL:
        json_null_member(rows, name);
        break;
    case SQLITE_INTEGER:
        json_integer_member(rows, name, sqlite3_column_int64(statement, column));
        break;
    default: {
        const void *text = sqlite3_column_text(statement, column);
        json_string_member(rows, name, text, (size_t)sqlite3_column_bytes(statement, column));
    }
    }
}

baseline_status amplify_rows_to_json(baseline_amplify *context, sqlite3_stmt *statement, int code) {
    json_text *rows = &context->rows;
    json_clear(rows);
    json_begin_array(rows);
    if (!code) {
        while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
            json_begin_object(rows);
            int count = sqlite3_column_count(statement);
            for (int column = 0; column < count; column++) column_to_json(rows, statement, column);
            json_end_object(rows);
        }
    }
    json_end_array(rows);
    baseline_status status = amplify_code(context, code, "query");
    sqlite3_finalize(statement);
    if (status == BASELINE_OK && rows->failed) return amplify_fail(context, BASELINE_OUT_OF_MEMORY, "out of memory");
    return status;
}

// MARK: - Posts

// A post that is being decoded from JSON.
typedef struct post_decoding {
    baseline_post *post;
    size_t objects;
    baseline_status status;
} post_decoding;

static bool take_post_member(void *target, size_t object, const json_member *member) {
    static const char *const names[BASELINE_TEXT_COUNT] = {
        [BASELINE_TITLE] = "title", [BASELINE_CONTENT] = "content", [BASELINE_STATUS_FIELD] = "status",
        [BASELINE_CREATED_AT] = "createdAt", [BASELINE_UPDATED_AT] = "updatedAt",
    };
    post_decoding *decoding = target;
    decoding->objects = object + 1;
    if (json_name_is(member, "id")) {
        return key_from_identifier(decoding->post->key, (const uint8_t *)member->string, member->string_length);
    }
    if (json_name_is(member, "rating")) {
        decoding->post->rating = member->integer;
        return true;
    }
    for (int field = 0; field < BASELINE_TEXT_COUNT; field++) {
        if (!json_name_is(member, names[field])) continue;
        decoding->status =
            post_add_text(decoding->post, (baseline_field)field, member->string, member->string_length);
        return decoding->status == BASELINE_OK;
    }
    return true;
}

baseline_status amplify_read_post(
    baseline_amplify *context, amplify_step step, const void *identifier, size_t length, baseline_post *post) {
    sqlite3_stmt *statement = NULL;
    baseline_status status = amplify_prepare(context, step, &statement);
    if (status != BASELINE_OK) return status;
    status = amplify_rows_to_json(context, statement, amplify_bind(statement, 1, identifier, length));
    if (status != BASELINE_OK) return status;
    post_decoding decoding = {.post = post, .status = BASELINE_LAYOUT};
    post_begin(post);
    if (!json_parse_rows(&context->rows, take_post_member, &decoding)) {
        return amplify_fail(context, decoding.status, "a post does not come back from JSON");
    }
    return decoding.objects == 1 ? BASELINE_OK : amplify_fail(context, BASELINE_NOT_FOUND, "no such record");
}

baseline_status baseline_amplify_read(
    baseline_amplify *context, const uint8_t *identifiers, size_t count, baseline_post *post, uint64_t *latencies) {
    lap_timer timer = lap_timer_start(latencies);
    for (size_t index = 0; index < count; index++) {
        const uint8_t *identifier = identifiers + IDENTIFIER_LENGTH * index;
        baseline_status status = amplify_read_post(context, AMPLIFY_QUERY, identifier, IDENTIFIER_LENGTH, post);
        if (status != BASELINE_OK) return status;
        lap_timer_lap(&timer);
    }
    return BASELINE_OK;
}

// MARK: - Saving

// Step 4: writes the row. The columns are bound in their order. The id comes first in an insert and last in an update.
static baseline_status write_row(baseline_amplify *context, const baseline_record *record, bool is_new) {
    static const int fields_before_rating[] = {BASELINE_CONTENT, BASELINE_CREATED_AT};
    static const int fields_after_rating[] = {BASELINE_STATUS_FIELD, BASELINE_TITLE, BASELINE_UPDATED_AT};
    sqlite3_stmt *statement = NULL;
    baseline_status status = amplify_prepare(context, is_new ? AMPLIFY_INSERT : AMPLIFY_UPDATE, &statement);
    if (status != BASELINE_OK) return status;
    int parameter = is_new ? 2 : 1;
    int code = amplify_bind(statement, is_new ? 1 : 7, record->identifier.bytes, record->identifier.length);
    for (int index = 0; !code && index < 2; index++) {
        baseline_text text = record->texts[fields_before_rating[index]];
        code = amplify_bind(statement, parameter++, text.bytes, text.length);
    }
    if (!code) code = sqlite3_bind_int64(statement, parameter++, record->rating);
    for (int index = 0; !code && index < 3; index++) {
        baseline_text text = record->texts[fields_after_rating[index]];
        code = amplify_bind(statement, parameter++, text.bytes, text.length);
    }
    return amplify_run(context, statement, code);
}

// Steps 3 to 5, which are inside the transaction.
static baseline_status save_row(baseline_amplify *context, const baseline_record *record) {
    baseline_text id = record->identifier;
    baseline_post post;
    bool exists = false;
    baseline_status status = amplify_exists(context, AMPLIFY_EXISTS_INSIDE, id.bytes, id.length, &exists);
    if (status == BASELINE_OK) status = write_row(context, record, !exists);
    if (status == BASELINE_OK) status = amplify_read_post(context, AMPLIFY_READ_BACK, id.bytes, id.length, &post);
    return status;
}

static baseline_status save_one(baseline_amplify *context, const baseline_record *record, bool syncable) {
    baseline_text id = record->identifier;
    bool exists = false;
    baseline_status status = amplify_exists(context, AMPLIFY_EXISTS_OUTSIDE, id.bytes, id.length, &exists);
    if (status == BASELINE_OK) status = amplify_execute(context, AMPLIFY_BEGIN);
    if (status != BASELINE_OK) return status;
    status = save_row(context, record);
    if (status == BASELINE_OK) status = amplify_execute(context, AMPLIFY_COMMIT);
    if (status != BASELINE_OK) {
        sqlite3_exec(context->connection, "rollback", NULL, NULL, NULL);
        return status;
    }
    return syncable ? amplify_enqueue(context, record, !exists) : BASELINE_OK;
}

baseline_status baseline_amplify_save(
    baseline_amplify *context, const baseline_record *records, size_t count, bool syncable, uint64_t *latencies) {
    lap_timer timer = lap_timer_start(latencies);
    for (size_t index = 0; index < count; index++) {
        baseline_status status = save_one(context, &records[index], syncable);
        if (status != BASELINE_OK) return status;
        lap_timer_lap(&timer);
    }
    return BASELINE_OK;
}

// MARK: - Opening and closing

baseline_status baseline_amplify_open(const char *path, bool wal, baseline_amplify **result) {
    baseline_amplify *context = calloc(1, sizeof *context);
    *result = context;
    if (!context) return BASELINE_OUT_OF_MEMORY;
    context->identifier_state = now_nanoseconds();
    int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_FULLMUTEX;
    baseline_status status = amplify_code(context, sqlite3_open_v2(path, &context->connection, flags, NULL), "open");
    for (amplify_step step = AMPLIFY_AUTO_VACUUM; status == BASELINE_OK && step <= AMPLIFY_CREATE_OUTBOX; step++) {
        if (step != AMPLIFY_WAL || wal) status = amplify_execute(context, step);
    }
    return status;
}

void baseline_amplify_close(baseline_amplify *context) {
    if (!context) return;
    sqlite3_close(context->connection);
    json_free(&context->rows);
    json_free(&context->model);
    free(context);
}

const char *baseline_amplify_message(const baseline_amplify *context) {
    return context ? context->message : "out of memory";
}

static int count_rows(sqlite3 *connection, const char *sql, uint64_t *count) {
    sqlite3_stmt *statement = NULL;
    int code = sqlite3_prepare_v2(connection, sql, -1, &statement, NULL);
    if (!code && sqlite3_step(statement) == SQLITE_ROW) *count = (uint64_t)sqlite3_column_int64(statement, 0);
    int finished = sqlite3_finalize(statement);
    return code ? code : finished;
}

baseline_status baseline_amplify_counts(baseline_amplify *context, baseline_counts *counts) {
    *counts = (baseline_counts){0};
    int code = count_rows(context->connection, "select count(*) from \"Post\"", &counts->table);
    if (!code) code = count_rows(context->connection, "select count(*) from \"MutationEvent\"", &counts->log);
    return amplify_code(context, code, "count");
}
