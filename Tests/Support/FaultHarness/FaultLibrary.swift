internal import Foundation
internal import TidelogPlatform
internal import TidelogSynchronization

/// The library that victims preload, built from the C files of `FaultInjection`.
///
/// The package has no product for it, because apps that use Tidelog would see each product. A process that needs the library
/// builds it once, in less than a second.
enum FaultLibrary {
    private static let built = Mutex<String?>(nil)

    /// The path of the library.
    ///
    /// - Throws: ``FaultLibraryError`` if the compiler `clang` does not build it.
    static func path() throws -> String {
        try built.withLock { built in
            if let built { return built }
            let path = try build()
            built = path
            return path
        }
    }

    private static func build() throws -> String {
        let sources = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("FaultInjection")
        let files = try FileManager.default.contentsOfDirectory(at: sources, includingPropertiesForKeys: nil)
            .filter { $0.pathExtension == "c" }.map(\.path).sorted()
        // Victims can live longer than the process that built their library, so the library stays with the products.
        let products = try BuildProducts.url(of: "FaultVictim").deletingLastPathComponent()
        let library = products.appendingPathComponent("libFaultInjection.so").path
        let unfinished = "\(library).\(ProcessInfo.processInfo.processIdentifier)"
        let options = ["-shared", "-fPIC", "-O1", "-Wall", "-Wextra", "-Werror", "-o", unfinished]
        let headers = sources.appendingPathComponent("include").path
        let (status, errors) = try Program.run("clang", options + ["-I", headers] + files + ["-ldl"])
        guard status == 0 else { throw FaultLibraryError(message: errors) }
        // Several test processes may build the library at the same time. Each of them replaces the whole file.
        guard rename(unfinished, library) == 0 else {
            throw FaultLibraryError(message: "\(library) cannot be written: \(String(cString: strerror(errno)))")
        }
        return library
    }
}

/// The error if the library for victims was not built.
public struct FaultLibraryError: Error, CustomStringConvertible {
    /// The compiler's message.
    public let message: String

    /// A text for people.
    public var description: String { "The library for victims was not built: \(message)" }
}
