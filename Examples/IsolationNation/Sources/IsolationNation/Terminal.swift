import Dispatch
import Foundation

/// The lines that the user types, and the lines that the app shows.
enum Terminal {
    /// The lines of standard input, until it ends.
    static var lines: AsyncStream<String> {
        AsyncStream { continuation in
            // Reading blocks until the person types a line, so it must not run on a thread of the app's tasks.
            DispatchQueue(label: "lines").async {
                while let line = readLine() { continuation.yield(line) }
                continuation.finish()
            }
        }
    }

    /// Writes a line to standard output at once, even if the output is a pipe.
    static func show(_ line: String) { FileHandle.standardOutput.write(Data("\(line)\n".utf8)) }
}
