#pragma once
#include <curl/curl.h>

// Swift cannot import variadic functions. There is therefore one function for each type of an option's value.
static inline CURLcode tidelog_curl_set_number(CURL *handle, CURLoption option, long value) {
    return curl_easy_setopt(handle, option, value);
}

static inline CURLcode tidelog_curl_set_text(CURL *handle, CURLoption option, const char *value) {
    return curl_easy_setopt(handle, option, value);
}

// The bytes must stay valid and unchanged until the transfer has ended.
static inline CURLcode tidelog_curl_set_body(CURL *handle, const void *bytes, curl_off_t count) {
    CURLcode code = curl_easy_setopt(handle, CURLOPT_POSTFIELDSIZE_LARGE, count);
    return code != CURLE_OK ? code : curl_easy_setopt(handle, CURLOPT_POSTFIELDS, (const char *)bytes);
}

static inline CURLcode tidelog_curl_set_headers(CURL *handle, struct curl_slist *headers) {
    return curl_easy_setopt(handle, CURLOPT_HTTPHEADER, headers);
}

// The library calls `write` with received bytes. It calls `progress` from time to time, and the result tells whether
// the transfer continues. Both functions get `context`.
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

// Sets the body of a request. The library copies the bytes.
static inline CURLcode tidelog_curl_copy_body(CURL *handle, const void *bytes, curl_off_t count) {
    CURLcode code = curl_easy_setopt(handle, CURLOPT_POSTFIELDSIZE_LARGE, count);
    return code != CURLE_OK ? code : curl_easy_setopt(handle, CURLOPT_COPYPOSTFIELDS, (const char *)bytes);
}

// `buffer` has CURL_ERROR_SIZE bytes and must live as long as the handle.
static inline CURLcode tidelog_curl_set_error_buffer(CURL *handle, char *buffer) {
    return curl_easy_setopt(handle, CURLOPT_ERRORBUFFER, buffer);
}

// The library calls `write` with the body and `header` with each line of the header. Both functions get `context`.
static inline CURLcode tidelog_curl_set_receivers(
    CURL *handle, size_t (*write)(char *bytes, size_t size, size_t count, void *context),
    size_t (*header)(char *bytes, size_t size, size_t count, void *context), void *context) {
    curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, write);
    curl_easy_setopt(handle, CURLOPT_WRITEDATA, context);
    curl_easy_setopt(handle, CURLOPT_HEADERFUNCTION, header);
    return curl_easy_setopt(handle, CURLOPT_HEADERDATA, context);
}

// The library calls `prepare` each time it is about to send the request: also when it sends the request again, because a
// connection ended without an answer. The request is sent if the result is CURL_PREREQFUNC_OK. The function gets `context`.
static inline CURLcode tidelog_curl_set_preparation(
    CURL *handle, int (*prepare)(void *context, char *address, char *localAddress, int port, int localPort),
    void *context) {
    curl_easy_setopt(handle, CURLOPT_PREREQFUNCTION, prepare);
    return curl_easy_setopt(handle, CURLOPT_PREREQDATA, context);
}

// How many bytes of the request were given to connections so far, over all times that the library sent it.
static inline CURLcode tidelog_curl_sent_bytes(CURL *handle, long *count) {
    return curl_easy_getinfo(handle, CURLINFO_REQUEST_SIZE, count);
}

static inline CURLcode tidelog_curl_socket(CURL *handle, curl_socket_t *socket) {
    return curl_easy_getinfo(handle, CURLINFO_ACTIVESOCKET, socket);
}

static inline CURLMcode tidelog_curl_multi_set_number(CURLM *multi, CURLMoption option, long value) {
    return curl_multi_setopt(multi, option, value);
}

// The next transfer that has ended, and its result. NULL if there is none.
static inline CURL *tidelog_curl_multi_ended(CURLM *multi, CURLcode *result) {
    int left = 0;
    CURLMsg *message;
    while ((message = curl_multi_info_read(multi, &left)) != NULL) {
        if (message->msg != CURLMSG_DONE) continue;
        *result = message->data.result;
        return message->easy_handle;
    }
    return NULL;
}

enum { tidelog_curl_error_size = CURL_ERROR_SIZE };
