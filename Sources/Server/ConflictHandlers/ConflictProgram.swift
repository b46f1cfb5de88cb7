internal import TidelogPlatform

/// A program that decides conflicts. It starts once for each conflict, reads the case as JSON from its standard input, and
/// writes its verdict as JSON to its standard output.
///
/// The program starts without a shell. It gets none of the server's open files, and only the environment variables that
/// programs need to run. Its standard error is the server's. When the conflict is decided, every process of the program's
/// process group is killed.
package struct ConflictProgram: Sendable {
    private static let gate = Gate(width: 8)
    private let path: String

    /// Makes a conflict program from its path.
    ///
    /// - Throws: ``ServiceOptions.ConflictSettingError`` if the path names no program that this process may run.
    package init(path: String) throws(ServiceOptions.ConflictSettingError) {
        guard path.utf8.contains(UInt8(ascii: "/")), !path.utf8.contains(0) else {
            throw ServiceOptions.ConflictSettingError(
                "custom:\(path) is neither a URL nor the path of a program, like custom:./program.")
        }
        var status = stat()
        guard stat(path, &status) == 0 else {
            throw ServiceOptions.ConflictSettingError("There is no program \(path).")
        }
        guard status.st_mode & S_IFMT == S_IFREG, access(path, X_OK) == 0 else {
            throw ServiceOptions.ConflictSettingError("\(path) is no program that can be run.")
        }
        self.path = path
    }

    /// Runs the program and returns its verdict. At most 8 programs run at once; further calls wait.
    package func verdict(on conflict: ConflictCase) async throws -> ConflictCase.Verdict {
        let input = conflict.json
        try await Self.gate.enter()
        defer { Self.gate.leave() }
        let output = try await BlockingWork.run { [path] cancellation in
            var child = try ChildProgram(path)
            defer { child.end() }
            return try child.answer(to: input, cancellation)
        }
        return try ConflictCase.Verdict(json: output)
    }
}
