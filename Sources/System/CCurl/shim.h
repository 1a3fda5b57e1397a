#ifndef CCURL_SHIM_H
#define CCURL_SHIM_H

#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>

// Swift cannot call C functions with variable arguments: one function per type of argument.
static inline CURLcode ccurl_set_text(CURL *handle, CURLoption option, const char *value) {
    return curl_easy_setopt(handle, option, value);
}
static inline CURLcode ccurl_set_number(CURL *handle, CURLoption option, long value) {
    return curl_easy_setopt(handle, option, value);
}
static inline CURLcode ccurl_set_large(CURL *handle, CURLoption option, curl_off_t value) {
    return curl_easy_setopt(handle, option, value);
}
static inline CURLcode ccurl_set_pointer(CURL *handle, CURLoption option, void *value) {
    return curl_easy_setopt(handle, option, value);
}
static inline CURLcode ccurl_set_list(CURL *handle, CURLoption option, struct curl_slist *value) {
    return curl_easy_setopt(handle, option, value);
}
static inline CURLcode ccurl_set_transfer(
    CURL *handle, CURLoption option, size_t (*function)(char *, size_t, size_t, void *)
) {
    return curl_easy_setopt(handle, option, function);
}
// Only one scheme is ever spoken by a handle. Older libraries know the numbers only, newer ones deprecate them.
static inline CURLcode ccurl_set_scheme(CURL *handle, const char *name, long number) {
#if LIBCURL_VERSION_NUM >= 0x075500
    (void)number;
    return curl_easy_setopt(handle, CURLOPT_PROTOCOLS_STR, name);
#else
    (void)name;
    return curl_easy_setopt(handle, CURLOPT_PROTOCOLS, number);
#endif
}
static inline CURLcode ccurl_response_code(CURL *handle, long *code) {
    return curl_easy_getinfo(handle, CURLINFO_RESPONSE_CODE, code);
}
// The absolute address that a redirect names, NULL without one; valid as long as the handle.
static inline CURLcode ccurl_redirect(CURL *handle, char **address) {
    return curl_easy_getinfo(handle, CURLINFO_REDIRECT_URL, address);
}
static inline CURLcode ccurl_info_number(CURL *handle, CURLINFO info, long *number) {
    return curl_easy_getinfo(handle, info, number);
}
// The descriptor of a connection that was made with CURLOPT_CONNECT_ONLY.
static inline CURLcode ccurl_active_socket(CURL *handle, curl_socket_t *descriptor) {
    return curl_easy_getinfo(handle, CURLINFO_ACTIVESOCKET, descriptor);
}
static inline CURLcode ccurl_set_open_socket(CURL *handle, curl_opensocket_callback function, void *context) {
    CURLcode code = curl_easy_setopt(handle, CURLOPT_OPENSOCKETFUNCTION, function);
    return code == CURLE_OK ? curl_easy_setopt(handle, CURLOPT_OPENSOCKETDATA, context) : code;
}
static inline const struct sockaddr *ccurl_address(const struct curl_sockaddr *address) {
    return &address->addr;
}
// Called on a connection before each request that uses it, also when it is not new. Older libraries do not have it.
static inline CURLcode ccurl_set_before_request(
    CURL *handle, int (*function)(void *, char *, char *, int, int), void *context
) {
#if LIBCURL_VERSION_NUM >= 0x075000
    CURLcode code = curl_easy_setopt(handle, CURLOPT_PREREQFUNCTION, function);
    return code == CURLE_OK ? curl_easy_setopt(handle, CURLOPT_PREREQDATA, context) : code;
#else
    (void)handle, (void)function, (void)context;
    return CURLE_OK;
#endif
}
// Without it, a transfer that is given up while its host's name is being resolved blocks until the resolver answers.
static inline CURLcode ccurl_leave_resolver(CURL *handle) {
#if LIBCURL_VERSION_NUM >= 0x075700
    return curl_easy_setopt(handle, CURLOPT_QUICK_EXIT, 1L);
#else
    (void)handle;
    return CURLE_OK;
#endif
}
static inline CURLMcode ccurl_multi_set_number(CURLM *multi, CURLMoption option, long value) {
    return curl_multi_setopt(multi, option, value);
}
static inline CURLMcode ccurl_multi_set_callbacks(
    CURLM *multi, curl_socket_callback socket, curl_multi_timer_callback timer, void *context
) {
    curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, socket);
    curl_multi_setopt(multi, CURLMOPT_SOCKETDATA, context);
    curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, timer);
    return curl_multi_setopt(multi, CURLMOPT_TIMERDATA, context);
}
static inline CURLcode ccurl_message_result(const CURLMsg *message) {
    return message->data.result;
}
static inline CURLcode ccurl_global_init(void) {
    return curl_global_init(CURL_GLOBAL_DEFAULT);
}
static inline CURLUcode ccurl_url_parse(CURLU *url, const char *text) {
    return curl_url_set(url, CURLUPART_URL, text, CURLU_DISALLOW_USER);
}
static inline CURLUcode ccurl_url_part(CURLU *url, CURLUPart part, char **text) {
    return curl_url_get(url, part, text, part == CURLUPART_PORT ? CURLU_DEFAULT_PORT : 0);
}

#endif
