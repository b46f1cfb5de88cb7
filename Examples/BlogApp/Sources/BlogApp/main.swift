import Blog

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

let directory = FileManager.default.temporaryDirectory.appending(path: "blog-\(UInt64.random(in: 1 ... .max))")
defer { try? FileManager.default.removeItem(at: directory) }
for line in try await Tour.run(at: directory) { print(line) }
