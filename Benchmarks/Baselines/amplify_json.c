// A plain JSON writer and parser. It is much faster than the code that it replaces, so it flatters the Amplify save
// path.
#include "amplify_json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void json_free(json_text *text) {
    free(text->bytes);
    *text = (json_text){0};
}

void json_clear(json_text *text) {
    text->length = 0;
    text->failed = false;
}

// MARK: - Writing

// Makes room for `count` more bytes and one spare byte.
static bool reserve(json_text *text, size_t count) {
    if (text->failed) return false;
    size_t needed = text->length + count + 1;
    if (needed <= text->capacity) return true;
    size_t capacity = needed < 512 ? 1024 : 2 * needed;
    char *bytes = realloc(text->bytes, capacity);
    text->failed = bytes == NULL;
    if (text->failed) return false;
    text->bytes = bytes;
    text->capacity = capacity;
    return true;
}

static void put(json_text *text, const char *bytes, size_t length) {
    if (!reserve(text, length)) return;
    memcpy(text->bytes + text->length, bytes, length);
    text->length += length;
}

static void put_character(json_text *text, char character) { put(text, &character, 1); }

static void put_string(json_text *text, const void *value, size_t length) {
    if (!reserve(text, 6 * length + 2)) return;
    char *out = text->bytes + text->length;
    const unsigned char *in = value;
    *out++ = '"';
    for (size_t index = 0; index < length; index++) {
        unsigned char byte = in[index];
        if (byte == '"' || byte == '\\') {
            *out++ = '\\';
            *out++ = (char)byte;
        } else if (byte >= 0x20) {
            *out++ = (char)byte;
        } else {
            static const char digits[] = "0123456789abcdef";
            const char escape[6] = {'\\', 'u', '0', '0', digits[byte >> 4], digits[byte & 15]};
            memcpy(out, escape, sizeof escape);
            out += sizeof escape;
        }
    }
    *out++ = '"';
    text->length = (size_t)(out - text->bytes);
}

// Writes a comma, unless this is the first element.
static void separate(json_text *text) {
    if (text->failed || text->length == 0) return;
    char last = text->bytes[text->length - 1];
    if (last != '[' && last != '{') put_character(text, ',');
}

static void put_name(json_text *text, const char *name) {
    separate(text);
    put_string(text, name, strlen(name));
    put_character(text, ':');
}

void json_begin_array(json_text *text) { put_character(text, '['); }

void json_end_array(json_text *text) { put_character(text, ']'); }

void json_begin_object(json_text *text) {
    separate(text);
    put_character(text, '{');
}

void json_end_object(json_text *text) { put_character(text, '}'); }

void json_string_member(json_text *text, const char *name, const void *value, size_t length) {
    put_name(text, name);
    put_string(text, value, length);
}

void json_integer_member(json_text *text, const char *name, int64_t value) {
    char digits[24];
    int length = snprintf(digits, sizeof digits, "%lld", (long long)value);
    put_name(text, name);
    put(text, digits, (size_t)length);
}

void json_null_member(json_text *text, const char *name) {
    put_name(text, name);
    put(text, "null", 4);
}

// MARK: - Parsing

// The part of the text that is not parsed yet.
typedef struct json_rest {
    char *next;
    char *end;
} json_rest;

static bool skip(json_rest *rest, char character) {
    if (rest->next == rest->end || *rest->next != character) return false;
    rest->next++;
    return true;
}

// The byte below 0x80 that an escape of four hexadecimal digits stands for; −1 for any other escape. The writer makes
// no other escapes.
static int parse_escape(const char *digits) {
    unsigned value = 0;
    for (int index = 0; index < 4; index++) {
        char digit = digits[index];
        if (digit >= '0' && digit <= '9') value = value << 4 | (unsigned)(digit - '0');
        else if (digit >= 'a' && digit <= 'f') value = value << 4 | (unsigned)(digit - 'a' + 10);
        else return -1;
    }
    return value < 0x80 ? (int)value : -1;
}

static bool parse_string(json_rest *rest, const char **string, size_t *length) {
    if (!skip(rest, '"')) return false;
    char *out = rest->next;
    *string = out;
    while (rest->next < rest->end && *rest->next != '"') {
        if (*rest->next != '\\') {
            *out++ = *rest->next++;
        } else if (rest->end - rest->next >= 6 && rest->next[1] == 'u') {
            int byte = parse_escape(rest->next + 2);
            if (byte < 0) return false;
            *out++ = (char)byte;
            rest->next += 6;
        } else if (rest->end - rest->next >= 2) {
            *out++ = rest->next[1];
            rest->next += 2;
        } else {
            return false;
        }
    }
    *length = (size_t)(out - *string);
    return skip(rest, '"');
}

static bool parse_integer(json_rest *rest, int64_t *integer) {
    bool is_negative = skip(rest, '-');
    uint64_t value = 0;
    char *first = rest->next;
    while (rest->next < rest->end && *rest->next >= '0' && *rest->next <= '9') {
        value = 10 * value + (uint64_t)(*rest->next++ - '0');
    }
    *integer = (int64_t)(is_negative ? 0 - value : value);
    return rest->next > first;
}

static bool parse_value(json_rest *rest, json_member *member) {
    if (rest->next == rest->end) return false;
    if (*rest->next == '"') return parse_string(rest, &member->string, &member->string_length);
    if (*rest->next != 'n') return parse_integer(rest, &member->integer);
    if (rest->end - rest->next < 4 || memcmp(rest->next, "null", 4) != 0) return false;
    rest->next += 4;
    return true;
}

static bool parse_object(json_rest *rest, size_t object, json_member_function *take, void *target) {
    if (!skip(rest, '{')) return false;
    if (skip(rest, '}')) return true;
    do {
        json_member member = {0};
        if (!parse_string(rest, &member.name, &member.name_length)) return false;
        if (!skip(rest, ':') || !parse_value(rest, &member) || !take(target, object, &member)) return false;
    } while (skip(rest, ','));
    return skip(rest, '}');
}

bool json_parse_rows(json_text *text, json_member_function *take, void *target) {
    if (text->failed) return false;
    json_rest rest = {.next = text->bytes, .end = text->bytes + text->length};
    if (!skip(&rest, '[')) return false;
    if (skip(&rest, ']')) return true;
    size_t object = 0;
    do {
        if (!parse_object(&rest, object++, take, target)) return false;
    } while (skip(&rest, ','));
    return skip(&rest, ']') && rest.next == rest.end;
}

bool json_name_is(const json_member *member, const char *name) {
    return member->name_length == strlen(name) && memcmp(member->name, name, member->name_length) == 0;
}
