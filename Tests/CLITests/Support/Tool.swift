import FaultHarness
import Foundation
import TidelogJSON

/// The result of one run of the tool.
struct Outcome {
    let status: Int32
    /// The lines of standard output.
    let lines: [String]
    /// Standard error.
    let errors: String

    var output: String { lines.joined(separator: "\n") }

    /// The lines of standard output as JSON.
    func objects() throws -> [JSONValue] { try lines.map { try JSONValue(parsing: Array($0.utf8)) } }

    /// Standard output as one JSON value.
    func object() throws -> JSONValue { try JSONValue(parsing: Array(output.utf8)) }

    /// The error that `--json` wrote to standard error.
    func error() throws -> JSONValue {
        let line = errors.split(separator: "\n").last { $0.hasPrefix("{\"error\"") } ?? ""
        let value = try JSONValue(parsing: Array(line.utf8))
        return value["error"] ?? .null
    }
}

/// The built executable.
enum Tool {
    static func url() throws -> URL { try BuildProducts.url(of: "tidelog") }

    /// Starts the tool without waiting for its end.
    static func start(_ arguments: [String], environment added: [String: String] = [:]) throws -> ChildProcess {
        try ChildProcess(url(), arguments, environment: environment.merging(added) { $1 })
    }

    /// These values keep the environment of the machine from choosing the store or colors.
    private static let environment = ["TIDELOG_STORE": "", "NO_COLOR": "1"]

    static func run(_ arguments: [String], within limit: Duration = .seconds(60)) throws -> Outcome {
        try finish(start(arguments), within: limit)
    }

    static func run(_ arguments: String...) throws -> Outcome { try run(arguments) }

    /// Runs a line of shell in `directory`. The name `tidelog` runs the tool.
    static func shell(_ line: String, in directory: URL) throws -> Outcome {
        let path = try url().deletingLastPathComponent().path
        let child = try ChildProcess(
            URL(fileURLWithPath: "/bin/sh"), ["-c", "cd \"$0\" || exit\n\(line)", directory.path],
            environment: environment.merging(["PATH": path + ":/usr/bin:/bin"]) { $1 })
        return try finish(child, within: .seconds(60))
    }

    static func finish(_ child: ChildProcess, within limit: Duration = .seconds(60)) throws -> Outcome {
        let exit = try child.wait(within: limit)
        let status: Int32 =
            switch exit {
            case .exited(let status): status
            case .signalled(let signal): -signal
            }
        return Outcome(status: status, lines: child.lines, errors: child.errorText)
    }
}

extension JSONValue {
    var text: String? {
        if case .string(let text) = self { text } else { nil }
    }

    var number: Int? {
        if case .int(let number) = self { Int(number) } else { nil }
    }

    var flag: Bool? {
        if case .bool(let flag) = self { flag } else { nil }
    }

    var elements: [JSONValue] {
        if case .array(let elements) = self { elements } else { [] }
    }

    /// The keys of an object, in order.
    var keys: [String] {
        if case .object(let members) = self { members.map(\.key) } else { [] }
    }
}
