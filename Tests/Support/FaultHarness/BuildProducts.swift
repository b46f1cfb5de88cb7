public import Foundation

/// Finds what the build made beside the running tests.
public enum BuildProducts {
    /// The variable that names the directory of the products, if they do not lie beside the tests.
    public static let directoryVariable = "TIDELOG_PRODUCTS"

    /// The path of an executable or a library, such as `FaultVictim` or `libFaultInjection.so`.
    ///
    /// Looked for in the directory that `TIDELOG_PRODUCTS` names, else beside the running executable and above it.
    ///
    /// - Throws: ``BuildProductError`` if there is none.
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

/// A product that was not found.
public struct BuildProductError: Error, CustomStringConvertible {
    /// The file's name.
    public let name: String
    /// The directories that were searched.
    public let searched: [String]

    /// What is missing, and what to do about it.
    public var description: String {
        "\(name) was not found in \(searched.joined(separator: ", ")): build all products first (swift build), "
            + "or name their directory in \(BuildProducts.directoryVariable)"
    }
}
