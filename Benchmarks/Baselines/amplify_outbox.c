// The Amplify save path of a syncable model: steps 7 to 11, which are outside the transaction of the row.
#include "amplify_path.h"

#include <stdio.h>

// Step 7: encodes the model as JSON.
static void encode_model(json_text *text, const baseline_record *record) {
    static const struct {
        const char *name;
        baseline_field field;
    } texts[BASELINE_TEXT_COUNT] = {
        {"title", BASELINE_TITLE}, {"content", BASELINE_CONTENT}, {"status", BASELINE_STATUS_FIELD},
        {"createdAt", BASELINE_CREATED_AT}, {"updatedAt", BASELINE_UPDATED_AT},
    };
    json_clear(text);
    json_begin_object(text);
    json_string_member(text, "id", record->identifier.bytes, record->identifier.length);
    json_integer_member(text, "rating", record->rating);
    for (int index = 0; index < BASELINE_TEXT_COUNT; index++) {
        baseline_text value = record->texts[texts[index].field];
        json_string_member(text, texts[index].name, value.bytes, value.length);
    }
    json_end_object(text);
}

static uint64_t next_random(uint64_t *state) {
    uint64_t value = *state += UINT64_C(0x9E3779B97F4A7C15);
    value = (value ^ value >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    value = (value ^ value >> 27) * UINT64_C(0x94D049BB133111EB);
    return value ^ value >> 31;
}

static void make_identifier(uint64_t *state, char identifier[IDENTIFIER_LENGTH + 1]) {
    uint64_t high = next_random(state), low = next_random(state);
    snprintf(
        identifier, IDENTIFIER_LENGTH + 1, "%08X-%04X-4%03X-%04X-%012llX", (unsigned)(high >> 32),
        (unsigned)(high >> 16 & 0xFFFF), (unsigned)(high & 0xFFF), (unsigned)(low >> 48 & 0x3FFF) | 0x8000,
        (unsigned long long)(low & UINT64_C(0xFFFFFFFFFFFF)));
}

static void make_instant(char instant[INSTANT_LENGTH + 1]) {
    struct timespec time;
    struct tm parts;
    char seconds[24];
    clock_gettime(CLOCK_REALTIME, &time);
    gmtime_r(&time.tv_sec, &parts);
    strftime(seconds, sizeof seconds, "%Y-%m-%dT%H:%M:%S", &parts);
    snprintf(instant, INSTANT_LENGTH + 1, "%.19s.%03uZ", seconds, (unsigned)(time.tv_nsec / 1000000) % 1000);
}

// The id of the first pending mutation that was parsed from JSON.
typedef struct pending_mutation {
    char identifier[IDENTIFIER_LENGTH + 1];
    size_t objects;
} pending_mutation;

static bool take_mutation_member(void *target, size_t object, const json_member *member) {
    pending_mutation *pending = target;
    pending->objects = object + 1;
    if (object > 0 || !json_name_is(member, "id")) return true;
    if (member->string_length != IDENTIFIER_LENGTH) return false;
    memcpy(pending->identifier, member->string, IDENTIFIER_LENGTH);
    return true;
}

static baseline_status decode_mutations(baseline_amplify *context, pending_mutation *pending) {
    bool parsed = json_parse_rows(&context->rows, take_mutation_member, pending);
    return parsed ? BASELINE_OK : amplify_fail(context, BASELINE_LAYOUT, "a mutation does not come back from JSON");
}

// Step 8: finds the pending mutations of the record.
static baseline_status find_pending(
    baseline_amplify *context, const baseline_record *record, pending_mutation *pending) {
    sqlite3_stmt *statement = NULL;
    baseline_status status = amplify_prepare(context, AMPLIFY_PENDING, &statement);
    if (status != BASELINE_OK) return status;
    int code = amplify_bind(statement, 1, record->identifier.bytes, record->identifier.length);
    if (!code) code = amplify_bind(statement, 2, "Post", 4);
    if (!code) code = sqlite3_bind_int64(statement, 3, 0);
    status = amplify_rows_to_json(context, statement, code);
    return status == BASELINE_OK ? decode_mutations(context, pending) : status;
}

// Step 10: writes the mutation. The columns are bound in their order. The id comes first in an insert and last in an
// update.
static baseline_status write_mutation(
    baseline_amplify *context, const baseline_record *record, const char *identifier, bool exists, bool is_new) {
    const char *type = is_new ? "create" : "update";
    char instant[INSTANT_LENGTH + 1];
    make_instant(instant);
    sqlite3_stmt *statement = NULL;
    baseline_status status =
        amplify_prepare(context, exists ? AMPLIFY_OUTBOX_UPDATE : AMPLIFY_OUTBOX_INSERT, &statement);
    if (status != BASELINE_OK) return status;
    int first = exists ? 1 : 2;
    int code = amplify_bind(statement, exists ? 9 : 1, identifier, IDENTIFIER_LENGTH);
    if (!code) code = amplify_bind(statement, first, instant, INSTANT_LENGTH);
    if (!code) code = sqlite3_bind_null(statement, first + 1);
    if (!code) code = sqlite3_bind_int64(statement, first + 2, 0);
    if (!code) code = amplify_bind(statement, first + 3, context->model.bytes, context->model.length);
    if (!code) code = amplify_bind(statement, first + 4, record->identifier.bytes, record->identifier.length);
    if (!code) code = amplify_bind(statement, first + 5, "Post", 4);
    if (!code) code = amplify_bind(statement, first + 6, type, strlen(type));
    if (!code) code = sqlite3_bind_null(statement, first + 7);
    return amplify_run(context, statement, code);
}

// Step 11: reads the mutation back.
static baseline_status read_back(baseline_amplify *context, const char *identifier) {
    sqlite3_stmt *statement = NULL;
    pending_mutation mutation = {0};
    baseline_status status = amplify_prepare(context, AMPLIFY_OUTBOX_READ_BACK, &statement);
    if (status != BASELINE_OK) return status;
    int code = amplify_bind(statement, 1, identifier, IDENTIFIER_LENGTH);
    status = amplify_rows_to_json(context, statement, code);
    if (status == BASELINE_OK) status = decode_mutations(context, &mutation);
    if (status != BASELINE_OK || mutation.objects == 1) return status;
    return amplify_fail(context, BASELINE_NOT_FOUND, "the mutation is not there");
}

baseline_status amplify_enqueue(baseline_amplify *context, const baseline_record *record, bool is_new) {
    pending_mutation pending = {0};
    encode_model(&context->model, record);
    if (context->model.failed) return amplify_fail(context, BASELINE_OUT_OF_MEMORY, "out of memory");
    baseline_status status = find_pending(context, record, &pending);
    if (status != BASELINE_OK) return status;
    // A pending mutation of the same record is rewritten. Otherwise a new mutation is written.
    if (pending.objects == 0) make_identifier(&context->identifier_state, pending.identifier);
    bool exists = false;
    status = amplify_exists(context, AMPLIFY_OUTBOX_EXISTS, pending.identifier, IDENTIFIER_LENGTH, &exists);
    if (status == BASELINE_OK) status = write_mutation(context, record, pending.identifier, exists, is_new);
    return status == BASELINE_OK ? read_back(context, pending.identifier) : status;
}
