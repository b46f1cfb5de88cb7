internal import TidelogPlatform

/// The limit of open files of this process. Sockets count as files.
enum DescriptorLimit {
    /// The number of files that the rest of the process may need.
    private static let reserve = 128

    /// Raises the limit so that the process can open `count` sockets, as far as the system allows it.
    ///
    /// - Returns: The number of sockets that the process can open.
    static func raise(forSockets count: Int) -> Int {
        #if canImport(Glibc)
            let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        #else
            let resource = RLIMIT_NOFILE
        #endif
        var limit = rlimit()
        guard getrlimit(resource, &limit) == 0 else { return count }
        let wanted = rlim_t(count + reserve)
        if limit.rlim_cur < wanted {
            var raised = limit
            raised.rlim_cur = min(wanted, limit.rlim_max)
            if setrlimit(resource, &raised) == 0 { limit = raised }
        }
        guard limit.rlim_cur < wanted else { return count }
        return max(Int(limit.rlim_cur) - reserve, Int(limit.rlim_cur) / 2)
    }
}
