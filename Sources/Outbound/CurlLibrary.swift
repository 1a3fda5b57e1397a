import CCurl

/// The global state of libcurl.
enum CurlLibrary {
    /// `curl_global_init` runs once per process, on first use.
    static let isReady: Bool = ccurl_global_init() == CURLE_OK
}
