#pragma once
#include <curl/curl.h>

// Swift imports no variadic function: options by the type of their value.
static inline CURLcode tidelog_curl_set_number(CURL *handle, CURLoption option, long value) {
    return curl_easy_setopt(handle, option, value);
}

static inline CURLcode tidelog_curl_set_text(CURL *handle, CURLoption option, const char *value) {
    return curl_easy_setopt(handle, option, value);
}

// The bytes must stay as they are until the transfer has ended.
static inline CURLcode tidelog_curl_set_body(CURL *handle, const void *bytes, curl_off_t count) {
    CURLcode code = curl_easy_setopt(handle, CURLOPT_POSTFIELDSIZE_LARGE, count);
    return code != CURLE_OK ? code : curl_easy_setopt(handle, CURLOPT_POSTFIELDS, (const char *)bytes);
}

static inline CURLcode tidelog_curl_set_headers(CURL *handle, struct curl_slist *headers) {
    return curl_easy_setopt(handle, CURLOPT_HTTPHEADER, headers);
}

// `write` is given what is received, `progress` is asked now and then whether to go on; both get `context`.
static inline CURLcode tidelog_curl_set_callbacks(
    CURL *handle, size_t (*write)(char *bytes, size_t size, size_t count, void *context),
    int (*progress)(void *context, curl_off_t total, curl_off_t now, curl_off_t toSend, curl_off_t sent),
    void *context) {
    curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, write);
    curl_easy_setopt(handle, CURLOPT_WRITEDATA, context);
    curl_easy_setopt(handle, CURLOPT_NOPROGRESS, 0L);
    curl_easy_setopt(handle, CURLOPT_XFERINFOFUNCTION, progress);
    return curl_easy_setopt(handle, CURLOPT_XFERINFODATA, context);
}

static inline CURLcode tidelog_curl_status(CURL *handle, long *status) {
    return curl_easy_getinfo(handle, CURLINFO_RESPONSE_CODE, status);
}
