/// The constants of LMDB's data format, version 1, in its 64-bit layout.
package enum DataFileLayout {
    package static let magic: UInt32 = 0xBEEF_C0DE
    package static let version: UInt32 = 1
    package static let noPage = UInt64.max
    package static let pageSizes: ClosedRange<UInt32> = 512...32_768
    package static let pageHeaderByteCount = 16
    package static let metaByteCount = 136
    package static let nodeHeaderByteCount = 8
    package static let treeRecordByteCount = 48
    package static let deepestTree: UInt16 = 32

    package enum PageFlags {
        package static let branch: UInt16 = 0x01
        package static let leaf: UInt16 = 0x02
        package static let overflow: UInt16 = 0x04
        package static let meta: UInt16 = 0x08
    }

    package enum NodeFlags {
        package static let plain: UInt16 = 0
        package static let overflow: UInt16 = 0x01
        package static let tree: UInt16 = 0x02
    }

    package enum TreeFlags {
        package static let integerKeys: UInt16 = 0x08
        /// A flag that LMDB stores with the flags of the free tree in files that were opened by their own name.
        package static let noSubdirectory: UInt16 = 0x4000
    }
}

extension [UInt8] {
    /// Reads a number in native byte order.
    package func load<Number: FixedWidthInteger & BitwiseCopyable>(at offset: Int) -> Number {
        withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: Number.self) }
    }
}
