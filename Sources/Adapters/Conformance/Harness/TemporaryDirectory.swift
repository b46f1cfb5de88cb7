internal import TidelogFoundation

/// A separate directory for one case.
struct TemporaryDirectory {
    let path: String

    init() throws {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("tidelog-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        path = url.path
    }

    /// Removes the directory with all its content. Errors are ignored.
    func remove() { try? FileManager.default.removeItem(atPath: path) }
}
