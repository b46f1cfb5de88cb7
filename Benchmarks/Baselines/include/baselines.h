// The C side of the benchmarks: raw LMDB, raw SQLite and the Amplify save path. Each does the same job on the same
// bytes.
//
// The harness makes the records once and passes the same bytes to every engine. Nothing here generates or encodes
// events or rows. Only the Amplify path writes JSON, because Amplify does so for each save. There is no global state.
// One thread at a time may use a context. Every function returns a status, and the message of the context describes the
// failure. The code reads the clock only to fill the caller's `latencies`, with one entry per operation in nanoseconds.
// Pass NULL if you do not need latencies.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// MARK: - Statuses

typedef enum baseline_status {
    BASELINE_OK = 0,
    BASELINE_STORAGE,       // LMDB or SQLite failed; the message is theirs
    BASELINE_OUT_OF_MEMORY,
    BASELINE_NOT_FOUND,     // a record of the workload is missing
    BASELINE_CAPACITY,      // more results than the caller's array holds, or a post over BASELINE_POST_CAPACITY
    BASELINE_LAYOUT,        // a row or event too short for its layout, or JSON that does not parse
    BASELINE_MISUSE,        // the caller broke the rules of the call
    BASELINE_UNSUPPORTED,   // not supported on this operating system
} baseline_status;

typedef enum baseline_durability {
    BASELINE_FULL = 0,      // LMDB default sync; SQLite synchronous=FULL
    BASELINE_RELAXED,       // LMDB MDB_NOMETASYNC; SQLite synchronous=NORMAL
    BASELINE_UNSYNCED,      // LMDB MDB_NOSYNC; SQLite synchronous=OFF
} baseline_durability;

// MARK: - Input

// UTF-8 bytes that the caller owns, without a terminating zero.
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

// One post to store. Raw LMDB uses the key, event, row and rating. Raw SQLite uses the key, event, rating and texts.
// The Amplify path uses the identifier, rating and texts. All pointers stay valid for the duration of the call. `event`
// is the whole log entry, and `row` is the whole value of the table.
typedef struct baseline_record {
    uint8_t key[16];                            // the UUID as 16 bytes
    const uint8_t *event;
    const uint8_t *row;
    uint32_t event_length;
    uint32_t row_length;
    int64_t rating;
    baseline_text identifier;                   // the UUID as 36 characters
    baseline_text texts[BASELINE_TEXT_COUNT];
} baseline_record;

// The place of a text in a row. The u16 (little-endian) at byte `end_position` of the row is the end of the field's
// slot. The u16 before it is the slot's start. Both are counted from the row's first byte. The slot must therefore not
// be the row's first slot, which is the id in a post. The first `skip` bytes of the slot are not text; they are 12
// bytes for an instant, whose text follows its number.
typedef struct baseline_slot {
    uint16_t end_position;
    uint16_t skip;
} baseline_slot;

// The places of the fields in the rows that the harness supplies. The u16 (little-endian) at `rating_end_position` of
// the row is the end of the rating's slot. The rating is the i64 (little-endian) in the 8 bytes before this end.
typedef struct baseline_row_layout {
    uint16_t rating_end_position;
    baseline_slot texts[BASELINE_TEXT_COUNT];
} baseline_row_layout;

// The place of the record in an event, for the rebuild. The 16 bytes of the key begin at `key_offset`. The row begins
// at `row_offset` and ends with the event.
typedef struct baseline_event_layout {
    uint16_t key_offset;
    uint16_t row_offset;
} baseline_event_layout;

// One step of a mix of reads and updates. It reads records[record] by its key, or updates the record to those bytes.
typedef struct baseline_operation {
    uint32_t record;
    bool is_update;
} baseline_operation;

// MARK: - Output

// A copy of a post in the store, made without allocating. It stays valid when the store changes. Text i is at starts[i]
// of `bytes` and has lengths[i] bytes.
typedef struct baseline_post {
    uint8_t key[16];
    int64_t rating;
    uint16_t starts[BASELINE_TEXT_COUNT];
    uint16_t lengths[BASELINE_TEXT_COUNT];
    uint8_t bytes[BASELINE_POST_CAPACITY];
} baseline_post;

// A text of a post. It points into the post.
baseline_text baseline_post_text(const baseline_post *post, baseline_field field);

// The numbers of entries of the log, the table and the index.
typedef struct baseline_counts {
    uint64_t log;
    uint64_t table;
    uint64_t index;                             // 0 for SQLite, which maintains its index itself
} baseline_counts;

// MARK: - Raw LMDB
//
// One environment with three keyspaces. DUPSORT and WRITEMAP are never used:
//   log    u64 sequence number (MDB_INTEGERKEY), appended   → event
//   table  16-byte key                                      → row
//   index  rating (8 bytes, order-preserving) and the key   → nothing
// Within a batch, the puts into the table and the index are made in the order of their keys, with one cursor for each.

typedef struct baseline_lmdb baseline_lmdb;

// Opens or creates the environment in `directory`, which must exist. `map_bytes` is the size of its map. If opening
// fails, `*context` still holds a context with a message, or NULL if memory ran out. The caller must close it.
baseline_status baseline_lmdb_open(
    const char *directory, baseline_durability durability, uint64_t map_bytes, const baseline_row_layout *row_layout,
    const baseline_event_layout *event_layout, baseline_lmdb **context);

// Closes the environment without forcing a sync, and frees the context. NULL is allowed.
void baseline_lmdb_close(baseline_lmdb *context);

// The message of the last failure. It is valid until the next call on the context.
const char *baseline_lmdb_message(const baseline_lmdb *context);

// Syncs everything to the device, independently of the durability.
baseline_status baseline_lmdb_sync(baseline_lmdb *context);

// Appends the events to the log only, `batch` per transaction. One latency per transaction.
baseline_status baseline_lmdb_append(
    baseline_lmdb *context, const baseline_record *records, size_t count, size_t batch, uint64_t *latencies);

// Saves records whose keys are new into the log, the table and the index, `batch` per transaction. A batch of 1 is a
// single save. One latency per transaction.
baseline_status baseline_lmdb_load(
    baseline_lmdb *context, const baseline_record *records, size_t count, size_t batch, uint64_t *latencies);

// Saves records whether or not they exist. It reads the old row, appends to the log, and puts the new row. If the
// rating changed, it also deletes the old index entry and puts the new one. A key may come several times, and its last
// record wins. One latency per transaction.
baseline_status baseline_lmdb_update(
    baseline_lmdb *context, const baseline_record *records, size_t count, size_t batch, uint64_t *latencies);

// Reads `count` records by their keys, which are 16 bytes each, one after the other. Each read has a transaction of its
// own, for which one reader is reset and renewed. Each record is copied into `*post`, which holds the last record at
// the end. One latency per read.
baseline_status baseline_lmdb_read(
    baseline_lmdb *context, const uint8_t *keys, size_t count, baseline_post *post, uint64_t *latencies);

// Scans the whole table and copies the posts with a rating below `bound` into `posts`. `*matched` is their number.
baseline_status baseline_lmdb_scan(
    baseline_lmdb *context, int64_t bound, baseline_post *posts, size_t capacity, size_t *matched);

// For each of `count` bounds, finds the first `limit` posts with rating ≥ bound in ascending order of (rating, key), by
// the index. Each row is fetched and copied into `posts`, which has room for `limit` posts and holds the results of the
// last query at the end. `*rows` is the number of rows of all queries. One latency per query.
baseline_status baseline_lmdb_range(
    baseline_lmdb *context, const int64_t *bounds, size_t count, size_t limit, baseline_post *posts, size_t *rows,
    uint64_t *latencies);

// Runs the operations in order, each in a transaction of its own. Reads work as in `baseline_lmdb_read`, and updates as
// in `baseline_lmdb_update` with a batch of 1. One latency per operation. LMDB rewrites its list of free pages in each
// commit. The size of the batches that loaded the store therefore matters here, because large batches leave long lists.
baseline_status baseline_lmdb_mix(
    baseline_lmdb *context, const baseline_record *records, const baseline_operation *operations, size_t count,
    baseline_post *post, uint64_t *latencies);

// Empties the table and the index and keeps the log. This prepares a rebuild and is not part of its time.
baseline_status baseline_lmdb_clear_rows(baseline_lmdb *context);

// Recreates the table and the index from the log. It scans the log, sorts by key, keeps the last event of each key, and
// appends both trees in order, `batch` entries per transaction. The table and the index must be empty. `*rows` is the
// number of rows made. Needs 80 bytes of memory per event.
baseline_status baseline_lmdb_rebuild(baseline_lmdb *context, size_t batch, size_t *rows);

// The number of entries of each keyspace.
baseline_status baseline_lmdb_counts(baseline_lmdb *context, baseline_counts *counts);

// The bytes of the data file that are or were in use: (last page + 1) × page size.
baseline_status baseline_lmdb_file_bytes(baseline_lmdb *context, uint64_t *bytes);

// MARK: - Raw SQLite
//
// WAL, a cache of 256 MB, wal_autocheckpoint of 10,000 pages, mmap_size of 4 GB (SQLite's build may allow less), no
// mutex, and prepared statements that are kept. The typed table has an integer rowid, a unique BLOB(16) id and an index
// on the rating. The log is a table log(sequence INTEGER PRIMARY KEY, event BLOB) in the same transaction. Within a
// batch, rows are written in the order of their keys.

typedef struct baseline_sqlite baseline_sqlite;

// Opens or creates the database file. A failure is reported as by `baseline_lmdb_open`.
baseline_status baseline_sqlite_open(const char *path, baseline_durability durability, baseline_sqlite **context);

// Closes the database (which checkpoints the WAL) and frees the context. NULL is allowed.
void baseline_sqlite_close(baseline_sqlite *context);

// The message of the last failure. It is valid until the next call on the context.
const char *baseline_sqlite_message(const baseline_sqlite *context);

// Moves the WAL into the database and truncates it.
baseline_status baseline_sqlite_checkpoint(baseline_sqlite *context);

// Does the same as `baseline_lmdb_append`.
baseline_status baseline_sqlite_append(
    baseline_sqlite *context, const baseline_record *records, size_t count, size_t batch, uint64_t *latencies);

// Saves records whether or not they exist, with INSERT … ON CONFLICT DO UPDATE. This is the counterpart of both
// `baseline_lmdb_load` and `baseline_lmdb_update`.
baseline_status baseline_sqlite_save(
    baseline_sqlite *context, const baseline_record *records, size_t count, size_t batch, uint64_t *latencies);

// Does the same as `baseline_lmdb_read`. Every column is copied.
baseline_status baseline_sqlite_read(
    baseline_sqlite *context, const uint8_t *keys, size_t count, baseline_post *post, uint64_t *latencies);

// Does the same as `baseline_lmdb_scan`. The statement contains NOT INDEXED.
baseline_status baseline_sqlite_scan(
    baseline_sqlite *context, int64_t bound, baseline_post *posts, size_t capacity, size_t *matched);

// Does the same as `baseline_lmdb_range`, but orders by the rating alone. Equal ratings come in rowid order, as in the
// index.
baseline_status baseline_sqlite_range(
    baseline_sqlite *context, const int64_t *bounds, size_t count, size_t limit, baseline_post *posts, size_t *rows,
    uint64_t *latencies);

// Does the same as `baseline_lmdb_mix`.
baseline_status baseline_sqlite_mix(
    baseline_sqlite *context, const baseline_record *records, const baseline_operation *operations, size_t count,
    baseline_post *post, uint64_t *latencies);

// The number of rows of the log and the table.
baseline_status baseline_sqlite_counts(baseline_sqlite *context, baseline_counts *counts);

// MARK: - The Amplify save path
//
// The statements and pragmas that Amplify DataStore issues for one save(), in their order. Each statement is built as a
// string and prepared again, and the JSON round trips are made. The path is faster than Amplify: plain C writes and
// parses JSON instead of dictionaries of Any, JSONSerialization and Codable, and there are no tasks, publishers or
// state machines. No outgoing queue runs, so the outbox grows with every syncable save, as it does while an app is
// offline.

typedef struct baseline_amplify baseline_amplify;

// Opens or creates the database file with Amplify's own pragmas: a rollback journal (DELETE) and synchronous FULL,
// which is SQLite's default. With `wal`, the only difference is journal_mode=WAL. A failure is reported as by
// `baseline_lmdb_open`.
baseline_status baseline_amplify_open(const char *path, bool wal, baseline_amplify **context);

// Closes the database and frees the context. NULL is allowed.
void baseline_amplify_close(baseline_amplify *context);

// The message of the last failure. It is valid until the next call on the context.
const char *baseline_amplify_message(const baseline_amplify *context);

// Saves the records one by one. A local-only save consists of steps 1 to 6, and a syncable save also of steps 7 to 11.
// One latency per save.
baseline_status baseline_amplify_save(
    baseline_amplify *context, const baseline_record *records, size_t count, bool syncable, uint64_t *latencies);

// Queries `count` records by their ids, which are 36 characters each, one after the other. For each query, the
// statement is built and prepared again, all columns are turned into JSON, and the JSON is parsed into `*post`. One
// latency per query.
baseline_status baseline_amplify_read(
    baseline_amplify *context, const uint8_t *identifiers, size_t count, baseline_post *post, uint64_t *latencies);

// The number of posts in the table, and of mutations in the outbox (as `log`).
baseline_status baseline_amplify_counts(baseline_amplify *context, baseline_counts *counts);

// Line `number` (from 0) of the statements of the path, in order: the set-up, and then one save with the numbers of its
// steps. The result is NULL after the last step. `*text` is the SQL, or the description of a step without SQL.
const char *baseline_amplify_step(size_t number, const char **text);

// MARK: - The costs of a process (Linux only, else BASELINE_UNSUPPORTED or 0)

// The resident anonymous memory in bytes. It does not include mapped pages of a store. The kernel does not keep the
// peak of this number, so sample it while the work runs.
baseline_status baseline_anonymous_bytes(uint64_t *bytes);

// Returns freed memory to the system, so that memory that is allocated later shows as a rise.
void baseline_trim_memory(void);

// The bytes that the device of `path` has written so far, for all processes and for the file system's own journal.
// Flush the store before and after the work. If the device has no counter, the result is the bytes that this process
// wrote. They are counted in pages when the pages get dirty, without pages that were truncated before they were
// written.
baseline_status baseline_device_bytes(const char *path, uint64_t *bytes);

// How often the process has waited for a device so far. This counts fsync, fdatasync, msync, and writes through
// descriptors that were opened with O_DSYNC, for every library.
uint64_t baseline_sync_count(void);

// MARK: - Versions

// The versions of the linked libraries, in the form in which the libraries report them.
const char *baseline_lmdb_version(void);
const char *baseline_sqlite_version(void);
