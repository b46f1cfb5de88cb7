#if canImport(SwiftUI)
    public import SwiftUI
    public import TidelogCore
    @_exported public import TidelogObservation

    /// The records of a query in a view. The view is drawn again after each change of the records.
    ///
    /// ```swift
    /// @Records(Note.all.sorted(by: .descending(Note.keys.rating))) private var notes
    /// ```
    ///
    /// The records are in the store that `dataStore(_:)` set. The projected value, `$notes`, is the
    /// ``LiveRecords`` object with the phase, the error and a query that the view may replace.
    @propertyWrapper
    public struct Records<Value: Fetchable>: DynamicProperty {
        @Environment(\.dataStore) private var store
        @State private var records: LiveRecords<Value>
        private let query: Query<Value>

        /// The records of `query`.
        @MainActor public init(_ query: Query<Value>) {
            self.query = query
            _records = State(initialValue: LiveRecords(query))
        }

        /// The records, in the query's order.
        @MainActor public var wrappedValue: [Value] { records.items }

        /// The object that has the records.
        @MainActor public var projectedValue: LiveRecords<Value> { records }

        /// Follows the query and the store of the view. SwiftUI calls this method before it draws the view.
        public nonisolated mutating func update() {
            let (records, query, store) = (records, query, store)
            MainActor.assumeIsolated { records.follow(query, in: store) }
        }
    }
#endif
