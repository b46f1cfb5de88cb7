// As much JSON as the Amplify save path needs: flat objects of strings, integers and nulls.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Text that grows. After a failed allocation `failed` is set and writing does nothing.
typedef struct json_text {
    char *bytes;
    size_t length;
    size_t capacity;
    bool failed;
} json_text;

void json_free(json_text *text);
void json_clear(json_text *text);

// Members of an object between `json_begin_object` and `json_end_object`; objects between the brackets of an array get
// their commas by themselves.
void json_begin_array(json_text *text);
void json_end_array(json_text *text);
void json_begin_object(json_text *text);
void json_end_object(json_text *text);
void json_string_member(json_text *text, const char *name, const void *value, size_t length);
void json_integer_member(json_text *text, const char *name, int64_t value);
void json_null_member(json_text *text, const char *name);

// A parsed member. A string's bytes lie in the parsed text, unescaped in place.
typedef struct json_member {
    const char *name;
    size_t name_length;
    const char *string;                         // NULL where the value is none
    size_t string_length;
    int64_t integer;
} json_member;

// Takes a member of the object that is number `object` (from 0) of the array; false ends the parsing as failed.
typedef bool json_member_function(void *target, size_t object, const json_member *member);

// Parses an array of flat objects, overwriting the text. False where it is no such array.
bool json_parse_rows(json_text *text, json_member_function *take, void *target);

bool json_name_is(const json_member *member, const char *name);
