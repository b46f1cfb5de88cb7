/// The format of a data file, as its meta pages declare it. With it, a file of another version of LMDB is distinguished from a
/// damaged file.
enum DataFileFormat {
    /// The number of the format in the meta pages of LMDB 1.0.
    static let ofLMDB1: UInt32 = 2
    /// The number of the format in the meta pages of LMDB's development versions.
    static let ofDevelopment: UInt32 = 999
    /// In LMDB 1.0, the header of each page has 8 more bytes, and the flags follow them.
    private static let laterHeaderByteCount = 24
    private static let laterFlagsOffset = 18
    /// The number of bytes of a page that are read.
    static let byteCount = laterHeaderByteCount + 8

    /// The number of the format that `page`, the page with `number`, has if it differs from the known format.
    ///
    /// It is `nil` if the page is a meta page of the known format, or is not a page of LMDB. If a page has the known header
    /// with a number that no version of LMDB uses, the page is damaged, and this is not another format.
    static func other(in page: [UInt8], number: UInt64) -> UInt32? {
        guard page.count >= byteCount, page.load(at: 0) as UInt64 == number else { return nil }
        let header = DataFileLayout.pageHeaderByteCount
        if page.load(at: header) as UInt32 == DataFileLayout.magic {
            let version: UInt32 = page.load(at: header + 4)
            return version == ofDevelopment ? version : nil
        }
        guard page.load(at: laterFlagsOffset) as UInt16 == DataFileLayout.PageFlags.meta,
            page.load(at: laterHeaderByteCount) as UInt32 == DataFileLayout.magic
        else { return nil }
        return page.load(at: laterHeaderByteCount + 4)
    }

    /// Throws `versionMismatch` if a meta page declares that `file` has another format than the known one.
    ///
    /// The second meta page is checked if the first one is unknown. Its place depends on the page size, so the check tries all
    /// possible sizes.
    static func check(_ file: FileDescriptor, _ operation: StaticString) throws(LMDBError) {
        let first = try file.read(byteCount, at: 0, operation)
        if let version = other(in: first, number: 0) { throw mismatch(version, operation) }
        let header = DataFileLayout.pageHeaderByteCount
        if first.count == byteCount, first.load(at: header) as UInt32 == DataFileLayout.magic { return }
        var size = Int64(DataFileLayout.pageSizes.lowerBound)
        while size <= Int64(DataFileLayout.pageSizes.upperBound) {
            let page = try file.read(byteCount, at: size, operation)
            if let version = other(in: page, number: 1) { throw mismatch(version, operation) }
            size *= 2
        }
    }

    private static func mismatch(_ version: UInt32, _ operation: StaticString) -> LMDBError {
        let writer =
            switch version {
            case ofLMDB1: "LMDB 1.0"
            case ofDevelopment: "a development version of LMDB"
            default: "another version of LMDB"
            }
        return LMDBError(
            .versionMismatch, operation,
            "the file has data format \(version), which is \(writer)'s; this program was built for LMDB 0.9, whose format "
                + "is \(DataFileLayout.version), and found LMDB \(LMDBVersion.current)")
    }
}
