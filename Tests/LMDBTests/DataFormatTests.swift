import Foundation
import Testing
import TidelogLogSalvage

@testable import TidelogLMDB

/// A data file of LMDB 1.0, which LMDB 0.9 cannot read.
private let otherFile = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "Fixtures/lmdb-1.0/data.mdb")

@Suite("Data files and libraries of another version of LMDB")
struct DataFormatTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func refusal(of bytes: Data, _ open: () throws -> Void) throws -> LMDBError? {
        let file = URL(fileURLWithPath: scratch.dataFile)
        try bytes.write(to: file)
        defer { #expect((try? Data(contentsOf: file)) == bytes) }
        do {
            try open()
            return nil
        } catch let error as LMDBError {
            return error
        }
    }

    private func openEnvironment() throws { _ = try Environment(directory: scratch.path, options: quick) }

    private func openPages() throws { _ = try DataFilePages(directory: scratch.path) }

    @Test("A file of LMDB 1.0 is refused as a file of that version, and never reported as damaged")
    func laterFile() throws {
        let whole = try Data(contentsOf: otherFile)
        var withoutFirstPage = whole
        withoutFirstPage.resetBytes(in: 0..<4_096)
        for bytes in [whole, withoutFirstPage, whole.prefix(64)] {
            for open in [openEnvironment, openPages] {
                let error = try #require(try refusal(of: bytes, open))
                #expect(error.code == .versionMismatch, "\(error)")
                let reason = try #require(error.reason)
                #expect(reason.contains("data format 2, which is LMDB 1.0's"), "\(reason)")
                #expect(reason.contains("built for LMDB 0.9") && reason.contains("found LMDB \(LMDBVersion.current)"))
            }
        }
    }

    @Test("A file of a development version is refused as such, and a number that no version has is damage")
    func numbers() throws {
        let environment = try scratch.open()
        try environment.write { transaction in
            _ = try transaction.openKeyspace(named: "rows", create: true)
        }
        environment.close()
        let whole = try Data(contentsOf: URL(fileURLWithPath: scratch.dataFile))
        let changed = { (version: UInt32) in
            var bytes = whole
            withUnsafeBytes(of: version.littleEndian) { bytes.replaceSubrange(20..<24, with: $0) }
            return bytes
        }
        for open in [openEnvironment, openPages] {
            let error = try #require(try refusal(of: changed(999), open))
            #expect(error.code == .versionMismatch && error.reason?.contains("development") == true, "\(error)")
        }
        for version in [0, 2, 3, 5, 1 << 31] as [UInt32] {
            #expect(try refusal(of: changed(version), openEnvironment)?.code == .damagedFile, "\(version)")
            // The other meta page is valid, and `openPages` needs only one.
            #expect(try refusal(of: changed(version), openPages) == nil, "\(version)")
        }
    }

    @Test("LMDB 0.9.24 to 0.9.70 have the known data format, and 0.8.0, 0.9.90 and 1.0.1 do not")
    func libraries() {
        for (version, isKnown) in [
            ((0, 9, 24), true), ((0, 9, 33), true), ((0, 9, 70), true), ((0, 9, 90), false), ((1, 0, 1), false),
            ((0, 8, 0), false),
        ] {
            let version = LMDBVersion(major: version.0, minor: version.1, patch: version.2)
            #expect(version.hasKnownFormat == isKnown, "\(version)")
        }
    }
}
