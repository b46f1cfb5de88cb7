/// The records that one page of a base query contained, as hashes of their references.
package struct SeenRecords: NoteValue {
    /// The hashes, in the order of the page.
    package var hashes: [UInt64]

    package init(hashes: [UInt64]) { self.hashes = hashes }

    package static let format: UInt8 = 1

    package init(from decoder: inout NoteDecoder) throws(NoteDecoder.Damage) {
        hashes = []
        while !decoder.isAtEnd { hashes.append(try decoder.number()) }
    }

    package func encode(to encoder: inout NoteEncoder) {
        for hash in hashes { encoder.append(hash) }
    }
}
