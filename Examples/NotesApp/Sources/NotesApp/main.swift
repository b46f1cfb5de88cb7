import Notes

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

let directory = FileManager.default.temporaryDirectory.appending(path: "notes-\(UInt64.random(in: 1 ... .max))")
defer { try? FileManager.default.removeItem(at: directory) }
try await Tour(directory: directory) { print($0) }.run()
