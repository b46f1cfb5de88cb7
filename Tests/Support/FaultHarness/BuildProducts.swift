public import Foundation

/// Finds the products of the build near the running tests.
public enum BuildProducts {
    /// The environment variable that names the directory of the products, if they are not near the tests.
    public static let directoryVariable = "TIDELOG_PRODUCTS"

    /// The path of an executable, such as `FaultVictim`.
    ///
    /// The search looks only in the directory that `TIDELOG_PRODUCTS` names. If the variable is not set, it looks in the
    /// directory of the running executable and in the directories above it.
    ///
    /// - Throws: ``BuildProductError`` if there is no such file.
    public static func url(of name: String) throws -> URL {
        var searched: [String] = []
        for directory in candidates() {
            let file = directory.appendingPathComponent(name)
            if FileManager.default.fileExists(atPath: file.path) { return file }
            searched.append(directory.path)
        }
        throw BuildProductError(name: name, searched: searched)
    }

    private static func candidates() -> [URL] {
        if let named = ProcessInfo.processInfo.environment[directoryVariable] {
            return [URL(fileURLWithPath: named, isDirectory: true)]
        }
        var result: [URL] = []
        let own = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"))
        for path in [own, CommandLine.arguments.first].compactMap({ $0 }) {
            var directory = URL(fileURLWithPath: path).deletingLastPathComponent()
            for _ in 0..<4 where directory.path != "/" {
                result.append(directory)
                directory = directory.deletingLastPathComponent()
            }
        }
        return result
    }
}

/// The error for a product that was not found.
public struct BuildProductError: Error, CustomStringConvertible {
    /// The name of the file.
    public let name: String
    /// The directories that were searched.
    public let searched: [String]

    /// A text that names the missing product and says how to build it.
    public var description: String {
        "\(name) was not found in \(searched.joined(separator: ", ")): build all products first (swift build), "
            + "or name their directory in \(BuildProducts.directoryVariable)"
    }
}
