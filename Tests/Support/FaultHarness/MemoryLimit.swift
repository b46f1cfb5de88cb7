#if os(Linux)
    import Foundation
    import Glibc

    /// Limits the address space of this process: it crashes if it allocates more than `byteCount` further bytes. This is for
    /// the child process of an exit test.
    public func limitMemory(toAdditional byteCount: Int) throws {
        let pages = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ").first
        let present = pages.flatMap { Int($0) }.map { $0 * sysconf(Int32(_SC_PAGESIZE)) } ?? 0
        var limit = rlimit(rlim_cur: rlim_t(present + byteCount), rlim_max: rlim_t(present + byteCount))
        guard setrlimit(__rlimit_resource_t(UInt32(RLIMIT_AS.rawValue)), &limit) == 0 else { throw POSIXError(.EINVAL) }
    }
#endif
