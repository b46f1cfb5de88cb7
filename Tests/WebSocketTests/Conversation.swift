import SeededNumbers

@testable import TidelogWebSocket

/// Writes and reads frames of clients and of servers for the tests.
enum Conversation {
    static let limit = 1_000

    /// A frame as the side `sender` writes it.
    static func frame(
        _ opcode: WebSocketFrame.Opcode, _ payload: [UInt8], isFinal: Bool = true, from sender: WebSocketReceiver.Role,
        mask: UInt32 = 0x37FA_213D
    ) -> [UInt8] {
        WebSocketFrame.bytes(
            opcode, payload, isFinal: isFinal, mask: sender == .client ? WebSocketFrame.Mask(mask) : nil)
    }

    /// The events that the side `reader` finds in `bytes`, which it reads in pieces. `piece` gives the size of each piece.
    static func events(
        _ bytes: [UInt8], readBy reader: WebSocketReceiver.Role, limit: Int = limit, piece: (Int) -> Int = { $0 }
    ) -> [WebSocketReceiver.Event] {
        var receiver = WebSocketReceiver(role: reader, maximumMessageBytes: limit)
        var events: [WebSocketReceiver.Event] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = min(max(1, piece(rest.count)), rest.count)
            Array(rest.prefix(count)).withUnsafeBytes { receiver.receive($0) { events.append($0) } }
            rest = rest.dropFirst(count)
        }
        return events
    }

    /// A text of up to `count` characters of one to four bytes.
    static func text(_ count: Int, _ random: inout SeededGenerator) -> String {
        String((0..<random.below(count + 1)).map { _ in random.pick(["a", "Z", " ", "\0", "ü", "€", "🌊", "\n"]) })
    }

    /// Changes one place of `bytes` at random.
    static func mutate(_ bytes: inout [UInt8], _ random: inout SeededGenerator) {
        guard !bytes.isEmpty else { return }
        let place = random.below(bytes.count)
        switch random.below(5) {
        case 0: bytes[place] ^= 1 << UInt8(random.below(8))
        case 1: bytes[place] = UInt8(random.below(256))
        case 2: bytes.remove(at: place)
        case 3: bytes.insert(bytes[random.below(bytes.count)], at: place)
        default: bytes.removeSubrange(place..<min(bytes.count, place + random.below(21)))
        }
    }
}

extension WebSocketReceiver.Role {
    static let both: [WebSocketReceiver.Role] = [.client, .server]

    /// The side that this side reads from.
    var other: WebSocketReceiver.Role { self == .client ? .server : .client }
}
