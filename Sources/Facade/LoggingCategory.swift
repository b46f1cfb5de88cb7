import Foundation

/// Messages for developers, to standard error.
public struct LoggingCategory: Sendable {
    /// Writes an error.
    public func error(error: any Error) { write("error", "\(error)") }

    /// Writes the message of an error.
    public func error(_ message: @autoclosure () -> String) { write("error", message()) }

    /// Writes a warning.
    public func warn(_ message: @autoclosure () -> String) { write("warning", message()) }

    /// Writes what happened.
    public func info(_ message: @autoclosure () -> String) { write("info", message()) }

    /// Writes a detail.
    public func debug(_ message: @autoclosure () -> String) { write("debug", message()) }

    /// Writes a detail of a detail.
    public func verbose(_ message: @autoclosure () -> String) { write("verbose", message()) }

    private func write(_ level: String, _ message: String) {
        FileHandle.standardError.write(Data("\(level): \(message)\n".utf8))
    }
}
