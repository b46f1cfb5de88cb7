// Raw LMDB: recreates table and index from the log, by sorting and appending.
#include "raw_lmdb.h"

#include <stdlib.h>

// The place of an event in the map. It is valid as long as the reader is open.
typedef struct event_place {
    const uint8_t *bytes;
    size_t length;
} event_place;

// The number of events ahead whose first cache lines are prefetched, because the sorted order jumps through the log.
enum { PREFETCH_DISTANCE = 12, CACHE_LINE = 64 };

baseline_status baseline_lmdb_clear_rows(baseline_lmdb *context) {
    MDB_txn *transaction = NULL;
    int code = mdb_txn_begin(context->environment, NULL, 0, &transaction);
    if (code) return lmdb_code(context, code, "clear");
    code = mdb_drop(transaction, context->table, 0);
    if (!code) code = mdb_drop(transaction, context->index, 0);
    if (code) {
        mdb_txn_abort(transaction);
    } else {
        code = mdb_txn_commit(transaction);
    }
    return lmdb_code(context, code, "clear");
}

// Lists the events of the log and their keys.
static baseline_status list_events(
    baseline_lmdb *context, order_entry *entries, event_place *places, size_t capacity, size_t *count) {
    const baseline_event_layout *layout = &context->event_layout;
    MDB_cursor *cursor = NULL;
    MDB_val key, event;
    baseline_status status = BASELINE_OK;
    int code = mdb_cursor_open(context->reader, context->log, &cursor);
    if (!code) code = mdb_cursor_get(cursor, &key, &event, MDB_FIRST);
    for (; !code && *count < capacity; code = mdb_cursor_get(cursor, &key, &event, MDB_NEXT)) {
        const uint8_t *bytes = event.mv_data;
        if (event.mv_size < layout->row_offset || event.mv_size < (size_t)layout->key_offset + KEY_BYTES) {
            status = lmdb_fail(context, BASELINE_LAYOUT, "rebuild: an event does not fit its layout");
            break;
        }
        const uint8_t *id = bytes + layout->key_offset;
        entries[*count] = (order_entry){
            .words = {0, load_big_endian(id), load_big_endian(id + 8)}, .position = (uint32_t)*count};
        places[(*count)++] = (event_place){.bytes = bytes, .length = event.mv_size};
    }
    if (cursor) mdb_cursor_close(cursor);
    if (status != BASELINE_OK || code == MDB_NOTFOUND) return status;
    return lmdb_code(context, code, "rebuild: scan the log");
}

// Keeps the last entry of each key, and moves these entries to the front. Returns their number.
static size_t keep_last(order_entry *entries, size_t count) {
    size_t kept = 0;
    for (size_t at = 0; at < count; at++) {
        bool is_last = at + 1 == count || entries[at].words[1] != entries[at + 1].words[1]
            || entries[at].words[2] != entries[at + 1].words[2];
        if (is_last) entries[kept++] = entries[at];
    }
    return kept;
}

// Appends one row and records its rating for the index.
static int append_row(baseline_lmdb *context, MDB_cursor *table, order_entry *entry, const event_place *place) {
    const uint8_t *row = place->bytes + context->event_layout.row_offset;
    size_t length = place->length - context->event_layout.row_offset;
    int64_t rating = 0;
    if (row_rating(&context->row_layout, row, length, &rating) != BASELINE_OK) return MDB_CORRUPTED;
    entry->words[ORDER_RATING] = ordered_rating(rating);
    MDB_val key = value_of(place->bytes + context->event_layout.key_offset, KEY_BYTES);
    MDB_val value = value_of(row, length);
    return mdb_cursor_put(table, &key, &value, MDB_APPEND);
}

static int append_rows(
    baseline_lmdb *context, MDB_cursor *cursor, order_entry *entries, const event_place *places, size_t first,
    size_t end, size_t count) {
    int code = MDB_SUCCESS;
    for (size_t at = first; !code && at < end; at++) {
        if (at + PREFETCH_DISTANCE < count) {
            const event_place *ahead = &places[entries[at + PREFETCH_DISTANCE].position];
            for (size_t offset = 0; offset < ahead->length; offset += CACHE_LINE) {
                __builtin_prefetch(ahead->bytes + offset);
            }
        }
        code = append_row(context, cursor, &entries[at], &places[entries[at].position]);
    }
    return code;
}

static int append_index(MDB_cursor *cursor, const order_entry *entries, size_t first, size_t end) {
    int code = MDB_SUCCESS;
    for (size_t at = first; !code && at < end; at++) {
        uint8_t bytes[INDEX_KEY_BYTES];
        index_key_of(bytes, &entries[at]);
        MDB_val key = value_of(bytes, sizeof bytes);
        MDB_val value = value_of("", 0);
        code = mdb_cursor_put(cursor, &key, &value, MDB_APPEND);
    }
    return code;
}

// Appends a tree, `batch` entries per transaction. This is the table if there are places, and otherwise the index.
static int append_tree(
    baseline_lmdb *context, order_entry *entries, const event_place *places, size_t count, size_t batch) {
    int code = MDB_SUCCESS;
    for (size_t first = 0; !code && first < count; first += batch) {
        size_t end = count - first < batch ? count : first + batch;
        MDB_txn *transaction = NULL;
        MDB_cursor *cursor = NULL;
        code = mdb_txn_begin(context->environment, NULL, 0, &transaction);
        if (code) return code;
        code = mdb_cursor_open(transaction, places ? context->table : context->index, &cursor);
        if (!code && places) code = append_rows(context, cursor, entries, places, first, end, count);
        if (!code && !places) code = append_index(cursor, entries, first, end);
        if (cursor) mdb_cursor_close(cursor);
        if (code) {
            mdb_txn_abort(transaction);
        } else {
            code = mdb_txn_commit(transaction);
        }
    }
    return code;
}

baseline_status baseline_lmdb_rebuild(baseline_lmdb *context, size_t batch, size_t *rows) {
    *rows = 0;
    baseline_counts counts;
    baseline_status status = baseline_lmdb_counts(context, &counts);
    if (status != BASELINE_OK) return status;
    if (batch == 0 || counts.table > 0 || counts.index > 0) {
        return lmdb_fail(context, BASELINE_MISUSE, "rebuild: the rows are not empty, or the batch is");
    }
    size_t capacity = (size_t)counts.log, count = 0;
    order_buffer buffer = {0};
    event_place *places = malloc((capacity + 1) * sizeof *places);
    status = places ? order_reserve(&buffer, capacity + 1) : BASELINE_OUT_OF_MEMORY;
    if (status != BASELINE_OK) lmdb_fail(context, status, "rebuild: out of memory");
    if (status == BASELINE_OK) status = reader_begin(context);
    if (status == BASELINE_OK) {
        status = list_events(context, buffer.entries, places, capacity, &count);
        order_sort(buffer.entries, buffer.scratch, count, ORDER_KEY, ORDER_KEY_WORDS);
        size_t kept = keep_last(buffer.entries, count);
        int code = MDB_SUCCESS;
        if (status == BASELINE_OK) code = append_tree(context, buffer.entries, places, kept, batch);
        order_sort(buffer.entries, buffer.scratch, kept, ORDER_RATING, 1);
        if (status == BASELINE_OK && !code) code = append_tree(context, buffer.entries, NULL, kept, batch);
        if (status == BASELINE_OK) status = lmdb_code(context, code, "rebuild");
        reader_end(context);
        *rows = kept;
    }
    order_free(&buffer);
    free(places);
    return status;
}
