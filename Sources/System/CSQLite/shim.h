#pragma once
#include <sqlite3.h>

// Swift imports no variadic function: one typed wrapper for each use.
static inline int tidelog_sqlite3_db_config_flag(sqlite3 *connection, int option, int value) {
    return sqlite3_db_config(connection, option, value, (int *)0);
}

// Swift imports no cast macro.
static inline sqlite3_destructor_type tidelog_sqlite3_transient(void) { return SQLITE_TRANSIENT; }
