// The context of raw LMDB, shared by its files.
#pragma once
#include "internal.h"

#include <lmdb.h>

enum { KEY_BYTES = 16, INDEX_KEY_BYTES = 8 + KEY_BYTES };

struct baseline_lmdb {
    MDB_env *environment;
    MDB_dbi log, table, index;
    MDB_txn *reader;                            // reset between calls, renewed for each read
    MDB_cursor *table_reader, *index_reader;    // cursors of the reader, renewed with it
    uint64_t next_sequence;
    baseline_row_layout row_layout;
    baseline_event_layout event_layout;
    order_buffer order;                         // the batch, sorted by key
    order_buffer changes;                       // the changes that an update makes to the index
    char message[BASELINE_MESSAGE_CAPACITY];
};

// Records the failure in the context, and returns the status. `lmdb_code` turns an LMDB code into a status.
baseline_status lmdb_fail(baseline_lmdb *context, baseline_status status, const char *what);
baseline_status lmdb_code(baseline_lmdb *context, int code, const char *what);

static inline MDB_val value_of(const void *bytes, size_t length) {
    return (MDB_val){.mv_size = length, .mv_data = (void *)(uintptr_t)bytes};
}

// Makes the key of an index entry from its order entry.
static inline void index_key_of(uint8_t *bytes, const order_entry *entry) {
    for (int word = 0; word < 3; word++) store_big_endian(bytes + 8 * word, entry->words[word]);
}

// Renews the reader, so that it sees the newest commit. `reader_end` resets it.
baseline_status reader_begin(baseline_lmdb *context);
void reader_end(baseline_lmdb *context);

// Reads one record within the reader's snapshot.
baseline_status read_one(baseline_lmdb *context, const uint8_t *key, baseline_post *post);

