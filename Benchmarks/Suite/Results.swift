import Foundation

/// Result lines, with the facts of the machines on which they were measured, as a file contains them.
struct Results: Sendable {
    private(set) var machines: [Machine] = []
    private(set) var entries: [Entry] = []

    /// A line, with the adapter that Tidelog used in the same run.
    struct Entry: Sendable {
        let line: ResultLine
        let adapter: String
    }

    var lines: [ResultLine] { entries.map(\.line) }

    init() {}

    /// Reads a file of JSON lines.
    init(file: String) throws {
        guard let bytes = FileManager.default.contents(atPath: file) else {
            throw UsageError("\(file) cannot be read")
        }
        struct Facts: Decodable { let machine: Machine }
        let decoder = JSONDecoder()
        var run: [ResultLine] = []
        for (index, line) in bytes.split(separator: UInt8(ascii: "\n")).enumerated() {
            do {
                if let facts = try? decoder.decode(Facts.self, from: Data(line)) {
                    add(run)
                    run = []
                    machines.append(facts.machine)
                } else {
                    run.append(try decoder.decode(ResultLine.self, from: Data(line)))
                }
            } catch {
                throw UsageError("\(file), line \(index + 1) is no result: \(error)")
            }
        }
        add(run)
    }

    mutating func add(_ machine: Machine) { machines.append(machine) }

    /// Adds the lines of one run. Each line replaces an earlier line with the same identity.
    mutating func add(_ run: [ResultLine]) {
        let adapter = run.first { $0.engine == "tidelog" }?.adapter ?? ""
        for line in run {
            entries.removeAll { $0.adapter == adapter && $0.line.identity == line.identity }
            entries.append(Entry(line: line, adapter: adapter))
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
