#pragma once
#include <sqlite3.h>

// Swift imports no variadic function: one typed wrapper for each use.
static inline int tidelog_sqlite3_db_config_flag(sqlite3 *connection, int option, int value) {
    return sqlite3_db_config(connection, option, value, (int *)0);
}

// Swift imports no cast macro.
static inline sqlite3_destructor_type tidelog_sqlite3_transient(void) { return SQLITE_TRANSIENT; }

// Syncs the write-ahead log through the descriptor that SQLite holds: opening and closing the file by name could drop
// locks. Nothing to do where no log was opened yet. Its flag asks for a full flush where the system tells the two apart.
static inline int tidelog_sqlite3_sync_log(sqlite3 *connection) {
    sqlite3_file *file = (sqlite3_file *)0;
    int result = sqlite3_file_control(connection, "main", SQLITE_FCNTL_JOURNAL_POINTER, &file);
    if (result != SQLITE_OK || file == (sqlite3_file *)0 || file->pMethods == (const sqlite3_io_methods *)0) {
        return result;
    }
    return file->pMethods->xSync(file, SQLITE_SYNC_FULL);
}
