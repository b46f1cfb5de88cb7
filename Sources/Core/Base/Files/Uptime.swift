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
        var status = stat()
        device = stat(directory, &status) == 0 ? Platform.text(ofDevice: status.st_dev) : ""
        mounts = Platform.mounts(of: directory, device: device)
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

    static var identifier: String? { pretended.withLock { $0 } ?? Platform.systemStart }
}
