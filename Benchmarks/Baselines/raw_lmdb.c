// Raw LMDB: opening, closing, errors, sizes.
#include "raw_lmdb.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

baseline_status lmdb_fail(baseline_lmdb *context, baseline_status status, const char *what) {
    snprintf(context->message, sizeof context->message, "%s", what);
    return status;
}

baseline_status lmdb_code(baseline_lmdb *context, int code, const char *what) {
    if (code == MDB_SUCCESS) return BASELINE_OK;
    snprintf(context->message, sizeof context->message, "%s: %s", what, mdb_strerror(code));
    if (code == MDB_NOTFOUND) return BASELINE_NOT_FOUND;
    return code == ENOMEM ? BASELINE_OUT_OF_MEMORY : BASELINE_STORAGE;
}

static unsigned environment_flags(baseline_durability durability) {
    unsigned flags = MDB_NOTLS;
    if (durability == BASELINE_RELAXED) flags |= MDB_NOMETASYNC;
    if (durability == BASELINE_UNSYNCED) flags |= MDB_NOSYNC;
    return flags;
}

// Opens the three keyspaces and finds the log's head.
static int open_keyspaces(baseline_lmdb *context) {
    MDB_txn *transaction = NULL;
    MDB_cursor *cursor = NULL;
    MDB_val key, value;
    int code = mdb_txn_begin(context->environment, NULL, 0, &transaction);
    if (code) return code;
    code = mdb_dbi_open(transaction, "log", MDB_CREATE | MDB_INTEGERKEY, &context->log);
    if (!code) code = mdb_dbi_open(transaction, "table", MDB_CREATE, &context->table);
    if (!code) code = mdb_dbi_open(transaction, "index", MDB_CREATE, &context->index);
    if (!code) code = mdb_cursor_open(transaction, context->log, &cursor);
    if (!code) code = mdb_cursor_get(cursor, &key, &value, MDB_LAST);
    context->next_sequence = 1;
    if (!code) {
        memcpy(&context->next_sequence, key.mv_data, sizeof context->next_sequence);
        context->next_sequence++;
    }
    if (cursor) mdb_cursor_close(cursor);
    if (code && code != MDB_NOTFOUND) {
        mdb_txn_abort(transaction);
        return code;
    }
    return mdb_txn_commit(transaction);
}

// Opens the reader and its cursors, and resets it.
static int open_reader(baseline_lmdb *context) {
    int code = mdb_txn_begin(context->environment, NULL, MDB_RDONLY, &context->reader);
    if (!code) code = mdb_cursor_open(context->reader, context->table, &context->table_reader);
    if (!code) code = mdb_cursor_open(context->reader, context->index, &context->index_reader);
    if (!code) mdb_txn_reset(context->reader);
    return code;
}

baseline_status baseline_lmdb_open(
    const char *directory, baseline_durability durability, uint64_t map_bytes, const baseline_row_layout *row_layout,
    const baseline_event_layout *event_layout, baseline_lmdb **result) {
    baseline_lmdb *context = calloc(1, sizeof *context);
    *result = context;
    if (!context) return BASELINE_OUT_OF_MEMORY;
    context->row_layout = *row_layout;
    context->event_layout = *event_layout;
    int code = mdb_env_create(&context->environment);
    if (!code) code = mdb_env_set_maxdbs(context->environment, 3);
    if (!code) code = mdb_env_set_mapsize(context->environment, (size_t)map_bytes);
    if (!code) code = mdb_env_open(context->environment, directory, environment_flags(durability), 0600);
    if (!code) code = open_keyspaces(context);
    if (!code) code = open_reader(context);
    return lmdb_code(context, code, "open");
}

void baseline_lmdb_close(baseline_lmdb *context) {
    if (!context) return;
    if (context->table_reader) mdb_cursor_close(context->table_reader);
    if (context->index_reader) mdb_cursor_close(context->index_reader);
    if (context->reader) mdb_txn_abort(context->reader);
    if (context->environment) mdb_env_close(context->environment);
    order_free(&context->order);
    order_free(&context->changes);
    free(context);
}

const char *baseline_lmdb_message(const baseline_lmdb *context) {
    return context ? context->message : "out of memory";
}

baseline_status baseline_lmdb_sync(baseline_lmdb *context) {
    return lmdb_code(context, mdb_env_sync(context->environment, 1), "sync");
}

baseline_status reader_begin(baseline_lmdb *context) {
    return lmdb_code(context, mdb_txn_renew(context->reader), "renew the reader");
}

void reader_end(baseline_lmdb *context) { mdb_txn_reset(context->reader); }

baseline_status baseline_lmdb_counts(baseline_lmdb *context, baseline_counts *counts) {
    *counts = (baseline_counts){0};
    baseline_status status = reader_begin(context);
    if (status != BASELINE_OK) return status;
    MDB_stat log = {0}, table = {0}, index = {0};
    int code = mdb_stat(context->reader, context->log, &log);
    if (!code) code = mdb_stat(context->reader, context->table, &table);
    if (!code) code = mdb_stat(context->reader, context->index, &index);
    reader_end(context);
    *counts = (baseline_counts){.log = log.ms_entries, .table = table.ms_entries, .index = index.ms_entries};
    return lmdb_code(context, code, "count");
}

baseline_status baseline_lmdb_file_bytes(baseline_lmdb *context, uint64_t *bytes) {
    MDB_envinfo information = {0};
    MDB_stat statistics = {0};
    int code = mdb_env_info(context->environment, &information);
    if (!code) code = mdb_env_stat(context->environment, &statistics);
    *bytes = ((uint64_t)information.me_last_pgno + 1) * statistics.ms_psize;
    return lmdb_code(context, code, "size");
}

const char *baseline_lmdb_version(void) { return mdb_version(NULL, NULL, NULL); }
