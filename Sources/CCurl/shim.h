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
