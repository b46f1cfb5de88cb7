internal import CMount
internal import Synchronization

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// For how long the system keeps what was written to a directory and not synced: one start of the operating system and one
/// mount of the directory's volume. In another uptime any of that may be lost.
///
/// Written down as a line of text (FORMATS, section 1.1).
struct Uptime: Sendable {
    /// Which start of the operating system it is; `nil` if the system does not say.
    private let start: String?
    /// The device of the volume.
    private let device: String
    /// What tells this mount of the volume from every other since the system started: each alone, where two processes do not
    /// see the same. Empty where the system says nothing.
    private let mounts: Set<String>

    /// The present uptime of `directory`.
    init(of directory: String) {
        start = SystemStart.identifier
        device = Volume.device(of: directory)
        mounts = Volume.mounts(of: directory)
    }

    /// The uptime that `line` names. One that an earlier version wrote names no mount.
    init(_ line: some StringProtocol) {
        let words = String(line).split(separator: " ").map(String.init)
        start = words.first
        device = words.count > 1 ? words[1] : ""
        mounts = Set(words.dropFirst(2))
    }

    /// The uptime as a line of text.
    var text: String { ([start ?? "unknown", device] + mounts.sorted()).joined(separator: " ") }

    /// Whether nothing unsynced was lost between `other` and this uptime.
    func continues(_ other: Uptime) -> Bool {
        start != nil && start == other.start && device == other.device && !mounts.isDisjoint(with: other.mounts)
    }

    /// Whether what was written to `directory`, unsynced, in the uptime that `line` names may be lost; not if `line` is
    /// empty.
    static func mayHaveEnded(_ line: String, at directory: String) -> Bool {
        !line.isEmpty && !Uptime(of: directory).continues(Uptime(line))
    }
}

/// Which start of the operating system this is.
package enum SystemStart {
    private static let pretended = Mutex<String?>(nil)

    /// Has this process take the present for another start of the system: for tests of power loss.
    package static func pretend(_ identifier: String) { pretended.withLock { $0 = identifier } }

    static var identifier: String? { pretended.withLock { $0 } ?? actual }

    private static let actual: String? = {
        #if os(Linux)
            let text = (try? FileSystem.read("/proc/sys/kernel/random/boot_id")) ?? nil
            let identifier = text.map { String($0.prefix { $0 != "\n" }) }
        #else
            var buffer = [CChar](repeating: 0, count: 64)
            var size = buffer.count
            guard sysctlbyname("kern.bootsessionuuid", &buffer, &size, nil, 0) == 0 else { return nil }
            let identifier = Optional(
                buffer.withUnsafeBytes { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) })
        #endif
        return identifier?.isEmpty ?? true ? nil : identifier
    }()
}

/// What the system says of the volume that a directory is on.
private enum Volume {
    static func device(of directory: String) -> String {
        var status = stat()
        guard stat(directory, &status) == 0 else { return "" }
        #if os(Linux)
            let device = UInt64(status.st_dev)
            return "\((device >> 8) & 0xFFF | (device >> 32) & ~0xFFF):\(device & 0xFF | (device >> 12) & ~0xFF)"
        #else
            return "\(status.st_dev)"
        #endif
    }

    static func mounts(of directory: String) -> Set<String> {
        #if os(Linux)
            var mounts = Set<String>()
            let number = tidelog_mount_number(directory)
            if number != 0 { mounts.insert("mount=\(number)") }
            if let fileSystem = mountedFileSystem(device(of: directory)) { mounts.insert(fileSystem) }
            if tidelog_is_volume_in_memory(directory) { mounts.insert("memory") }
            return mounts
        #else
            var volume = statfs()
            guard statfs(directory, &volume) == 0 else { return [] }
            return ["volume=\(volume.f_fsid.val.0).\(volume.f_fsid.val.1)"]
        #endif
    }

    #if os(Linux)
        /// The directory that some file systems have in `/sys` while they are mounted, with its number, which is not given
        /// again. Processes that see the volume through mounts of their own, as those in containers do, see the same one.
        private static func mountedFileSystem(_ device: String) -> String? {
            guard let target = realpath("/sys/dev/block/\(device)", nil) else { return nil }
            defer { free(target) }
            let name = String(cString: target).split { $0 == "/" }.last ?? ""
            for type in ["ext4", "xfs", "f2fs"] {
                var status = stat()
                if stat("/sys/fs/\(type)/\(name)", &status) == 0 { return "\(type)=\(status.st_ino)" }
            }
            return nil
        }
    #endif
}
