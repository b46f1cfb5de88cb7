internal import CCurl

/// A set of transfers that one thread drives.
//
// Soundness of `@unchecked Sendable`: only one thread calls the methods, except `wake`, which libcurl allows on any thread.
// The set is cleaned up when the last reference is dropped.
final class CurlMulti: @unchecked Sendable {
    private let set: UnsafeMutableRawPointer

    init?() {
        guard CurlTransport.isLibraryReady, let set = curl_multi_init() else { return nil }
        self.set = set
        // The number of idle connections that are kept.
        _ = tidelog_curl_multi_set_number(set, CURLMOPT_MAXCONNECTS, 16)
    }

    deinit { curl_multi_cleanup(set) }

    func add(_ handle: CurlHandle) -> Bool { curl_multi_add_handle(set, handle.pointer) == CURLM_OK }

    func remove(_ handle: CurlHandle) { curl_multi_remove_handle(set, handle.pointer) }

    /// Continues all transfers as far as possible without waiting.
    func perform() {
        var running: Int32 = 0
        _ = curl_multi_perform(set, &running)
    }

    /// The next transfer that has ended.
    func ended() -> (pointer: UnsafeMutableRawPointer, result: CURLcode)? {
        var result = CURLE_OK
        guard let pointer = tidelog_curl_multi_ended(set, &result) else { return nil }
        return (pointer, result)
    }

    /// Waits until there is something to do, until `wake` is called, or until the time has passed.
    func wait(milliseconds: Int32) {
        _ = curl_multi_poll(set, nil, 0, milliseconds, nil)
    }

    /// Waits as ``wait(milliseconds:)`` does, and also for a socket that the set does not watch itself.
    func wait(milliseconds: Int32, for socket: curl_socket_t, writing: Bool, reading: Bool) {
        let events = (reading ? CURL_WAIT_POLLIN : 0) | (writing ? CURL_WAIT_POLLOUT : 0)
        var watched = curl_waitfd(fd: socket, events: Int16(events), revents: 0)
        _ = curl_multi_poll(set, &watched, 1, milliseconds, nil)
    }

    /// Makes the current or the next call of `wait` return at once.
    func wake() { curl_multi_wakeup(set) }
}
