#pragma once
#include <sqlite3.h>

// Swift cannot import variadic functions. There is therefore one typed wrapper for each use.
static inline int tidelog_sqlite3_db_config_flag(sqlite3 *connection, int option, int value) {
    return sqlite3_db_config(connection, option, value, (int *)0);
}

// Swift cannot import macros that are casts.
static inline sqlite3_destructor_type tidelog_sqlite3_transient(void) { return SQLITE_TRANSIENT; }

// Syncs the write-ahead log through the file descriptor that SQLite has open, because opening and closing the file by
// name could release locks. If SQLite has not opened the write-ahead log yet, there is nothing to do. The flag requests
// a full flush on systems that distinguish it from a plain sync.
static inline int tidelog_sqlite3_sync_log(sqlite3 *connection) {
    sqlite3_file *file = (sqlite3_file *)0;
    int result = sqlite3_file_control(connection, "main", SQLITE_FCNTL_JOURNAL_POINTER, &file);
    if (result != SQLITE_OK || file == (sqlite3_file *)0 || file->pMethods == (const sqlite3_io_methods *)0) {
        return result;
    }
    return file->pMethods->xSync(file, SQLITE_SYNC_FULL);
}
