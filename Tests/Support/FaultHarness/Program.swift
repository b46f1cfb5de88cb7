import Foundation

/// Runs a program and waits for its end.
public enum Program {
    /// The exit status of the program, and its standard error.
    public typealias Outcome = (status: Int32, errors: String)

    /// Runs the program called `name`, found by the search path.
    ///
    /// On Linux this does not use Foundation. If a thousand files are open, as in a process that runs all tests, Foundation's
    /// code for starting a program reads beyond the last entry of a directory and sometimes crashes the process.
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
