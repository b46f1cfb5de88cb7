public import Foundation

/// A new directory that is deleted together with this value.
public final class TemporaryDirectory: Sendable {
    /// The directory.
    public let url: URL

    /// Makes a directory in `folder`, or in the system's directory for temporary files.
    public init(_ name: String = "tidelog", in folder: URL = FileManager.default.temporaryDirectory) throws {
        url = folder.appendingPathComponent("\(name)-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    /// A path in the directory.
    public func file(_ name: String) -> URL {
        url.appendingPathComponent(name)
    }

    deinit {
        try? FileManager.default.removeItem(at: url)
    }
}

extension TemporaryDirectory {
    /// A new path in a directory that is deleted when the process ends. It is for files that have no clear owner.
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
