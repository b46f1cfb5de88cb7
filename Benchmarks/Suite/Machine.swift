internal import CBaselines
import Foundation

/// The machine and the time of a run. Without these facts the figures of the run mean little.
struct Machine: Codable, Sendable {
    var processor: String
    var cores: Int
    var memoryBytes: UInt64
    var kernel: String
    var fileSystem: String
    var lmdb: String
    var sqlite: String
    var swift: String
    var date: String
    var command: String

    /// The facts about this machine, for a run of `command` in `directory`.
    static func here(directory: String, command: [String]) -> Machine {
        var system = utsname()
        uname(&system)
        let kernel = [text(of: system.sysname), text(of: system.release), text(of: system.machine)]
        return Machine(
            processor: processor, cores: ProcessInfo.processInfo.activeProcessorCount,
            memoryBytes: ProcessInfo.processInfo.physicalMemory, kernel: kernel.joined(separator: " "),
            fileSystem: fileSystem(of: directory), lmdb: version(String(cString: baseline_lmdb_version())),
            sqlite: String(cString: baseline_sqlite_version()), swift: compiler,
            date: ISO8601DateFormatter().string(from: Date()),
            command: command.map { $0.contains(" ") ? "'\($0)'" : $0 }.joined(separator: " "))
    }

    /// The line for a file of results.
    var json: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let bytes = (try? encoder.encode(["machine": self])) ?? Data()
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The facts as names and values, without the command.
    var facts: [(String, String)] {
        [
            ("processor", "\(processor), \(cores) cores"), ("memory", Readable.bytes(Double(memoryBytes))),
            ("system", kernel), ("file system", fileSystem), ("LMDB", lmdb), ("SQLite", sqlite), ("Swift", swift),
        ]
    }

    private static var processor: String {
        let lines = lines(of: "/proc/cpuinfo")
        let model = lines.first { $0.hasPrefix("model name") || $0.hasPrefix("Model") }
        return model?.split(separator: ":").last.map { $0.trimmingCharacters(in: .whitespaces) } ?? "unknown processor"
    }

    /// The type of the file system that `directory` is on, and its device.
    private static func fileSystem(of directory: String) -> String {
        let path = URL(fileURLWithPath: directory).resolvingSymlinksInPath().path + "/"
        var best = (length: -1, text: "unknown")
        for line in lines(of: "/proc/self/mounts") {
            let fields = line.split(separator: " ")
            guard fields.count > 2 else { continue }
            let place = fields[1] == "/" ? "/" : fields[1] + "/"
            if path.hasPrefix(place), place.count >= best.length {
                best = (place.count, "\(fields[2]) on \(fields[0])")
            }
        }
        return best.text
    }

    private static func lines(of path: String) -> [Substring] {
        guard let bytes = FileManager.default.contents(atPath: path) else { return [] }
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n")
    }

    /// The version number in LMDB's description of itself.
    private static func version(_ text: String) -> String {
        text.split { !$0.isNumber && $0 != "." }.first { $0.contains(".") }.map(String.init) ?? text
    }

    private static func text<Characters>(of characters: Characters) -> String {
        withUnsafeBytes(of: characters) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }

    private static var compiler: String {
        #if compiler(>=6.5)
            "6.5 or later"
        #elseif compiler(>=6.4)
            "6.4"
        #elseif compiler(>=6.3)
            "6.3"
        #else
            "6.2"
        #endif
    }
}
