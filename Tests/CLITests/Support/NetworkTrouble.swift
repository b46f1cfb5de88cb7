import SeededNumbers
import TidelogSynchronization

/// Faults of a network, which a seed chooses until `end()` is called.
final class NetworkTrouble: Sendable {
    private struct State {
        var random: SeededGenerator
        var isOver = false
        var counts: [String: Int] = [:]
    }

    private let state: Mutex<State>

    init(_ seed: UInt64) { state = Mutex(State(random: SeededGenerator(seed))) }

    /// How often each fault happened.
    var counts: [String: Int] { state.withLock { $0.counts } }

    func end() { state.withLock { $0.isOver = true } }

    func treat(_ arrival: Proxy.Arrival) -> Proxy.Treatment {
        state.withLock { state in
            guard !state.isOver, let (name, treatment) = Self.fault(arrival, &state.random) else { return .pass }
            state.counts[name, default: 0] += 1
            return treatment
        }
    }

    private static func fault(
        _ arrival: Proxy.Arrival, _ random: inout SeededGenerator
    ) -> (String, Proxy.Treatment)? {
        if arrival.isAnswerToMutation, random.once(in: 8) { return ("answer lost after the commit", .cut) }
        if arrival.isMutation, arrival.direction == .toServer, random.once(in: 6) { return ("replay", .twice) }
        switch random.below(200) {
        case 0..<20: return ("delay", .late(milliseconds: random.below(60)))
        case 20..<24: return ("cut", .cut)
        case 24..<28: return ("cut within", .cutWithin)
        case 28: return ("silence", .silence)
        default: return nil
        }
    }
}
