internal import TidelogCore

/// The two kinds of APIs that a server makes of a schema.
///
/// Their differences are stated here, in ``ConflictStrategy`` and in ``VersionedStore``.
package enum APIKind: String, Sendable, Hashable, CaseIterable {
    /// Records have versions, sync queries give the changed records, and a deletion leaves a tombstone. Amplify makes such an
    /// API for DataStore, with conflict detection.
    case versioned
    /// A record has the time of its last change and no version, and a deletion leaves nothing. Amplify's second generation
    /// makes such an API.
    case timestamps

    /// The metadata fields that clients see.
    var metadata: [FieldSchema] { self == .versioned ? Metadata.fields : [] }

    /// Whether each model has a query for changed records.
    var hasSyncQueries: Bool { self == .versioned }

    /// Whether a deletion leaves a tombstone, which queries return.
    package var leavesTombstones: Bool { self == .versioned }

    /// Whether clients may give their changes ids, so that the server does not repeat a change.
    var namesChanges: Bool { self == .versioned }

    /// Whether a list without a key reads every record, with every filter. Each record that is read for a page then counts for
    /// the limit, even if the filter or the access rules leave it out. A full page always has a token for the next one.
    var scansLists: Bool { self == .timestamps }

    /// Whether a caller whose rights depend on the record learns that a record does not exist.
    var tellsWhatIsMissing: Bool { self == .timestamps }

    /// Whether messages to subscribers have only the fields that the mutation selected, even without strict selections.
    var limitsMessages: Bool { self == .timestamps }

    /// Checks that records which were served before were served with this kind of API. An API of the other kind would show
    /// them wrongly.
    ///
    /// - Parameters:
    ///   - noted: The noted kind of the API that served the records last; `nil` if none was noted.
    ///   - isUsed: Whether the records were served before. Servers of earlier versions have noted no kind.
    /// - Throws: ``DataStoreError``: `configurationMismatch` if it was the other kind.
    package func requireServed(before noted: String?, isUsed: Bool) throws {
        let former = noted.map { APIKind(rawValue: $0) } ?? (isUsed ? .versioned : self)
        guard former != self else { return }
        throw DataStoreError(
            .configurationMismatch,
            "The records were served with another kind of API: \(self == .timestamps ? "with" : "without") versions.",
            recovery: "Serve them with --api \(self == .timestamps ? "gen1" : "gen2") as before, or serve others.")
    }
}
