/// A value that the sync engine keeps in a note (FORMATS, section 10): the number of its layout, and its fields.
package protocol NoteValue: Hashable, Sendable {
    /// The number of the layout, which is the first byte of the note.
    static var format: UInt8 { get }

    /// Reads the fields.
    init(from decoder: inout NoteDecoder) throws(NoteDecoder.Damage)

    /// Writes the fields.
    func encode(to encoder: inout NoteEncoder)
}

extension NoteValue {
    /// The value in `bytes`; `nil` if they do not contain one.
    ///
    /// A value has only one encoding. Bytes that decode to a value with a different encoding are damaged.
    package init?(encoded bytes: [UInt8]) {
        var decoder = NoteDecoder(bytes)
        do throws(NoteDecoder.Damage) {
            guard try decoder.byte() == Self.format else { return nil }
            try self.init(from: &decoder)
        } catch {
            return nil
        }
        guard decoder.isAtEnd, encoded == bytes else { return nil }
    }

    /// The bytes of the note.
    package var encoded: [UInt8] {
        var encoder = NoteEncoder(format: Self.format)
        encode(to: &encoder)
        return encoder.bytes
    }
}
