// Raw LMDB: append, load, update.
#include "raw_lmdb.h"

// A write transaction with its cursors.
typedef struct write_transaction {
    MDB_txn *transaction;
    MDB_cursor *log, *table, *index;
    uint64_t first_sequence;
} write_transaction;

static int writing_begin(baseline_lmdb *context, write_transaction *writing, bool with_rows) {
    *writing = (write_transaction){.first_sequence = context->next_sequence};
    int code = mdb_txn_begin(context->environment, NULL, 0, &writing->transaction);
    if (!code) code = mdb_cursor_open(writing->transaction, context->log, &writing->log);
    if (!code && with_rows) code = mdb_cursor_open(writing->transaction, context->table, &writing->table);
    if (!code && with_rows) code = mdb_cursor_open(writing->transaction, context->index, &writing->index);
    return code;
}

// Commits if everything succeeded. Otherwise aborts and resets the sequence numbers.
static int writing_end(baseline_lmdb *context, write_transaction *writing, int code) {
    if (writing->log) mdb_cursor_close(writing->log);
    if (writing->table) mdb_cursor_close(writing->table);
    if (writing->index) mdb_cursor_close(writing->index);
    if (!code) {
        code = mdb_txn_commit(writing->transaction);
    } else if (writing->transaction) {
        mdb_txn_abort(writing->transaction);
    }
    if (code) context->next_sequence = writing->first_sequence;
    return code;
}

static int append_events(baseline_lmdb *context, MDB_cursor *log, const baseline_record *records, size_t count) {
    for (size_t index = 0; index < count; index++) {
        uint64_t sequence = context->next_sequence++;
        MDB_val key = value_of(&sequence, sizeof sequence);
        MDB_val value = value_of(NULL, records[index].event_length);
        int code = mdb_cursor_put(log, &key, &value, MDB_APPEND | MDB_RESERVE);
        if (code) return code;
        memcpy(value.mv_data, records[index].event, records[index].event_length);
    }
    return MDB_SUCCESS;
}

static int put_row(MDB_cursor *table, const baseline_record *record) {
    MDB_val key = value_of(record->key, KEY_BYTES);
    MDB_val value = value_of(NULL, record->row_length);
    int code = mdb_cursor_put(table, &key, &value, MDB_RESERVE);
    if (!code) memcpy(value.mv_data, record->row, record->row_length);
    return code;
}

static int put_index(MDB_cursor *index, const order_entry *entry) {
    uint8_t bytes[INDEX_KEY_BYTES];
    index_key_of(bytes, entry);
    MDB_val key = value_of(bytes, sizeof bytes);
    MDB_val value = value_of("", 0);
    return mdb_cursor_put(index, &key, &value, 0);
}

static int delete_index(MDB_cursor *index, const order_entry *entry) {
    uint8_t bytes[INDEX_KEY_BYTES];
    index_key_of(bytes, entry);
    MDB_val key = value_of(bytes, sizeof bytes);
    MDB_val value;
    int code = mdb_cursor_get(index, &key, &value, MDB_SET);
    return code ? code : mdb_cursor_del(index, 0);
}

// MARK: - Append

static baseline_status append_batch(baseline_lmdb *context, const baseline_record *records, size_t count) {
    write_transaction writing;
    int code = writing_begin(context, &writing, false);
    if (!code) code = append_events(context, writing.log, records, count);
    return lmdb_code(context, writing_end(context, &writing, code), "append");
}

// MARK: - Load

static baseline_status load_batch(baseline_lmdb *context, const baseline_record *records, size_t count) {
    order_buffer *order = &context->order;
    baseline_status status = order_records(order, records, count);
    if (status != BASELINE_OK) return lmdb_fail(context, status, "load: out of memory");
    write_transaction writing;
    int code = writing_begin(context, &writing, true);
    if (!code) code = append_events(context, writing.log, records, count);
    for (size_t at = 0; !code && at < count; at++) {
        code = put_row(writing.table, &records[order->entries[at].position]);
    }
    order_sort(order->entries, order->scratch, count, ORDER_RATING, 1);
    for (size_t at = 0; !code && at < count; at++) code = put_index(writing.index, &order->entries[at]);
    return lmdb_code(context, writing_end(context, &writing, code), "load");
}

// MARK: - Update

// Puts the row in place of the old one, if there is one, and records the changes to the index.
static int replace_row(
    baseline_lmdb *context, MDB_cursor *table, const baseline_record *record, const order_entry *entry,
    order_entry *changes, size_t *change_count) {
    MDB_val key = value_of(record->key, KEY_BYTES);
    MDB_val old;
    order_entry put = *entry, removal = *entry;
    put.tag = 0;
    removal.tag = 1;
    int code = mdb_cursor_get(table, &key, &old, MDB_SET);
    if (code == MDB_NOTFOUND) {
        changes[(*change_count)++] = put;
        return put_row(table, record);
    }
    if (code) return code;
    int64_t rating = 0;
    if (row_rating(&context->row_layout, old.mv_data, old.mv_size, &rating) != BASELINE_OK) return MDB_CORRUPTED;
    if (rating != record->rating) {
        removal.words[ORDER_RATING] = ordered_rating(rating);
        changes[(*change_count)++] = removal;
        changes[(*change_count)++] = put;
    }
    MDB_val value = value_of(record->row, record->row_length);
    return mdb_cursor_put(table, &key, &value, MDB_CURRENT);
}

static int apply_changes(MDB_cursor *index, const order_entry *changes, size_t count) {
    int code = MDB_SUCCESS;
    for (size_t at = 0; !code && at < count; at++) {
        code = changes[at].tag ? delete_index(index, &changes[at]) : put_index(index, &changes[at]);
    }
    return code;
}

static baseline_status update_batch(baseline_lmdb *context, const baseline_record *records, size_t count) {
    order_buffer *order = &context->order, *changes = &context->changes;
    baseline_status status = order_records(order, records, count);
    if (status == BASELINE_OK) status = order_reserve(changes, 2 * count);
    if (status != BASELINE_OK) return lmdb_fail(context, status, "update: out of memory");
    write_transaction writing;
    size_t change_count = 0;
    int code = writing_begin(context, &writing, true);
    if (!code) code = append_events(context, writing.log, records, count);
    for (size_t at = 0; !code && at < count; at++) {
        const order_entry *entry = &order->entries[at];
        code = replace_row(
            context, writing.table, &records[entry->position], entry, changes->entries, &change_count);
    }
    // The changes are in the order of the keys. The sort is stable, so changes of one key stay in the order in which
    // they were made.
    order_sort(changes->entries, changes->scratch, change_count, ORDER_RATING, 1);
    if (!code) code = apply_changes(writing.index, changes->entries, change_count);
    return lmdb_code(context, writing_end(context, &writing, code), "update");
}

// MARK: - The batches

typedef baseline_status batch_function(baseline_lmdb *context, const baseline_record *records, size_t count);

static baseline_status run_batches(
    baseline_lmdb *context, const baseline_record *records, size_t count, size_t batch, uint64_t *latencies,
    batch_function *run) {
    if (batch == 0) return lmdb_fail(context, BASELINE_MISUSE, "a batch holds at least one record");
    lap_timer timer = lap_timer_start(latencies);
    for (size_t first = 0; first < count; first += batch) {
        baseline_status status = run(context, records + first, count - first < batch ? count - first : batch);
        if (status != BASELINE_OK) return status;
        lap_timer_lap(&timer);
    }
    return BASELINE_OK;
}

baseline_status baseline_lmdb_append(
    baseline_lmdb *context, const baseline_record *records, size_t count, size_t batch, uint64_t *latencies) {
    return run_batches(context, records, count, batch, latencies, append_batch);
}

baseline_status baseline_lmdb_load(
    baseline_lmdb *context, const baseline_record *records, size_t count, size_t batch, uint64_t *latencies) {
    return run_batches(context, records, count, batch, latencies, load_batch);
}

baseline_status baseline_lmdb_update(
    baseline_lmdb *context, const baseline_record *records, size_t count, size_t batch, uint64_t *latencies) {
    return run_batches(context, records, count, batch, latencies, update_batch);
}

baseline_status baseline_lmdb_mix(
    baseline_lmdb *context, const baseline_record *records, const baseline_operation *operations, size_t count,
    baseline_post *post, uint64_t *latencies) {
    lap_timer timer = lap_timer_start(latencies);
    for (size_t index = 0; index < count; index++) {
        const baseline_record *record = &records[operations[index].record];
        baseline_status status;
        if (operations[index].is_update) {
            status = update_batch(context, record, 1);
        } else {
            status = reader_begin(context);
            if (status != BASELINE_OK) return status;
            status = read_one(context, record->key, post);
            reader_end(context);
        }
        if (status != BASELINE_OK) return status;
        lap_timer_lap(&timer);
    }
    return BASELINE_OK;
}
