#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// A program that decides conflicts: started for each, the case as JSON on its standard input, its verdict as JSON on its
/// standard output.
///
/// No shell is between. It gets none of the server's files and, of its environment, what programs need to run. What it writes
/// to standard error goes to the server's. Nothing of its process group outlives the conflict.
package struct ConflictProgram: Sendable {
    private static let gate = Gate(width: 8)
    private let path: String

    /// A program by its path.
    ///
    /// - Throws: ``ConflictSettingError`` if there is none that this process may run.
    package init(path: String) throws(ConflictSettingError) {
        guard path.utf8.contains(UInt8(ascii: "/")), !path.utf8.contains(0) else {
            throw ConflictSettingError(
                "custom:\(path) is neither a URL nor the path of a program, like custom:./program.")
        }
        var status = stat()
        guard stat(path, &status) == 0 else { throw ConflictSettingError("There is no program \(path).") }
        guard status.st_mode & S_IFMT == S_IFREG, access(path, X_OK) == 0 else {
            throw ConflictSettingError("\(path) is no program that can be run.")
        }
        self.path = path
    }

    /// Decides by running the program. At most 8 run at once; others wait for them.
    package func verdict(on conflict: ConflictCase) async throws -> ConflictVerdict {
        let input = conflict.json
        try await Self.gate.enter()
        defer { Self.gate.leave() }
        let output = try await BlockingWork.run { [path] cancellation in
            var child = try ChildProgram(path)
            defer { child.end() }
            return try child.answer(to: input, cancellation)
        }
        return try ConflictVerdict(json: output)
    }
}
