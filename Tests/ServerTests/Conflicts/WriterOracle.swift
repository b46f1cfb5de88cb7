import SeededNumbers
import TidelogGraphQLExecution

/// A second implementation of the rules for changes, which works on plain values of a player. The tests compare it with the
/// server.
struct WriterOracle {
    enum Strategy: String, CaseIterable { case automerge, optimistic, custom }

    /// The fields of a record that matter to the tests.
    struct Player: Equatable {
        var name: String?
        var jersey: Int64?
        var marks: [String]?
        var version: Int64
        var isDeleted = false
    }

    /// A change that a writer requests.
    struct Operation: Sendable {
        enum Kind: String, Sendable { case create, update, delete }
        /// The value that a request sends for a field: nothing, null, or a value.
        enum Sent<Value: Sendable>: Sendable {
            case nothing, null
            case value(Value)

            func over(_ stored: Value?) -> Value? {
                switch self {
                case .nothing: stored
                case .null: nil
                case .value(let value): value
                }
            }
        }

        var kind: Kind
        var id: String
        var version: Int64
        /// The name of the change. After a creation or an update, it is the last of the record's marks.
        var mark: String
        var name = Sent<String>.nothing
        var jersey = Sent<Int64>.nothing
        /// The condition that the stored jersey is greater than this number.
        var jerseyAbove: Int64?
    }

    enum Outcome: Equatable {
        case written(Player)
        case kept(Player)
        case refused(String)
    }

    let strategy: Strategy

    /// The outcome of `operation` on the stored player.
    func outcome(_ operation: Operation, on stored: Player?) -> Outcome {
        if operation.kind == .create {
            if let stored, !stored.isDeleted { return .refused("ConditionalCheckFailedException") }
            return .written(
                Player(
                    name: operation.name.over(nil), jersey: operation.jersey.over(nil), marks: [operation.mark],
                    version: (stored?.version ?? 0) + 1))
        }
        guard let stored else { return .refused("ConditionalCheckFailedException") }
        if stored.isDeleted { return .kept(stored) }
        let decided =
            operation.version == stored.version ? Self.replaced(stored, operation) : conflict(stored, operation)
        guard case .written = decided else { return decided }
        if let least = operation.jerseyAbove, stored.jersey.map({ $0 <= least }) ?? true {
            return .refused("ConditionalCheckFailedException")
        }
        return decided
    }

    private static func replaced(_ stored: Player, _ operation: Operation) -> Outcome {
        var player = stored
        player.version += 1
        if operation.kind == .delete {
            player.isDeleted = true
        } else {
            player.name = operation.name.over(stored.name)
            player.jersey = operation.jersey.over(stored.jersey)
            player.marks = [operation.mark]
        }
        return .written(player)
    }

    private func conflict(_ stored: Player, _ operation: Operation) -> Outcome {
        var player = stored
        player.version += 1
        switch (strategy, operation.kind) {
        case (.optimistic, _), (.automerge, .delete): return .refused("ConflictUnhandled")
        case (.automerge, _):
            player.name = stored.name ?? operation.name.over(nil)
            player.jersey = stored.jersey ?? operation.jersey.over(nil)
            player.marks = (stored.marks ?? []) + [operation.mark]
            return .written(player)
        case (.custom, .delete):
            switch Self.verdict(on: stored.version, jersey: stored.jersey) {
            case 0: return .refused("ConflictUnhandled")
            case 1: return .refused("ConflictError")
            default:
                player.isDeleted = true
                return .written(player)
            }
        case (.custom, _):
            let jersey = operation.jersey.over(stored.jersey)
            switch Self.verdict(on: stored.version, jersey: jersey) {
            case 0: return .refused("ConflictUnhandled")
            case 1: return .refused("ConflictError")
            default:
                player.jersey = (stored.jersey ?? 0) + (jersey ?? 0)
                player.marks = [operation.mark]
                return .written(player)
            }
        }
    }

    /// The number by which the custom handler decides: 0 to reject the change, 1 to give an unsuitable answer, and a greater
    /// number to make the change.
    static func verdict(on version: Int64, jersey: Int64?) -> Int64 { (version * 7 + (jersey ?? 0)) % 5 }
}

extension WriterOracle.Operation {
    /// A random change. `versions` has the version of each record that the writer has seen last.
    init(_ random: inout SeededGenerator, mark: String, versions: [String: Int64]) {
        let id = "\(random.below(4))"
        let kind = random.pick([Kind.create, .update, .update, .update, .update, .delete])
        // Three of four operations use the version that the writer saw last, which may be out of date. The fourth uses a random
        // version.
        let version = random.once(in: 4) ? Int64(random.below(6)) : versions[id] ?? 0
        self.init(kind: kind, id: id, version: version, mark: mark)
        guard kind != .delete else { return }
        name = random.once(in: 3) ? .nothing : random.once(in: 4) ? .null : .value("\(mark) by name")
        jersey = random.once(in: 3) ? .nothing : random.once(in: 5) ? .null : .value(Int64(random.below(100)))
        if kind == .update, random.once(in: 4) { jerseyAbove = Int64(random.below(60)) }
    }

    /// The document of the mutation.
    var query: String {
        let name = "\(kind.rawValue)Player"
        let type = "\(kind.rawValue.prefix(1).uppercased())\(kind.rawValue.dropFirst())PlayerInput!"
        return """
            mutation ($input: \(type), $condition: ModelPlayerConditionInput)
              { \(name)(input: $input, condition: $condition) { id name jersey marks _version _deleted } }
            """
    }

    /// The variables of the mutation.
    var variables: InputObject {
        var input: InputObject = ["id": .string(id), "_version": .int(version)]
        if kind != .delete {
            input.members.append(.init(name: "marks", value: .list([.string(mark)])))
            switch name {
            case .nothing: break
            case .null: input.members.append(.init(name: "name", value: .null))
            case .value(let value): input.members.append(.init(name: "name", value: .string(value)))
            }
            switch jersey {
            case .nothing: break
            case .null: input.members.append(.init(name: "jersey", value: .null))
            case .value(let value): input.members.append(.init(name: "jersey", value: .int(value)))
            }
        }
        let condition = jerseyAbove.map { InputValue.object(["jersey": ["gt": .int($0)]]) }
        return ["input": .object(input), "condition": condition ?? .null]
    }
}
