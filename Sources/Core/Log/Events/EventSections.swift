/// The optional sections of an event (FORMATS, section 3).
package struct EventSections {
    /// The condition of the change as text, `nil` if it had none.
    var condition: String?
    /// The encoded server state of the record, empty if there is none.
    var server: [UInt8] = []
    /// The encoded reference to the mutation that the event answers, empty if there is none.
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
