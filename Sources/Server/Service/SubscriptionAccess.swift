internal import TidelogCore
internal import TidelogGraphQL

/// Of which changes the rules let one subscriber be told.
struct SubscriptionAccess: Sendable {
    private let reading: SubscriptionReading
    /// Fields with rules of their own that the changes are chosen by.
    private let choosing: [String]
    /// Owners that the subscriber asks for, who are the subscriber.
    private let owners: [RecordTest]
    private let access: ModelAccess

    /// How far the rules of the model are asked.
    private enum SubscriptionReading: Sendable {
        /// They say so of each record.
        case asPermitted(Permission)
        /// `@model` opens the model's subscriptions to everybody.
        case open
    }

    /// - Parameters:
    ///   - filtered: The fields that the filter and the other arguments look at.
    /// - Throws: an error of `field` if the rules let the subscriber be told of nothing, or if another owner is asked for.
    init(
        _ arguments: SubscriptionArguments, _ field: SelectedField, _ access: ModelAccess, filtered: Set<String>
    ) throws(ResolverError) {
        self.access = access
        let permission = access.permission(.listen)
        if arguments.isAuthorized {
            guard permission != .nobody else { throw AccessRefusal.operation.error(for: field) }
            reading = .asPermitted(permission)
        } else {
            reading = .open
        }
        choosing = filtered.filter(access.hasOwnRules).sorted()
        let refused = choosing.filter { access.permission(.listen, field: $0) == .nobody }
        guard refused.isEmpty else { throw AccessRefusal.fields(refused).error(for: field) }
        owners = try Self.owners(arguments, field, permission)
    }

    /// The tests of the owners that were asked for. Who may be told of every record may ask for any: then the argument is a
    /// filter like others.
    private static func owners(
        _ arguments: SubscriptionArguments, _ field: SelectedField, _ permission: Permission
    ) throws(ResolverError) -> [RecordTest] {
        guard case .records(let tests) = permission, arguments.isAuthorized else { return [] }
        var owners: [RecordTest] = []
        for name in arguments.ownerFields {
            guard let given = field[argument: name] else { continue }
            guard case .string(let text) = given,
                let test = tests.first(where: {
                    $0.field == name && $0.role == .owner && $0.holds(for: .string(text))
                })
            else { throw AccessRefusal.operation.error(for: field) }
            owners.append(test)
        }
        return owners
    }

    /// The arguments that are filters: the others ask for the subscriber's own records, by whichever of the names.
    func filters(_ names: [String]) -> [String] { names.filter { name in !owners.contains { $0.field == name } } }

    /// Whether the subscriber may be told of `record`, as it is after a change.
    func admits(_ record: Record) -> Bool {
        if case .asPermitted(let permission) = reading, !permission.holds(for: record) { return false }
        return owners.allSatisfy { $0.holds(for: record) }
            && choosing.allSatisfy { access.admits($0, of: record, .listen) }
    }
}

extension Service {
    /// What tells apart whom the rules let read different things of a change: the same for all with the API key, and for
    /// all whom no rule tells apart.
    func readingRights(of caller: Caller) throws(ResolverError) -> [UInt8] {
        var bytes: [UInt8] = []
        for name in api.models.keys.sorted() { bytes += try access(of: caller, to: name).readingRights }
        return Secrets.digest(bytes)
    }
}

extension ModelAccess {
    /// What the caller may read, as bytes that differ if it does.
    fileprivate var readingRights: [UInt8] {
        var bytes: [UInt8] = []
        for operation in AccessRule.Operation.reading.sorted(by: { $0.rawValue < $1.rawValue }) {
            bytes += permission(operation).bytes
            for field in fieldsWithOwnRules { bytes += permission(operation, field: field).bytes }
        }
        return bytes
    }
}

extension Permission {
    fileprivate var bytes: [UInt8] {
        switch self {
        case .nobody: [0]
        case .everything: [1]
        case .records(let tests):
            Self.counted([2], tests) { test in
                Self.counted(Array(test.field.utf8), test.names) { Self.counted($0, []) { (_: UInt8) in [] } }
            }
        }
    }

    /// `start`, a count and the parts, so that no two lists read alike.
    private static func counted<Part>(_ start: [UInt8], _ parts: [Part], _ bytes: (Part) -> [UInt8]) -> [UInt8] {
        let counts = [start.count, parts.count].flatMap { count in
            withUnsafeBytes(of: UInt64(count).littleEndian) { Array($0) }
        }
        return counts + start + parts.flatMap(bytes)
    }
}
