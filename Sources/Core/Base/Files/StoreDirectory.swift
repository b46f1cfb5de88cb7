/// The directory of a store (FORMATS, section 1): where its generations and rows are, and how they are switched.
struct StoreDirectory: Sendable {
    let path: String

    static let unfinished = ".new"

    /// The directory at `path`; made, with the parents that are missing, if it may be and is not there.
    init(_ path: String, create: Bool) throws {
        self.path = path
        try Self.checkName(path)
        if !FileSystem.exists(path) {
            guard create else {
                throw DataStoreError.noStore(at: path)
            }
            try FileSystem.createDirectories(path)
        }
        try FileSystem.checkDirectory(path)
    }

    /// A store's name: 1 to 64 of `A-Z a-z 0-9 _ . -`, not beginning with a dot.
    static func checkName(_ path: String) throws {
        let name = path.split(separator: "/").last.map(String.init) ?? ""
        let isAllowed = { (byte: UInt8) -> Bool in
            (byte | 32 >= 97 && byte | 32 <= 122) || (48...57).contains(byte) || [45, 46, 95].contains(byte)
        }
        guard (1...64).contains(name.utf8.count), name.utf8.allSatisfy(isAllowed), name.utf8.first != 46 else {
            throw DataStoreError(
                .unsafePath, "The last part of the store's path cannot be the name of a store.",
                recovery: "Use 1 to 64 letters, digits, `_`, `-` and `.`, not beginning with a dot.")
        }
    }

    /// The highest number among the directories called `prefix` and a number, 0 if there is none.
    static func highest(_ prefix: String, in directory: String) throws -> Int {
        try FileSystem.names(in: directory).compactMap { number($0, prefix) }.max() ?? 0
    }

    static func number(_ name: String, _ prefix: String) -> Int? {
        guard name.hasPrefix(prefix) else { return nil }
        return Int(name.dropFirst(prefix.count))
    }

    func generation(_ number: Int) -> String { "\(path)/generation-\(number)" }

    /// Which log of a generation is the current one; shrinking a log makes the next.
    func logNumber(_ generation: Int) throws -> Int {
        max(1, try Self.highest("log-", in: self.generation(generation)))
    }

    func log(_ generation: Int, _ number: Int) -> String {
        Self.log(in: self.generation(generation), number)
    }

    private static func log(in generation: String, _ number: Int) -> String {
        generation + (number == 1 ? "/log" : "/log-\(number)")
    }

    /// The current log of the generation whose log was at `path` before.
    static func currentLog(after path: String) throws -> String {
        let generation = FileSystem.parent(of: path)
        return log(in: generation, max(1, try highest("log-", in: generation)))
    }

    func rows(_ generation: Int, _ number: Int) -> String { "\(self.generation(generation))/rows-\(number)" }

    /// Which of a store's files are the current ones.
    struct CurrentFiles: Equatable {
        let generation: Int
        let log: Int
        let rows: Int
    }

    /// Which files are the current ones; `nil` if there are none.
    func currentFiles() throws -> CurrentFiles? {
        while true {
            let generation = try Self.highest("generation-", in: path)
            guard generation > 0 else { return nil }
            do {
                return CurrentFiles(
                    generation: generation, log: try logNumber(generation),
                    rows: try Self.highest("rows-", in: self.generation(generation)))
            } catch {
                // The store was cleared in between.
                guard try Self.highest("generation-", in: path) != generation else { throw error }
            }
        }
    }

    /// Removes what was under construction or superseded when the last writer ended.
    func removeLeftovers() throws {
        let current = try Self.highest("generation-", in: path)
        for name in try FileSystem.names(in: path) where name.hasPrefix("generation-") {
            if name.hasSuffix(Self.unfinished) || Self.number(name, "generation-") != current {
                try FileSystem.removeTree("\(path)/\(name)")
            }
        }
        guard current > 0 else { return }
        let rows = try Self.highest("rows-", in: generation(current))
        let log = try logNumber(current)
        for name in try FileSystem.names(in: generation(current)) {
            let isCurrent =
                if name.hasSuffix(Self.unfinished) {
                    false
                } else if let number = Self.number(name, "rows-") {
                    number == rows
                } else {
                    (name == "log" ? 1 : Self.number(name, "log-") ?? log) == log
                }
            if !isCurrent { try FileSystem.removeTree("\(generation(current))/\(name)") }
        }
    }
}

extension DataStoreError {
    static func noStore(at path: String) -> DataStoreError {
        DataStoreError(.notFound, "There is no store at \(path).", recovery: "Check the path, or create the store.")
    }
}
