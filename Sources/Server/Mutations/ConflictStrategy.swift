internal import TidelogCore

/// A conflict strategy: it decides a change whose version is not the version of the stored record.
package enum ConflictStrategy: Sendable {
    /// An update is merged field by field. A deletion is refused.
    case autoMerge
    /// The change is refused. The client gets the stored record with the error.
    case optimistic
    /// A change without a version is never a conflict: it is made to any version. A change with an old version is refused, as
    /// with `optimistic`. A client that does not select `_deleted` sees no deleted records.
    case unconditional
    /// A handler decides.
    case custom(ConflictHandler)
    /// The API has no versions, so no change is a conflict. A client protects a change by its condition.
    case withoutVersions

    /// Auto Merge: merges a change to an old version into the stored record. A sent value is used where the stored record has
    /// none, and lists are joined. Everything else stays as it is stored.
    enum AutoMerge {
        /// Merges the sent values into the stored record. A sent null is `nil`.
        static func merge(_ sent: [String: FieldValue?], into stored: Record) -> Record {
            var merged = stored
            for (name, value) in sent { merged[name] = Self.merge(value, into: stored[name]) }
            return merged
        }

        private static func merge(_ sent: FieldValue?, into stored: FieldValue?) -> FieldValue? {
            switch (stored, sent) {
            case (nil, _): return sent
            case (_, nil): return stored
            case (.list(let old), .list(let new)): return .list(old + new)
            case (.embedded(let old), .embedded(let new)):
                var merged = old
                for (name, value) in new { merged[name] = merge(value, into: old[name]) }
                return .embedded(merged)
            default: return stored
            }
        }
    }
}

/// A conflict handler: it decides a conflict. The service calls the handler outside of all transactions, and calls it again if
/// the record has changed in the meantime. If the handler throws, returns an unusable verdict, or takes too long, the change is
/// refused.
package typealias ConflictHandler = @Sendable (ConflictCase) async throws -> ConflictCase.Verdict
