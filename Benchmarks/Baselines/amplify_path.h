// The context of the Amplify save path, shared by its files.
#pragma once
#include "amplify_json.h"
#include "amplify_statements.h"
#include "internal.h"

#include <sqlite3.h>

enum { IDENTIFIER_LENGTH = 36, INSTANT_LENGTH = 24 };

struct baseline_amplify {
    sqlite3 *connection;
    json_text rows;                             // rows during their round trip through JSON
    json_text model;                            // the result of step 7
    uint64_t identifier_state;                  // the state of the generator of mutation ids
    char message[BASELINE_MESSAGE_CAPACITY];
};

// Records the failure in the context, and returns the status. `amplify_code` turns an SQLite code into a status.
baseline_status amplify_fail(baseline_amplify *context, baseline_status status, const char *what);
baseline_status amplify_code(baseline_amplify *context, int code, const char *what);

// Builds the step's statement as a string and prepares it.
baseline_status amplify_prepare(baseline_amplify *context, amplify_step step, sqlite3_stmt **statement);

// Steps the statement to its end, and finalizes it. `code` is the result of the bindings that were made before.
baseline_status amplify_run(baseline_amplify *context, sqlite3_stmt *statement, int code);

// Prepares, runs and finalizes a statement without parameters.
baseline_status amplify_execute(baseline_amplify *context, amplify_step step);

// The count that the step's statement returns for an id.
baseline_status amplify_exists(
    baseline_amplify *context, amplify_step step, const void *identifier, size_t length, bool *exists);

// Turns all rows of a bound statement into JSON in `context->rows`, and finalizes the statement.
baseline_status amplify_rows_to_json(baseline_amplify *context, sqlite3_stmt *statement, int code);

// Binds a copy of a text.
int amplify_bind(sqlite3_stmt *statement, int parameter, const void *text, size_t length);

// Runs the step's query by id. The row goes through JSON into a post.
baseline_status amplify_read_post(
    baseline_amplify *context, amplify_step step, const void *identifier, size_t length, baseline_post *post);

// Steps 7 to 11 of a syncable save (amplify_outbox.c). `is_new` says whether step 1 found no such record.
baseline_status amplify_enqueue(baseline_amplify *context, const baseline_record *record, bool is_new);
