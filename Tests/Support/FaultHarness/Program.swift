import Foundation

/// A program that is run to its end.
public enum Program {
    /// How it ended, and what it printed to standard error.
    public typealias Outcome = (status: Int32, errors: String)

    /// Runs the program called `name`, found by the search path.
    ///
    /// On Linux not by Foundation: if a thousand files are open, as in a process that runs every test, its way to start
    /// one reads beyond a directory's last entry and now and then ends the process.
    public static func run(_ name: String, _ arguments: [String]) throws -> Outcome {
        let environment = URL(fileURLWithPath: "/usr/bin/env")
        #if os(Linux)
            let child = try ChildProcess(environment, [name] + arguments)
            let exit = try child.wait(within: .seconds(600))
            let status: Int32 =
                switch exit {
                case .exited(let status): status
                case .signalled(let signal): -signal
                }
            return (status, child.errorText)
        #else
            let process = Process()
            process.executableURL = environment
            process.arguments = [name] + arguments
            let errors = Pipe()
            process.standardError = errors
            try process.run()
            let text = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
            process.waitUntilExit()
            return (process.terminationStatus, text)
        #endif
    }
}
