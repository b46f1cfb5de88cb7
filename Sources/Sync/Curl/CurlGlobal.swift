internal import CCurl
internal import TidelogFoundation

/// The state that libcurl keeps for the whole process.
enum CurlGlobal {
    /// Whether libcurl is ready. The first access sets libcurl up.
    static let isReady = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK
}
