// The part of JSON that the Amplify save path needs: flat objects of strings, integers and nulls.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// A text that grows. If an allocation fails, `failed` is set and later writes do nothing.
typedef struct json_text {
    char *bytes;
    size_t length;
    size_t capacity;
    bool failed;
} json_text;

void json_free(json_text *text);
void json_clear(json_text *text);

// Members of an object are written between `json_begin_object` and `json_end_object`. The commas between the objects of
// an array are written automatically.
void json_begin_array(json_text *text);
void json_end_array(json_text *text);
void json_begin_object(json_text *text);
void json_end_object(json_text *text);
void json_string_member(json_text *text, const char *name, const void *value, size_t length);
void json_integer_member(json_text *text, const char *name, int64_t value);
void json_null_member(json_text *text, const char *name);

// A parsed member. The bytes of a string are in the parsed text, where they were unescaped in place.
typedef struct json_member {
    const char *name;
    size_t name_length;
    const char *string;                         // NULL if the value is not a string
    size_t string_length;
    int64_t integer;
} json_member;

// Receives a member of the object with the index `object` in the array. If it returns false, the parsing fails.
typedef bool json_member_function(void *target, size_t object, const json_member *member);

// Parses an array of flat objects, and overwrites the text. Returns false if the text is not such an array.
bool json_parse_rows(json_text *text, json_member_function *take, void *target);

bool json_name_is(const json_member *member, const char *name);
