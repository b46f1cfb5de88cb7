// The context of raw SQLite, shared by its files.
#pragma once
#include "internal.h"

#include <sqlite3.h>

typedef enum sqlite_statement {
    STATEMENT_BEGIN = 0,
    STATEMENT_COMMIT,
    STATEMENT_ROLLBACK,
    STATEMENT_APPEND,
    STATEMENT_UPSERT,
    STATEMENT_READ,
    STATEMENT_SCAN,
    STATEMENT_RANGE,
    STATEMENT_COUNT,
} sqlite_statement;

struct baseline_sqlite {
    sqlite3 *connection;
    sqlite3_stmt *statements[STATEMENT_COUNT];
    sqlite3_int64 next_sequence;
    order_buffer order;                         // the batch, sorted by key
    char message[BASELINE_MESSAGE_CAPACITY];
};

// Records the failure in the context, and returns the status. `sqlite_code` turns an SQLite code into a status.
baseline_status sqlite_fail(baseline_sqlite *context, baseline_status status, const char *what);
baseline_status sqlite_code(baseline_sqlite *context, int code, const char *what);

// Writes events in one transaction, and with `with_rows` also rows.
baseline_status sqlite_write_batch(
    baseline_sqlite *context, const baseline_record *records, size_t count, bool with_rows);
