#if canImport(SwiftUI)
    public import SwiftUI
    public import TidelogCore

    extension View {
        /// Sets the store of the views in this view. With `nil`, ``Records`` in these views are empty and wait for a store.
        public func dataStore(_ store: DataStore?) -> some View { environment(\.dataStore, store) }
    }

    extension EnvironmentValues {
        /// The store of a view, or `nil` if no view around it has set one.
        public var dataStore: DataStore? {
            get { self[DataStoreKey.self] }
            set { self[DataStoreKey.self] = newValue }
        }
    }

    private struct DataStoreKey: EnvironmentKey {
        static let defaultValue: DataStore? = nil
    }
#endif
