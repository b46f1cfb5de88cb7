@_spi(Adapters) internal import Tidelog
internal import TidelogJSON
@_spi(Adapters) internal import TidelogRecordJSON

/// A line of input that is not a record, and how to correct it.
struct BadLine {
    private let number: Int
    /// The fault: the whole input has another format, the line is not an object, or a value in the line is wrong.
    private let fault: Fault
    private let source: String
    private let command: String
    private let model: String

    private enum Fault {
        case format(InputFormat)
        case noObject(String, isCutOff: Bool)
        case value(RecordJSONError)
    }

    /// - Parameters:
    ///   - source: The name of the input.
    ///   - command: The command that reads it.
    init(
        _ bytes: UnsafeRawBufferPointer, _ number: Int, _ error: RecordJSONError, of source: String, command: String,
        model: String
    ) {
        self.number = number
        self.source = source
        self.command = command
        self.model = model
        let noObject = error.isOfWholeText ? NoObject(bytes, error) : nil
        fault =
            if noObject != nil, number == 1, let format = InputFormat(firstLine: bytes) {
                .format(format)
            } else if let noObject {
                .noObject(noObject.statement, isCutOff: noObject.isCutOff)
            } else {
                .value(error)
            }
    }

    /// The first line of an input in another format.
    init(_ format: InputFormat, of source: String, command: String, model: String) {
        number = 1
        fault = .format(format)
        self.source = source
        self.command = command
        self.model = model
    }

    /// Whether all other lines are unreadable too.
    var isHopeless: Bool {
        if case .format(let format) = fault { format.isHopeless } else { false }
    }

    /// The reason, for a message that begins with the number of the line.
    var reason: String {
        switch fault {
        case .format(let format): format.statement(source)
        case .noObject(let statement, _): "it \(statement)"
        case .value(let error): error.description
        }
    }

    /// The failure that ends the command.
    var failure: CommandFailure {
        let message =
            switch fault {
            case .format(let format): format.statement(source == InputSource.standardInput ? "Standard input" : source)
            case .noObject(let statement, _): "Line \(number) of \(source) \(statement)"
            case .value(let error): "Line \(number): \(error)"
            }
        return CommandFailure(.failed, "invalidValue", "\(message).", model: model, recovery: recovery)
    }

    private var recovery: String {
        let file = source == InputSource.standardInput ? "FILE" : source.asShellWord
        let reading = "tidelog \(command) --store DIR \(model) -"
        switch fault {
        case .format(let format): return format.wayOut(file, reading)
        case .noObject(_, isCutOff: true): return "Write each object on one line: `jq -c . \(file) | \(reading)`."
        default: break
        }
        guard command == "import" else { return "Correct the line. The lines before it may be saved already." }
        return "Correct the line, or leave such lines out with --skip-bad. The batches before it are saved."
    }
}

extension BadLine {
    /// A text that is not a JSON object.
    struct NoObject {
        /// The description of the text, as the second part of a sentence.
        let statement: String
        /// Whether the text ends inside a value. This is so for each line of an object that is written on several lines.
        let isCutOff: Bool

        /// - Parameter error: The reason for the refusal. It concerns the whole text and not a single field.
        init(_ bytes: UnsafeRawBufferPointer, _ error: RecordJSONError) {
            var reader = JSONReader(bytes)
            do {
                try reader.skipValue()
                try reader.expectEnd()
                isCutOff = false
                statement = "is JSON, but no object: \(error.message)"
            } catch {
                isCutOff = error.code == .unexpectedEnd
                statement = "is no JSON: \(error.message) at column \(error.position.column)"
            }
        }
    }
}

extension RecordJSONError {
    /// Whether the error concerns the whole text and not a single field.
    var isOfWholeText: Bool { code == .malformed || code == .wrongType && field == nil }
}

extension CommandFailure {
    /// The failure for a record that was given as an argument.
    init(_ error: RecordJSONError, of json: [UInt8]) {
        self.init(error.dataStoreError)
        guard error.isOfWholeText else { return }
        message = "The record \(json.withUnsafeBytes { BadLine.NoObject($0, error).statement })."
        recovery = "Give one JSON object, in single quotes for the shell: '{\"id\":\"1\"}'."
    }
}
