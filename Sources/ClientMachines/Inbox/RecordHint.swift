package import TidelogSchema

/// A record that the server must be asked for, because what arrived does not tell its state.
package struct RecordHint: Sendable, Hashable {
    /// The record.
    package var reference: RecordReference
    /// The version that arrived. The answer must have this version or a later one. It is 0 if only the key arrived.
    package var version: UInt64
    /// Whether an answer is only believed if it comes twice, because no version says whether it is recent.
    package var isBlind = false

    package init(_ reference: RecordReference, version: UInt64, isBlind: Bool = false) {
        (self.reference, self.version, self.isBlind) = (reference, version, isBlind)
    }

    /// The hint about a record that arrived from a server without versions, and that may lack values or be out of date.
    ///
    /// - Parameter known: The state that the store has; `nil` if it has none.
    package init(about record: ServerRecord, _ known: ServerState?) {
        let version = known?.version ?? 0
        // Versions do not tell the order of a deletion, or of two changes in the same millisecond.
        let isInOrder =
            RecordStamp.isEarlier(version, than: record.version) || RecordStamp.isEarlier(record.version, than: version)
        self.init(
            record.reference, version: max(record.version, version),
            isBlind: record.isDeleted || known?.isDeleted ?? false || known != nil && !isInOrder)
    }
}

extension ServerRecord {
    /// Puts the values of an earlier row into the fields that are null here but may have a value on the server.
    ///
    /// AppSync sends the fields that the writer of a change selected, and Amplify's resolvers hide fields with access rules of
    /// their own after a mutation. In both cases, a hidden value arrives as null.
    ///
    /// - Parameters:
    ///   - former: The row that the record had before; `nil` if it is not known.
    ///   - followsFormer: Whether no other version of the record is between that row and this record.
    ///   - isPush: Whether the record is a push, so that another device may have written it.
    /// - Returns: Whether the record may still differ from the server's.
    mutating func complete(
        from former: Record?, followsFormer: Bool, isPush: Bool, _ model: SyncModels.Model
    ) -> Bool {
        guard mayLackValues, var row else { return false }
        let isUnchanged = model.contents.allSatisfy { name in
            !model.writable.contains(name) || row[name] == nil || row[name] == former?[name]
        }
        var (isInDoubt, hasNull) = (false, false)
        for name in model.contents {
            if row[name] == nil { hasNull = true }
            row[name] = Self.completed(row[name], from: former?[name], &isInDoubt)
        }
        self.row = row
        // Any null may hide a value if it cannot be compared with the version before. If a push has no visible change, the
        // change is in a field that it does not show.
        return isInDoubt || hasNull && (former == nil || !followsFormer || isPush && isUnchanged)
    }

    private static func completed(
        _ value: FieldValue?, from former: FieldValue?, _ isInDoubt: inout Bool
    ) -> FieldValue? {
        switch (value, former) {
        case (nil, let former?):
            isInDoubt = true
            return former
        case (.embedded(var members)?, .embedded(let formers)?):
            for (name, former) in formers { members[name] = completed(members[name], from: former, &isInDoubt) }
            return .embedded(members)
        case (.list(let elements)?, .list(let formers)?) where elements.count == formers.count:
            return .list(
                zip(elements, formers).map { element, former in
                    // A selection hides members of an embedded element, but no element.
                    element == nil ? nil : completed(element, from: former, &isInDoubt)
                })
        default: return value
        }
    }
}
