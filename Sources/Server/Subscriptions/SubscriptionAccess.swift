internal import TidelogAgreement
internal import TidelogCore
internal import TidelogGraphQLExecution

/// The access check of a subscription: it decides which changes the subscriber may get.
struct SubscriptionAccess: Sendable {
    private let reading: SubscriptionReading
    /// The fields with their own rules by which the changes are filtered.
    private let choosing: [String]
    /// The owners that the subscription's arguments name. Each of them is the subscriber.
    private let owners: [Permission.RecordTest]
    private let access: ModelAccess

    /// Whether the model's rules apply to the subscription.
    private enum SubscriptionReading: Sendable {
        /// The model's rules decide for each record.
        case asPermitted(Permission)
        /// The `@model` directive opens the model's subscriptions to all callers.
        case open
    }

    /// - Parameters:
    ///   - filtered: The fields that the filter and the other arguments compare.
    /// - Throws: An error of `field` if the subscriber may get no change, or if an argument names another owner.
    init(
        _ arguments: RootField.SubscriptionArguments, _ field: SelectedField, _ access: ModelAccess,
        filtered: Set<String>
    ) throws(ResolverError) {
        self.access = access
        let permission = access.permission(.listen)
        if arguments.isAuthorized {
            guard permission != .nobody else { throw Permission.Refusal.operation.error(for: field) }
            reading = .asPermitted(permission)
        } else {
            reading = .open
        }
        choosing = filtered.filter(access.hasOwnRules).sorted()
        let refused = choosing.filter { access.permission(.listen, field: $0) == .nobody }
        guard refused.isEmpty else { throw Permission.Refusal.fields(refused).error(for: field) }
        owners = try Self.owners(arguments, field, permission)
        assert(arguments.isAuthorized || owners.isEmpty, "an open subscription names no owner")
    }

    /// The tests for the owners that the arguments name. If the subscriber may read every record, the argument may name any
    /// owner, and is then an ordinary filter.
    private static func owners(
        _ arguments: RootField.SubscriptionArguments, _ field: SelectedField, _ permission: Permission
    ) throws(ResolverError) -> [Permission.RecordTest] {
        guard case .records(let tests) = permission, arguments.isAuthorized else { return [] }
        var owners: [Permission.RecordTest] = []
        for name in arguments.ownerFields {
            guard let given = field[argument: name] else { continue }
            guard case .string(let text) = given,
                let test = tests.first(where: {
                    $0.field == name && $0.role == .owner && $0.holds(for: .string(text))
                })
            else { throw Permission.Refusal.operation.error(for: field) }
            owners.append(test)
        }
        return owners
    }

    /// The arguments that are ordinary filters. Each remaining argument asks for the subscriber's own records, by any of the
    /// subscriber's names.
    func filters(_ names: [String]) -> [String] { names.filter { name in !owners.contains { $0.field == name } } }

    /// Whether the subscriber may get a change that leaves `record`.
    func admits(_ record: Record) -> Bool {
        if case .asPermitted(let permission) = reading, !permission.holds(for: record) { return false }
        return owners.allSatisfy { $0.holds(for: record) }
            && choosing.allSatisfy { access.admits($0, of: record, .listen) }
    }
}

extension Service {
    /// A digest of what a caller may read. Two callers with the same digest may read the same values of a change. All callers
    /// with the API key have the same digest, and so do all callers that the rules treat alike.
    func readingRights(of caller: Caller) throws(ResolverError) -> [UInt8] {
        var bytes: [UInt8] = []
        for name in api.models.keys.sorted() { bytes += try access(of: caller, to: name).readingRights }
        return Secrets.digest(bytes)
    }
}

extension ModelAccess {
    /// The read permissions of the caller as bytes. Different permissions give different bytes.
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

    /// `start`, the number of parts, and the parts. The counts make sure that two different lists never give the same bytes.
    private static func counted<Part>(_ start: [UInt8], _ parts: [Part], _ bytes: (Part) -> [UInt8]) -> [UInt8] {
        let counts = [start.count, parts.count].flatMap { count in
            withUnsafeBytes(of: UInt64(count).littleEndian) { Array($0) }
        }
        return counts + start + parts.flatMap(bytes)
    }
}
