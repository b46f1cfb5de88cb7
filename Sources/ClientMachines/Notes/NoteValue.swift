/// A value that the sync engine keeps in a note (FORMATS, section 10): the number of its layout, and its fields.
package protocol NoteValue: Hashable, Sendable {
    /// The number of the latest layout. The first byte of a note is the number of its layout.
    static var format: UInt8 { get }
    /// The numbers of the layouts that can be read.
    static var formats: ClosedRange<UInt8> { get }
    /// The number of the layout in which this value is written.
    var layout: UInt8 { get }

    /// Reads the fields.
    init(from decoder: inout NoteDecoder) throws(NoteDecoder.Damage)

    /// Writes the fields.
    func encode(to encoder: inout NoteEncoder)
}

extension NoteValue {
    package static var formats: ClosedRange<UInt8> { format...format }
    package var layout: UInt8 { Self.format }

    /// The value in `bytes`; `nil` if they do not contain one.
    ///
    /// A value has only one encoding. Bytes that decode to a value with a different encoding are damaged.
    package init?(encoded bytes: [UInt8]) {
        var decoder = NoteDecoder(bytes)
        do throws(NoteDecoder.Damage) {
            try decoder.beginNote()
            guard Self.formats.contains(decoder.format) else { return nil }
            try self.init(from: &decoder)
        } catch {
            return nil
        }
        guard decoder.isAtEnd, encoded == bytes else { return nil }
    }

    /// The bytes of the note.
    package var encoded: [UInt8] {
        var encoder = NoteEncoder(format: layout)
        encode(to: &encoder)
        return encoder.bytes
    }
}
