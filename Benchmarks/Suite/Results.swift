import Foundation

/// Lines of results and the facts of the machines that they were measured on, as files keep them.
struct Results: Sendable {
    private(set) var machines: [Machine] = []
    private(set) var lines: [ResultLine] = []

    init() {}

    /// Reads a file of JSON lines.
    init(file: String) throws {
        guard let bytes = FileManager.default.contents(atPath: file) else {
            throw UsageError("\(file) cannot be read")
        }
        struct Facts: Decodable { let machine: Machine }
        let decoder = JSONDecoder()
        for (index, line) in bytes.split(separator: UInt8(ascii: "\n")).enumerated() {
            do {
                if let facts = try? decoder.decode(Facts.self, from: Data(line)) {
                    machines.append(facts.machine)
                } else {
                    add([try decoder.decode(ResultLine.self, from: Data(line))])
                }
            } catch {
                throw UsageError("\(file), line \(index + 1) is no result: \(error)")
            }
        }
    }

    mutating func add(_ machine: Machine) { machines.append(machine) }

    /// Adds lines; each takes the place of an earlier one that speaks of the same thing.
    mutating func add(_ new: [ResultLine]) {
        for line in new {
            lines.removeAll { $0.identity == line.identity }
            lines.append(line)
        }
    }

    /// Adds a run to a file.
    static func append(_ machine: Machine, _ lines: [ResultLine], to file: String) throws {
        let text = ([machine.json] + lines.map(\.json)).map { $0 + "\n" }.joined()
        if !FileManager.default.fileExists(atPath: file) {
            guard FileManager.default.createFile(atPath: file, contents: nil) else {
                throw UsageError("\(file) cannot be written")
            }
        }
        guard let handle = FileHandle(forWritingAtPath: file) else { throw UsageError("\(file) cannot be written") }
        defer { try? handle.close() }
        try handle.seekToEnd()
        try handle.write(contentsOf: Data(text.utf8))
    }
}
