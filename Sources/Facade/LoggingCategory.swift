import Foundation

/// Log messages for developers, written to standard error.
public struct LoggingCategory: Sendable {
    /// Writes an error.
    public func error(error: any Error) { write("error", "\(error)") }

    /// Writes the message of an error.
    public func error(_ message: @autoclosure () -> String) { write("error", message()) }

    /// Writes a warning.
    public func warn(_ message: @autoclosure () -> String) { write("warning", message()) }

    /// Writes information.
    public func info(_ message: @autoclosure () -> String) { write("info", message()) }

    /// Writes a detailed message.
    public func debug(_ message: @autoclosure () -> String) { write("debug", message()) }

    /// Writes a very detailed message.
    public func verbose(_ message: @autoclosure () -> String) { write("verbose", message()) }

    private func write(_ level: String, _ message: String) {
        FileHandle.standardError.write(Data("\(level): \(message)\n".utf8))
    }
}
