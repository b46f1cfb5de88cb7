public import Foundation

/// A fresh directory that goes away with this value.
public final class TemporaryDirectory: Sendable {
    /// The directory.
    public let url: URL

    /// Makes a directory under the system's temporary one.
    public init(_ name: String = "tidelog") throws {
        url = FileManager.default.temporaryDirectory.appendingPathComponent("\(name)-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    /// A path in it.
    public func file(_ name: String) -> URL {
        url.appendingPathComponent(name)
    }

    deinit {
        try? FileManager.default.removeItem(at: url)
    }
}

extension TemporaryDirectory {
    /// A fresh path in a directory that goes away when the process ends: for what nobody can say when it is done with.
    public static func pathUntilExit(_ name: String) -> URL {
        untilExit.appendingPathComponent("\(name)-\(UUID().uuidString)")
    }

    private static let untilExit: URL = {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("tidelog-\(UUID().uuidString)")
        try? FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        atexit { try? FileManager.default.removeItem(at: TemporaryDirectory.untilExit) }
        return url
    }()
}
