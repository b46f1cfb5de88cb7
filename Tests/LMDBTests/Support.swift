import Foundation
import Testing
import TidelogLMDB

/// A temporary directory for one test. It is removed with everything in it when the test releases it.
final class Scratch: Sendable {
    let path: String

    init() throws {
        path = FileManager.default.temporaryDirectory.path + "/lmdb-tests-" + UUID().uuidString
        try Environment.createDirectory(path)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    var dataFile: String { path + "/data.mdb" }

    func open(_ options: Environment.Options = .init(mapSize: 64 << 20, syncPolicy: .noSync)) throws -> Environment {
        try Environment(directory: path, options: options)
    }
}

/// The parts of suites that need one keyspace in a new environment.
class KeyspaceSuite {
    let scratch: Scratch
    let environment: Environment
    let rows: Keyspace

    init() throws {
        scratch = try Scratch()
        environment = try scratch.open()
        rows = try environment.keyspace()
    }
}

/// The size of a page in LMDB's files here, in bytes. The meta page has it.
let filePageSize: Int = {
    do {
        let scratch = try Scratch()
        try scratch.open().write { _ in }
        let file = try Data(contentsOf: URL(fileURLWithPath: scratch.dataFile))
        return Int(file.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: 40, as: UInt32.self) })
    } catch {
        preconditionFailure("an environment is made: \(error)")
    }
}()

/// Whether a page of a data file begins at a multiple of its size in memory. Otherwise only LMDB reads its pages.
let arePagesAligned = Int(sysconf(Int32(_SC_PAGESIZE))).isMultiple(of: filePageSize)

/// The options that most tests use: a small map and no syncs.
let quick = Environment.Options(mapSize: 64 << 20, syncPolicy: .noSync)

func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

extension Transaction {
    func value(_ keyspace: Keyspace, _ key: [UInt8]) throws -> [UInt8]? {
        try key.withUnsafeBytes { try get(keyspace, $0).map(Array.init) }
    }

    func entries(_ keyspace: Keyspace) throws -> [[[UInt8]]] {
        let cursor = try cursor(keyspace)
        var entries: [[[UInt8]]] = []
        while let entry = try cursor.next() { entries.append([Array(entry.key), Array(entry.value)]) }
        return entries
    }
}

extension WriteTransaction {
    func put(_ keyspace: Keyspace, _ key: [UInt8], _ value: [UInt8]) throws {
        try key.withUnsafeBytes { key in try value.withUnsafeBytes { try put(keyspace, key, $0) } }
    }

    func append(_ keyspace: Keyspace, _ key: [UInt8], _ value: [UInt8]) throws {
        try key.withUnsafeBytes { key in try value.withUnsafeBytes { try append(keyspace, key, $0) } }
    }

    @discardableResult
    func delete(_ keyspace: Keyspace, _ key: [UInt8]) throws -> Bool {
        try key.withUnsafeBytes { try delete(keyspace, $0) }
    }
}

extension Environment {
    /// Runs `body` in a write transaction and commits.
    func write<Result>(_ body: (WriteTransaction) throws -> Result) throws -> Result {
        let transaction = try beginWrite()
        let result = try body(transaction)
        try transaction.commit()
        return result
    }

    /// Opens a keyspace, and creates it if it does not exist.
    func keyspace(_ name: String = "rows", integerKeys: Bool = false) throws -> Keyspace {
        try write { try $0.openKeyspace(named: name, integerKeys: integerKeys, create: true) }
    }
}

/// The code of the error that `body` throws. If it throws none, the test fails.
func code(_ body: () throws -> Void) -> LMDBError.Code? {
    let error = #expect(throws: LMDBError.self) { try body() }
    return error?.code
}
