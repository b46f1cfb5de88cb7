#if os(Linux)
    import Foundation
    import Glibc

    /// Has this process end where it asks for more than `byteCount` bytes of addresses from now on: for the child of an exit
    /// test.
    public func limitMemory(toAdditional byteCount: Int) throws {
        let pages = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ").first
        let present = pages.flatMap { Int($0) }.map { $0 * sysconf(Int32(_SC_PAGESIZE)) } ?? 0
        var limit = rlimit(rlim_cur: rlim_t(present + byteCount), rlim_max: rlim_t(present + byteCount))
        guard setrlimit(__rlimit_resource_t(UInt32(RLIMIT_AS.rawValue)), &limit) == 0 else { throw POSIXError(.EINVAL) }
    }
#endif
