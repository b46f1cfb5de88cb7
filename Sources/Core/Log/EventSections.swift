/// The optional sections of an event (FORMATS, section 3).
struct EventSections {
    /// The condition under which a change was made, as text.
    var condition: String?
    /// What a server says about the record, encoded; empty for nothing.
    var server: [UInt8] = []
    /// Which mutation the event answers, encoded; empty for none.
    var answer: [UInt8] = []

    func append(to arena: ByteArena, _ header: inout EventHeader) {
        if var condition {
            condition.withUTF8 { arena.append(UnsafeRawBufferPointer($0)) }
            header.conditionLength = UInt32(condition.utf8.count)
        }
        if !server.isEmpty {
            server.withUnsafeBytes { arena.append($0) }
            header.flags.insert(.hasServerSection)
        }
        if !answer.isEmpty {
            answer.withUnsafeBytes { arena.append($0) }
            header.flags.insert(.hasAnswerSection)
        }
    }
}
