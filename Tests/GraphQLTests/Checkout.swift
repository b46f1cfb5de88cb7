import Foundation

/// Finds files of the repository that contains these tests.
enum Checkout {
    static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
    static let vectors = root.appending(path: "Tests/Fixtures/graphql")

    /// The GraphQL files of the examples, the tests and the documents, without build output. Each has its path from the root.
    static func graphQLFiles() -> [(path: String, bytes: [UInt8])] {
        (["Examples", "Tests", "docs"] as [String]).flatMap { (folder: String) -> [(path: String, bytes: [UInt8])] in
            let inside = FileManager.default.enumerator(atPath: root.appending(path: folder).path)
            let paths = inside?.compactMap { ($0 as? String).map { "\(folder)/\($0)" } } ?? []
            return paths.sorted().compactMap { path in
                guard path.hasSuffix(".graphql"), !path.contains("/.build"),
                    let data = FileManager.default.contents(atPath: root.appending(path: path).path)
                else { return nil }
                return (path, Array(data))
            }
        }
    }
}
