#if os(Linux)
    import FaultHarness
    import Foundation
    import Testing

    extension FaultScene {
        /// Runs `FaultVictim MODE root COUNT`.
        func victim(_ mode: String, _ count: Int, in directory: URL? = nil) throws -> Outcome {
            try run(BuildProducts.url(of: "FaultVictim"), [mode, (directory ?? root).path, String(count)])
        }

        /// Checks the acknowledgements of a victim. The check covers every file that holds data.
        func check() throws -> AcknowledgementCheck {
            try trace().checkAcknowledgements({ $0.hasPrefix("ack") }, inFiles: { !Trace.isSharedMemory($0) })
        }

        /// Writes an image next to the root, calls `body` with the directory of the image, and removes the directory.
        func withImage<Result>(_ image: DiskImage, of trace: Trace, _ body: (URL) throws -> Result) throws -> Result {
            let directory = file("image")
            try trace.write(image, to: directory)
            defer { try? FileManager.default.removeItem(at: directory) }
            return try body(directory)
        }
    }

    extension FaultScene {
        /// The differences between a directory and the image of all operations before a cut.
        func differences(_ trace: Trace, at cut: Int, from directory: URL) throws -> [String] {
            try withImage(DiskImage(cut: cut, content: .prefix), of: trace) { try directoryDifferences($0, directory) }
        }
    }

    /// The records that the append victims write.
    enum Records {
        static let size = 600

        static func bytes(_ number: Int) -> [UInt8] {
            let text = Array("\(number) ".utf8)
            return (0..<size).map { text[$0 % text.count] }
        }

        /// The number of whole and correct records at the start of a file.
        static func count(in file: URL) -> Int {
            guard let data = try? Data(contentsOf: file) else { return 0 }
            var count = 0
            while (count + 1) * size <= data.count,
                data[count * size..<(count + 1) * size].elementsEqual(bytes(count))
            {
                count += 1
            }
            return count
        }
    }

    extension Trace {
        /// The number of records that were acknowledged before the power failed.
        func acknowledged(before cut: Int) -> Int {
            acknowledgements(before: cut).count { $0.hasPrefix("ack") }
        }
    }
#endif
