#include "missing_snapshots.h"

#define MISSING __attribute__((weak))

MISSING int sqlite3_snapshot_get(sqlite3 *connection, const char *schema, sqlite3_snapshot **snapshot) {
    return SQLITE_ERROR;
}

MISSING int sqlite3_snapshot_open(sqlite3 *connection, const char *schema, sqlite3_snapshot *snapshot) {
    return SQLITE_ERROR;
}

MISSING void sqlite3_snapshot_free(sqlite3_snapshot *snapshot) {}

MISSING int sqlite3_snapshot_cmp(sqlite3_snapshot *first, sqlite3_snapshot *second) { return 0; }
