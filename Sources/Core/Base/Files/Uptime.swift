internal import CMount
internal import TidelogPlatform
internal import TidelogSynchronization

/// An uptime of a directory: one start of the operating system, and one mount of the directory's volume. During an
/// uptime the system keeps written data even if it is not synced. In another uptime this data may be lost.
///
/// An uptime is stored as a line of text (FORMATS, section 1.1).
struct Uptime: Sendable {
    /// The identifier of this start of the operating system, `nil` if the system does not provide one.
    private let start: String?
    /// The device of the volume.
    private let device: String
    /// Identifiers of this mount of the volume. Each of them distinguishes the mount from every other mount since the
    /// start of the system. There may be several, because not every process can see the same ones. The set is empty if
    /// the system provides none.
    private let mounts: Set<String>

    /// The present uptime of `directory`.
    init(of directory: String) {
        start = SystemStart.identifier
        device = Volume.device(of: directory)
        mounts = Volume.mounts(of: directory)
    }

    /// Reads the uptime from a line of text. A line from an earlier version names no mount.
    init(_ line: some StringProtocol) {
        let words = String(line).split(separator: " ").map(String.init)
        start = words.first
        device = words.count > 1 ? words[1] : ""
        mounts = Set(words.dropFirst(2))
    }

    /// The uptime as a line of text.
    var text: String { ([start ?? "unknown", device] + mounts.sorted()).joined(separator: " ") }

    /// Whether unsynced data from the uptime `other` certainly still exists in this uptime.
    func continues(_ other: Uptime) -> Bool {
        start != nil && start == other.start && device == other.device && !mounts.isDisjoint(with: other.mounts)
    }
}

/// The identifier of the present start of the operating system.
package enum SystemStart {
    private static let pretended = Mutex<String?>(nil)

    /// Makes this process believe that the system has started again, for tests of power loss.
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

/// Information about the volume of a directory.
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
        /// An identifier of the mount from `/sys`: the file system's directory there and its inode number, which is not
        /// used again. Some file systems have such a directory while they are mounted. Processes in containers, which
        /// see the volume through other mounts, get the same identifier.
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
