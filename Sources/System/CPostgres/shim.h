#pragma once
#include <libpq-fe.h>

// The C library's macro for this code is not visible to Swift.
enum { tidelog_postgres_sql_state = PG_DIAG_SQLSTATE, tidelog_postgres_primary_message = PG_DIAG_MESSAGE_PRIMARY };

static void tidelog_postgres_ignore_notice(void *context, const PGresult *result) {
    (void)context;
    (void)result;
}

// Notices of the server are for people at a terminal. Without this call, libpq writes them to standard error.
static inline void tidelog_postgres_ignore_notices(PGconn *connection) {
    PQsetNoticeReceiver(connection, tidelog_postgres_ignore_notice, NULL);
}
