// The statements that Amplify DataStore issues for one save(), in order. No other code contains them.
#pragma once

typedef enum amplify_step {
    // The set-up, once per database.
    AMPLIFY_AUTO_VACUUM = 0,
    AMPLIFY_ENCODING,
    AMPLIFY_FOREIGN_KEYS,
    AMPLIFY_CASE_SENSITIVE_LIKE,
    AMPLIFY_WAL,
    AMPLIFY_CREATE_POST,
    AMPLIFY_CREATE_POST_INDEX,
    AMPLIFY_CREATE_OUTBOX,
    // The statements of one save.
    AMPLIFY_EXISTS_OUTSIDE,
    AMPLIFY_BEGIN,
    AMPLIFY_EXISTS_INSIDE,
    AMPLIFY_INSERT,
    AMPLIFY_UPDATE,
    AMPLIFY_READ_BACK,
    AMPLIFY_COMMIT,
    AMPLIFY_ENCODE,
    AMPLIFY_PENDING,
    AMPLIFY_OUTBOX_EXISTS,
    AMPLIFY_OUTBOX_INSERT,
    AMPLIFY_OUTBOX_UPDATE,
    AMPLIFY_OUTBOX_READ_BACK,
    // The query by id.
    AMPLIFY_QUERY,
    AMPLIFY_STEP_COUNT,
} amplify_step;

typedef struct amplify_line {
    const char *number;                         // the number of the step, or the part that it belongs to
    const char *text;                           // SQL, or the description of a step without SQL
} amplify_line;

extern const amplify_line amplify_lines[AMPLIFY_STEP_COUNT];
