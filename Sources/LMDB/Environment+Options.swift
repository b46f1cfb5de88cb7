extension Environment {
    /// How to open an environment.
    public struct Options: Sendable, Hashable {
        /// The most bytes the data file may grow to. Only address space is reserved, the file stays as small as its
        /// contents. Rounded up to whole pages; a file that is larger already is mapped whole.
        public var mapSize: Int

        /// The most keyspaces that may be open at a time. Every transaction costs a little for each, so thousands
        /// are too many.
        public var maximumKeyspaces: Int

        /// The most read transactions of all processes together, those reset included. Fixed by the process that
        /// opens the environment first.
        public var maximumReaders: Int

        /// When a commit reaches the device.
        public var syncPolicy: SyncPolicy

        /// Whether only read transactions may begin.
        public var isReadOnly: Bool

        /// Whether a missing or an empty data file is an error instead of a new environment.
        public var requireExisting: Bool

        /// Whether to go on where locks and maps may not be shared between machines or processes.
        public var allowsNetworkFileSystem: Bool

        /// Whether to read every page in use before the file is mapped, not only the roots: for a file that was not synced
        /// when the system stopped. Takes as long as reading the file.
        public var inspectsEveryPage: Bool

        /// Options with their defaults: 64 GiB, 256 keyspaces, 510 readers, a full sync.
        public init(
            mapSize: Int = Self.defaultMapSize,
            maximumKeyspaces: Int = 256,
            maximumReaders: Int = 510,
            syncPolicy: SyncPolicy = .full,
            isReadOnly: Bool = false,
            requireExisting: Bool = false,
            allowsNetworkFileSystem: Bool = false,
            inspectsEveryPage: Bool = false
        ) {
            self.mapSize = mapSize
            self.maximumKeyspaces = maximumKeyspaces
            self.maximumReaders = maximumReaders
            self.syncPolicy = syncPolicy
            self.isReadOnly = isReadOnly
            self.requireExisting = requireExisting
            self.allowsNetworkFileSystem = allowsNetworkFileSystem
            self.inspectsEveryPage = inspectsEveryPage
        }

        /// 64 GiB, or 1 GiB where addresses have 32 bits.
        public static var defaultMapSize: Int {
            #if _pointerBitWidth(_64)
                64 << 30
            #else
                1 << 30
            #endif
        }
    }
}
