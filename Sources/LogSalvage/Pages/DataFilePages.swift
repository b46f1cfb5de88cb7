package import TidelogLMDB

/// The pages of a data file that LMDB may refuse to open. They are read one by one, and the file is never mapped.
///
/// The content of a page is never trusted: every length and place is checked before it is used. Reading a damaged file
/// therefore returns less data, but never ends the process. The file is never written.
package final class DataFilePages: Sendable {
    /// The number of bytes of a page.
    package let pageSize: Int
    private let file: DataFile

    /// The number of bytes of the file.
    package var byteCount: Int { file.byteCount }

    /// Opens the data file in `directory`.
    ///
    /// - Throws: `fileNotFound`; `versionMismatch` if another version of LMDB wrote the file; `alreadyOpen` if this process has
    ///   it open; `unsafePath`; or an error of the system.
    package init(directory: String) throws(LMDBError) {
        file = try DataFile(directory: directory)
        pageSize = try Self.pageSize(of: file)
    }

    /// The number of pages of the file. The last page may be cut short.
    package var pageCount: Int { byteCount == 0 ? 0 : (byteCount - 1) / pageSize + 1 }

    /// Reads up to `count` bytes from `offset`. Fewer bytes are returned at the end of the file.
    package func read(_ count: Int, at offset: Int) throws(LMDBError) -> [UInt8] { try file.read(count, at: offset) }

    /// A page, or `nil` if the file does not contain all of it.
    func page(_ number: UInt64) throws(LMDBError) -> [UInt8]? {
        guard number < UInt64(pageCount) else { return nil }
        let bytes = try read(pageSize, at: Int(number) * pageSize)
        return bytes.count == pageSize ? bytes : nil
    }

    /// The valid meta pages, the newest first.
    func metaPages() throws(LMDBError) -> [MetaPage] {
        var found: [MetaPage] = []
        for number in 0..<2 as Range<UInt64> {
            guard let bytes = try page(number), let meta = MetaPage(bytes), meta.isWhole(number: number),
                Int(meta.pageSize) == pageSize
            else { continue }
            found.append(meta)
        }
        return found.sorted { $0.transactionID > $1.transactionID }
    }

    /// The number of the last transaction with a valid meta page, or `nil` if neither page is valid. If the number changes over
    /// time, another process is writing to the file.
    package func lastTransaction() throws(LMDBError) -> UInt64? { try metaPages().first?.transactionID }

    /// The page size in the meta pages. If both are damaged, the size with which most pages carry their own number.
    private static func pageSize(of file: DataFile) throws(LMDBError) -> Int {
        let metaByteCount = DataFileLayout.pageHeaderByteCount + DataFileLayout.metaByteCount
        var sizes: [Int] = []
        var size = Int(DataFileLayout.pageSizes.lowerBound)
        while size <= Int(DataFileLayout.pageSizes.upperBound) {
            sizes.append(size)
            size *= 2
        }
        for (number, offset) in [(0, 0)] + sizes.map({ (1, $0) }) {
            let bytes = try file.read(metaByteCount, at: offset)
            guard let meta = MetaPage(bytes), meta.isWhole(number: UInt64(number)) else { continue }
            if number == 0 || Int(meta.pageSize) == offset { return Int(meta.pageSize) }
        }
        var best = (size: 4_096, score: 0)
        for size in sizes {
            var score = 0
            for number in 2..<max(3, min(file.byteCount / size, 200)) {
                let header = try file.read(MemoryLayout<UInt64>.size, at: number * size)
                // With a size that is too small, only one page in several carries the expected number.
                if header.count == 8, header.load(at: 0) as UInt64 == UInt64(number) { score += size }
            }
            if score > best.score { best = (size, score) }
        }
        return best.size
    }
}

extension MetaPage {
    /// Whether this can be the meta page with `number`.
    fileprivate func isWhole(number: UInt64) -> Bool {
        magic == DataFileLayout.magic && version == DataFileLayout.version && pageNumber == number
            && pageFlags == DataFileLayout.PageFlags.meta && DataFileLayout.pageSizes.contains(pageSize)
            && pageSize.nonzeroBitCount == 1 && lastPage >= 1
    }
}
