import FaultHarness
import Foundation

/// A trace that a test writes record by record, in the layout of `FaultInjection.h`.
struct WrittenTrace {
    private var bytes = Data()
    private var count: UInt64 = 0

    mutating func open(_ inode: UInt64, _ path: String) { add(1, inode: inode, payload: path) }
    mutating func create(_ inode: UInt64, _ path: String) { add(2, inode: inode, payload: path) }
    mutating func rename(_ from: String, _ to: String) { add(8, payload: from + "\0" + to) }
    mutating func unlink(_ path: String) { add(10, payload: path) }
    mutating func makeDirectory(_ path: String) { add(11, payload: path) }
    mutating func acknowledge(_ text: String) { add(13, payload: text) }
    mutating func truncate(_ inode: UInt64, to size: UInt64) { add(4, inode: inode, offset: size) }

    mutating func write(_ inode: UInt64, at offset: UInt64, _ text: String, selfSynced: Bool = false) {
        add(3, flags: selfSynced ? 1 : 0, inode: inode, offset: offset, payload: text)
    }

    /// Returns the value to pass to `syncEnded`.
    mutating func syncBegan(_ inode: UInt64, directory: String? = nil) -> UInt64 {
        add(6, flags: directory == nil ? 0 : 64, inode: inode, payload: directory ?? "")
        return count - 1
    }

    mutating func syncEnded(_ began: UInt64, error: UInt32 = 0) {
        add(7, flags: error == 0 ? 0 : 4, error: error, offset: began)
    }

    mutating func sync(_ inode: UInt64, directory: String? = nil) {
        syncEnded(syncBegan(inode, directory: directory))
    }

    /// Removes bytes from the end, as a kill of the process does.
    mutating func tear(_ length: Int) {
        bytes.removeLast(length)
    }

    func read(in directory: TemporaryDirectory) throws -> Trace {
        let file = directory.file("trace")
        try bytes.write(to: file)
        return try Trace(contentsOf: file)
    }

    private mutating func add(
        _ kind: UInt16, flags: UInt16 = 0, error: UInt32 = 0, inode: UInt64 = 0, offset: UInt64 = 0,
        payload: String = ""
    ) {
        append(UInt32(0x544C_4654))
        append(kind)
        append(flags)
        append(UInt32(1))
        append(error)
        append(count)
        append(UInt64(1))
        append(inode)
        append(offset)
        append(UInt32(payload.utf8.count))
        append(UInt32(0))
        bytes.append(contentsOf: payload.utf8)
        count += 1
    }

    private mutating func append(_ number: some FixedWidthInteger) {
        withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
    }
}
