// The statements of the Amplify save path, in order.
#include "amplify_statements.h"

#include "baselines.h"

#define POST_COLUMNS \
    "\"root\".\"id\" as \"id\", \"root\".\"content\" as \"content\", \"root\".\"createdAt\" as \"createdAt\"," \
    " \"root\".\"rating\" as \"rating\", \"root\".\"status\" as \"status\", \"root\".\"title\" as \"title\"," \
    " \"root\".\"updatedAt\" as \"updatedAt\""

#define OUTBOX_COLUMNS \
    "\"root\".\"id\" as \"id\", \"root\".\"createdAt\" as \"createdAt\"," \
    " \"root\".\"graphQLFilterJSON\" as \"graphQLFilterJSON\", \"root\".\"inProcess\" as \"inProcess\"," \
    " \"root\".\"json\" as \"json\", \"root\".\"modelId\" as \"modelId\", \"root\".\"modelName\" as \"modelName\"," \
    " \"root\".\"mutationType\" as \"mutationType\", \"root\".\"version\" as \"version\""

#define EXISTS_POST "select count(\"id\") from \"Post\" where \"id\" = ?"
#define SELECT_POST "select " POST_COLUMNS " from \"Post\" as \"root\" where 1 = 1 and (\"root\".\"id\" = ?)"

const amplify_line amplify_lines[AMPLIFY_STEP_COUNT] = {
    [AMPLIFY_AUTO_VACUUM] = {"set-up", "pragma auto_vacuum = full"},
    [AMPLIFY_ENCODING] = {"set-up", "pragma encoding = \"utf-8\""},
    [AMPLIFY_FOREIGN_KEYS] = {"set-up", "pragma foreign_keys = on"},
    [AMPLIFY_CASE_SENSITIVE_LIKE] = {"set-up", "pragma case_sensitive_like = off"},
    [AMPLIFY_WAL] = {"set-up, not Amplify's: only where the run says WAL", "pragma journal_mode = wal"},
    [AMPLIFY_CREATE_POST] =
        {"set-up",
         "create table if not exists \"Post\" (\"id\" text primary key not null, \"content\" text not null,"
         " \"createdAt\" text, \"rating\" integer not null, \"status\" text not null, \"title\" text not null,"
         " \"updatedAt\" text)"},
    [AMPLIFY_CREATE_POST_INDEX] = {"set-up", "create index if not exists \"byRating\" on \"Post\" (\"rating\")"},
    [AMPLIFY_CREATE_OUTBOX] =
        {"set-up",
         "create table if not exists \"MutationEvent\" (\"id\" text primary key not null, \"createdAt\" text not null,"
         " \"graphQLFilterJSON\" text, \"inProcess\" integer not null, \"json\" text not null,"
         " \"modelId\" text not null, \"modelName\" text not null, \"mutationType\" text not null,"
         " \"version\" integer)"},

    [AMPLIFY_EXISTS_OUTSIDE] = {"1", EXISTS_POST},
    [AMPLIFY_BEGIN] = {"2", "begin deferred transaction"},
    [AMPLIFY_EXISTS_INSIDE] = {"3", EXISTS_POST},
    [AMPLIFY_INSERT] =
        {"4, a new record",
         "insert into \"Post\" (\"id\", \"content\", \"createdAt\", \"rating\", \"status\", \"title\", \"updatedAt\")"
         " values (?, ?, ?, ?, ?, ?, ?)"},
    [AMPLIFY_UPDATE] =
        {"4, a known record",
         "update \"Post\" set \"content\" = ?, \"createdAt\" = ?, \"rating\" = ?, \"status\" = ?, \"title\" = ?,"
         " \"updatedAt\" = ? where \"id\" = ?"},
    [AMPLIFY_READ_BACK] = {"5, the row into JSON and parsed back", SELECT_POST},
    [AMPLIFY_COMMIT] = {"6", "commit transaction"},
    [AMPLIFY_ENCODE] = {"7", "the model into JSON (no SQL)"},
    [AMPLIFY_PENDING] =
        {"8, the rows into JSON and parsed back",
         "select " OUTBOX_COLUMNS " from \"MutationEvent\" as \"root\" where 1 = 1 and"
         " ((\"root\".\"modelId\" = ? and \"root\".\"modelName\" = ?)"
         " and (\"root\".\"inProcess\" = ? or \"root\".\"inProcess\" is null))"
         " order by \"root\".\"createdAt\" asc"},
    [AMPLIFY_OUTBOX_EXISTS] = {"9", "select count(\"id\") from \"MutationEvent\" where \"id\" = ?"},
    [AMPLIFY_OUTBOX_INSERT] =
        {"10, nothing pending for the record",
         "insert into \"MutationEvent\" (\"id\", \"createdAt\", \"graphQLFilterJSON\", \"inProcess\", \"json\","
         " \"modelId\", \"modelName\", \"mutationType\", \"version\") values (?, ?, ?, ?, ?, ?, ?, ?, ?)"},
    [AMPLIFY_OUTBOX_UPDATE] =
        {"10, the pending mutation of the record",
         "update \"MutationEvent\" set \"createdAt\" = ?, \"graphQLFilterJSON\" = ?, \"inProcess\" = ?, \"json\" = ?,"
         " \"modelId\" = ?, \"modelName\" = ?, \"mutationType\" = ?, \"version\" = ? where \"id\" = ?"},
    [AMPLIFY_OUTBOX_READ_BACK] =
        {"11, the row into JSON and parsed back",
         "select " OUTBOX_COLUMNS " from \"MutationEvent\" as \"root\" where 1 = 1 and (\"root\".\"id\" = ?)"},

    [AMPLIFY_QUERY] = {"query by id, the row into JSON and parsed back", SELECT_POST},
};

const char *baseline_amplify_step(size_t number, const char **text) {
    if (number >= AMPLIFY_STEP_COUNT) return NULL;
    *text = amplify_lines[number].text;
    return amplify_lines[number].number;
}
