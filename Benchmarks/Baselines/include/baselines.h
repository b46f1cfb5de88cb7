// The C side of the benchmarks: raw LMDB, raw SQLite and the Amplify save path, each doing the same job on the same
// bytes.
//
// The harness makes the records once and hands the same bytes to every engine; nothing here generates or encodes events
// or rows (the Amplify path alone writes JSON, since that is what it does per save). There is no global state: a
// context belongs to one thread at a time. Every function returns a status; the context's message says what went wrong.
// The only clock here is the one that fills the caller's `latencies`, one entry per operation in nanoseconds; pass NULL
// for none.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// MARK: - Statuses

typedef enum baseline_status {
    BASELINE_OK = 0,
    BASELINE_STORAGE,       // LMDB or SQLite refused; the message has its words
    BASELINE_OUT_OF_MEMORY,
    BASELINE_NOT_FOUND,     // a record that the workload says exists does not
    BASELINE_CAPACITY,      // more results than the caller's array holds, or a post over BASELINE_POST_CAPACITY
    BASELINE_LAYOUT,        // a row or event too short for its layout, or JSON that does not parse
    BASELINE_MISUSE,        // the call's rules were broken
    BASELINE_UNSUPPORTED,   // not on this operating system
} baseline_status;

typedef enum baseline_durability {
    BASELINE_FULL = 0,      // LMDB default sync; SQLite synchronous=FULL
    BASELINE_RELAXED,       // LMDB MDB_NOMETASYNC; SQLite synchronous=NORMAL
    BASELINE_UNSYNCED,      // LMDB MDB_NOSYNC; SQLite synchronous=OFF
} baseline_durability;

// MARK: - What goes in

// UTF-8 bytes that somebody else owns; no terminating zero.
typedef struct baseline_text {
    const uint8_t *bytes;
    uint32_t length;
} baseline_text;

// The text fields of a post, in the order of `baseline_record.texts` and `baseline_row_layout.texts`.
typedef enum baseline_field {
    BASELINE_TITLE = 0,
    BASELINE_CONTENT,
    BASELINE_STATUS_FIELD,
    BASELINE_CREATED_AT,
    BASELINE_UPDATED_AT,
} baseline_field;
enum { BASELINE_TEXT_COUNT = 5, BASELINE_POST_CAPACITY = 320 };

// One post to store. Raw LMDB uses key, event, row and rating; raw SQLite key, event, rating and texts; the Amplify
// path identifier, rating and texts. All pointers stay valid for the duration of the call. `event` is the whole log
// entry, `row` the whole value of the table.
typedef struct baseline_record {
    uint8_t key[16];                            // the UUID, binary
    const uint8_t *event;
    const uint8_t *row;
    uint32_t event_length;
    uint32_t row_length;
    int64_t rating;
    baseline_text identifier;                   // the UUID as 36 characters
    baseline_text texts[BASELINE_TEXT_COUNT];
} baseline_record;

// Where a text stands in a row. The u16 (little-endian) at byte `end_position` of the row is the end of the field's
// slot and the u16 before it its start, both counted from the row's first byte (so the slot is not the row's first; in
// a post that is the id). `skip` bytes at the slot's start are not text (12 for an instant in front of its text).
typedef struct baseline_slot {
    uint16_t end_position;
    uint16_t skip;
} baseline_slot;

// Where the fields stand in the row bytes that the harness supplies. The u16 (little-endian) at `rating_end_position`
// of the row is the end of the rating's slot; the rating is the i64 (little-endian) in the 8 bytes before that end.
typedef struct baseline_row_layout {
    uint16_t rating_end_position;
    baseline_slot texts[BASELINE_TEXT_COUNT];
} baseline_row_layout;

// Where the record stands in the event bytes, for the rebuild: the 16 key bytes from `key_offset`, the row from
// `row_offset` to the event's end.
typedef struct baseline_event_layout {
    uint16_t key_offset;
    uint16_t row_offset;
} baseline_event_layout;

// One step of a mix of reads and updates: a read of records[record] by its key, or an update to the bytes of it.
typedef struct baseline_operation {
    uint32_t record;
    bool is_update;
} baseline_operation;

// MARK: - What comes out

// A post copied out of the store: valid after the store has moved on, and made without allocating. The texts are the
// stretches (starts[i], lengths[i]) of `bytes`.
typedef struct baseline_post {
    uint8_t key[16];
    int64_t rating;
    uint16_t starts[BASELINE_TEXT_COUNT];
    uint16_t lengths[BASELINE_TEXT_COUNT];
    uint8_t bytes[BASELINE_POST_CAPACITY];
} baseline_post;

// A text of a post; it points into the post.
baseline_text baseline_post_text(const baseline_post *post, baseline_field field);

// How many entries the log, the table and the index hold.
typedef struct baseline_counts {
    uint64_t log;
    uint64_t table;
    uint64_t index;                             // 0 for SQLite, which keeps its index itself
} baseline_counts;

// MARK: - Raw LMDB
//
// One environment with three keyspaces, no DUPSORT, never WRITEMAP:
//   log    u64 sequence number (MDB_INTEGERKEY), appended   → event
//   table  16-byte key                                      → row
//   index  rating (8 bytes, order-preserving) and the key   → nothing
// Within a batch the puts of table and index are made in the order of their keys, through one cursor each.

typedef struct baseline_lmdb baseline_lmdb;

// Opens or creates the environment in `directory`, which must exist; `map_bytes` is the size of its map. On failure
// `*context` still holds a context with a message (or NULL when memory ran out) and must be closed.
baseline_status baseline_lmdb_open(
    const char *directory, baseline_durability durability, uint64_t map_bytes, const baseline_row_layout *row_layout,
    const baseline_event_layout *event_layout, baseline_lmdb **context);

// Closes the environment without forcing a sync, and frees the context. NULL is allowed.
void baseline_lmdb_close(baseline_lmdb *context);

// What the last failure was. Valid until the next call on the context.
const char *baseline_lmdb_message(const baseline_lmdb *context);

// Forces everything onto the device, whatever the durability.
baseline_status baseline_lmdb_sync(baseline_lmdb *context);

// Appends the events to the log and nothing else, `batch` per transaction. One latency per transaction.
baseline_status baseline_lmdb_append(
    baseline_lmdb *context, const baseline_record *records, size_t count, size_t batch, uint64_t *latencies);

// Saves records whose keys are new: log, table and index, `batch` per transaction; a batch of 1 is the single save. One
// latency per transaction.
baseline_status baseline_lmdb_load(
    baseline_lmdb *context, const baseline_record *records, size_t count, size_t batch, uint64_t *latencies);

// Saves records whether or not they exist: reads the old row, appends to the log, puts the row and, where the rating
// changed, deletes the old index entry and puts the new one. A key may come more than once; the last one stands. One
// latency per transaction.
baseline_status baseline_lmdb_update(
    baseline_lmdb *context, const baseline_record *records, size_t count, size_t batch, uint64_t *latencies);

// Reads `count` records by their keys (16 bytes each, one after the other), each in a read transaction of its own (one
// reader, reset and renewed), copied into `*post`, which holds the last one at the end. One latency per read.
baseline_status baseline_lmdb_read(
    baseline_lmdb *context, const uint8_t *keys, size_t count, baseline_post *post, uint64_t *latencies);

// Goes through the whole table and copies the posts with a rating below `bound` into `posts`. `*matched` is their
// number.
baseline_status baseline_lmdb_scan(
    baseline_lmdb *context, int64_t bound, baseline_post *posts, size_t capacity, size_t *matched);

// For each of `count` bounds: the first `limit` posts with rating ≥ bound in ascending order of (rating, key), by the
// index, each row fetched and copied into `posts` (room for `limit`; they hold the last query's at the end). `*rows` is
// the number of rows of all queries. One latency per query.
baseline_status baseline_lmdb_range(
    baseline_lmdb *context, const int64_t *bounds, size_t count, size_t limit, baseline_post *posts, size_t *rows,
    uint64_t *latencies);

// Runs the operations in order, each in a transaction of its own: reads as `baseline_lmdb_read`, updates as
// `baseline_lmdb_update` with a batch of 1. One latency per operation. LMDB rewrites its list of free pages in each
// commit, so the size of the batches that loaded the store shows here: large ones leave long lists.
baseline_status baseline_lmdb_mix(
    baseline_lmdb *context, const baseline_record *records, const baseline_operation *operations, size_t count,
    baseline_post *post, uint64_t *latencies);

// Empties the table and the index and leaves the log: what goes before a rebuild, outside its time.
baseline_status baseline_lmdb_clear_rows(baseline_lmdb *context);

// Recreates the table and the index from the log: scans it, sorts by key (the last event of a key stands), and appends
// both trees in order, `batch` entries per transaction. Table and index must be empty. `*rows` is the number of rows
// made. Needs 80 bytes of memory per event.
baseline_status baseline_lmdb_rebuild(baseline_lmdb *context, size_t batch, size_t *rows);

// The number of entries of each keyspace.
baseline_status baseline_lmdb_counts(baseline_lmdb *context, baseline_counts *counts);

// The bytes of the data file that are in use or were: (last page + 1) × page size.
baseline_status baseline_lmdb_file_bytes(baseline_lmdb *context, uint64_t *bytes);

// MARK: - Raw SQLite
//
// WAL, cache of 256 MB, wal_autocheckpoint of 10,000 pages, mmap_size of 4 GB (SQLite's build may allow less), no
// mutex, prepared statements kept. A typed table with an integer rowid, a unique BLOB(16) id and an index on the
// rating; the log is a table log(sequence INTEGER PRIMARY KEY, event BLOB) in the same transaction. Within a batch rows
// are written in the order of their keys.

typedef struct baseline_sqlite baseline_sqlite;

// Opens or creates the database file. On failure as `baseline_lmdb_open`.
baseline_status baseline_sqlite_open(const char *path, baseline_durability durability, baseline_sqlite **context);

// Closes the database (which checkpoints the WAL) and frees the context. NULL is allowed.
void baseline_sqlite_close(baseline_sqlite *context);

// What the last failure was. Valid until the next call on the context.
const char *baseline_sqlite_message(const baseline_sqlite *context);

// Moves the WAL into the database and truncates it.
baseline_status baseline_sqlite_checkpoint(baseline_sqlite *context);

// As `baseline_lmdb_append`.
baseline_status baseline_sqlite_append(
    baseline_sqlite *context, const baseline_record *records, size_t count, size_t batch, uint64_t *latencies);

// Saves records whether or not they exist, with INSERT … ON CONFLICT DO UPDATE: load, update and single save in one, as
// `baseline_lmdb_load` and `baseline_lmdb_update`.
baseline_status baseline_sqlite_save(
    baseline_sqlite *context, const baseline_record *records, size_t count, size_t batch, uint64_t *latencies);

// As `baseline_lmdb_read`, every column copied.
baseline_status baseline_sqlite_read(
    baseline_sqlite *context, const uint8_t *keys, size_t count, baseline_post *post, uint64_t *latencies);

// As `baseline_lmdb_scan`; the statement says NOT INDEXED.
baseline_status baseline_sqlite_scan(
    baseline_sqlite *context, int64_t bound, baseline_post *posts, size_t capacity, size_t *matched);

// As `baseline_lmdb_range`, ordered by rating alone (equal ratings come in rowid order, as the index has them).
baseline_status baseline_sqlite_range(
    baseline_sqlite *context, const int64_t *bounds, size_t count, size_t limit, baseline_post *posts, size_t *rows,
    uint64_t *latencies);

// As `baseline_lmdb_mix`.
baseline_status baseline_sqlite_mix(
    baseline_sqlite *context, const baseline_record *records, const baseline_operation *operations, size_t count,
    baseline_post *post, uint64_t *latencies);

// The number of rows of the log and the table.
baseline_status baseline_sqlite_counts(baseline_sqlite *context, baseline_counts *counts);

// MARK: - The Amplify save path
//
// The statements and pragmas that Amplify DataStore issues for one save(), in their order, each built as a string and
// prepared again, with the JSON round trips. It flatters: JSON is written and parsed by plain C instead of dictionaries
// of Any, JSONSerialization and Codable, and there are no tasks, no publishers and no state machines. No outgoing queue
// runs, so the outbox grows with every syncable save, as it does while an app is offline.

typedef struct baseline_amplify baseline_amplify;

// Opens or creates the database file with Amplify's own pragmas: rollback journal (DELETE) and synchronous FULL, by
// SQLite's default. With `wal`, the one change is journal_mode=WAL. On failure as `baseline_lmdb_open`.
baseline_status baseline_amplify_open(const char *path, bool wal, baseline_amplify **context);

// Closes the database and frees the context. NULL is allowed.
void baseline_amplify_close(baseline_amplify *context);

// What the last failure was. Valid until the next call on the context.
const char *baseline_amplify_message(const baseline_amplify *context);

// Saves the records one by one. A local-only save is steps 1 to 6; a syncable one goes on with 7 to 11. One latency per
// save.
baseline_status baseline_amplify_save(
    baseline_amplify *context, const baseline_record *records, size_t count, bool syncable, uint64_t *latencies);

// Queries `count` records by id (36 characters each, one after the other): statement built and prepared again, all
// columns into JSON, the JSON parsed into `*post`. One latency per query.
baseline_status baseline_amplify_read(
    baseline_amplify *context, const uint8_t *identifiers, size_t count, baseline_post *post, uint64_t *latencies);

// Posts in the table and mutations in the outbox (as `log`).
baseline_status baseline_amplify_counts(baseline_amplify *context, baseline_counts *counts);

// Line `number` (from 0) of what the path issues, in order: set-up, then one save with the number of its step. NULL
// after the last step. `*text` is the SQL, or the description of a step without SQL.
const char *baseline_amplify_step(size_t number, const char **text);

// MARK: - What a process costs (Linux only, else BASELINE_UNSUPPORTED or 0)

// The anonymous memory resident now, in bytes. Mapped pages of a store are not in it. The kernel keeps no peak of it:
// sample while the work runs.
baseline_status baseline_anonymous_bytes(uint64_t *bytes);

// Gives freed memory back to the system, so that what is taken from then on shows as a rise.
void baseline_trim_memory(void);

// The bytes that the device below `path` has written so far, for all processes and the file system's own journal. Flush
// the store before the work and after it. Where the device has no counter: what this process wrote, in pages counted as
// they get dirty, less what was truncated away before it was written.
baseline_status baseline_device_bytes(const char *path, uint64_t *bytes);

// How often the process waited for a device so far: fsync, fdatasync, msync, and writes through descriptors that were
// opened with O_DSYNC, whichever library asked.
uint64_t baseline_sync_count(void);

// MARK: - What runs here

// The versions of the libraries that are linked, as they give them.
const char *baseline_lmdb_version(void);
const char *baseline_sqlite_version(void);
