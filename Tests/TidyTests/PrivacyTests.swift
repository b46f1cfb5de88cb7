import Foundation
import Testing

/// Apple wants to know why an app calls some functions. The manifest of privacy says it for this package.
@Suite("The manifest of privacy")
struct PrivacyTests {
    /// For each kind of function with a required reason, the functions.
    private static var functions: [String: Regex<Substring>] {
        [
            "FileTimestamp": /\b(?:stat|lstat|fstat|fstatat|getattrlist)\(|\.modificationDate\b/,
            "DiskSpace": /\b(?:statfs|statvfs|fstatfs|fstatvfs)\(|\bsystemFreeSize\b/,
            "SystemBootTime": /\bsystemUptime\b|\bmach_absolute_time\b/,
            "UserDefaults": /\bUserDefaults\b/,
        ]
    }

    @Test("names exactly the kinds of functions that an app's modules call")
    func reasons() throws {
        // Servers, programs and generators are not part of an app.
        let apps = ["System", "LMDB", "Core", "LogSalvage", "Adapters", "Sync", "Transport", "URLSessionTransport"]
        var called = Set<String>()
        for file in Repository.files(".swift", below: apps.map { "Sources/\($0)/" }) {
            for line in file.codeLines {
                for (name, pattern) in Self.functions where !called.contains(name) && line.contains(pattern) {
                    called.insert(name)
                }
            }
        }
        let path = Repository.root.appending(path: "Sources/Core/PrivacyInfo.xcprivacy")
        let manifest = try #require(
            PropertyListSerialization.propertyList(from: Data(contentsOf: path), format: nil) as? [String: Any])
        let types = try #require(manifest["NSPrivacyAccessedAPITypes"] as? [[String: Any]])
        let named = types.compactMap { $0["NSPrivacyAccessedAPIType"] as? String }
        #expect(Set(named) == Set(called.map { "NSPrivacyAccessedAPICategory\($0)" }))
        #expect(types.allSatisfy { ($0["NSPrivacyAccessedAPITypeReasons"] as? [String])?.isEmpty == false })
        #expect(manifest["NSPrivacyTracking"] as? Bool == false)
    }
}
