extension Environment {
    /// The options for opening an environment.
    public struct Options: Sendable, Hashable {
        /// The largest size of the data file in bytes. Only address space is reserved: the file stays as small as its content.
        /// The size is rounded up to whole pages. If the file is larger already, all of it is mapped.
        public var mapSize: Int

        /// The largest number of keyspaces that may be open at a time. Each of them adds a small cost to every transaction, so
        /// thousands are too many.
        public var maximumKeyspaces: Int

        /// The largest number of read transactions in all processes together, including reset ones. The first process that
        /// opens the environment sets it.
        public var maximumReaders: Int

        /// The time at which a commit reaches the device.
        public var syncPolicy: SyncPolicy

        /// Whether only read transactions may begin.
        public var isReadOnly: Bool

        /// Whether a missing or empty data file is an error. Otherwise, a new environment is created.
        public var requireExisting: Bool

        /// Whether to open the environment even on file systems that may not share locks and maps between machines or
        /// processes.
        public var allowsNetworkFileSystem: Bool

        /// Whether to read every page in use before the file is mapped, instead of only the roots. Use this for a file that was
        /// not synced when the system stopped. It takes as long as reading the whole file.
        public var inspectsEveryPage: Bool

        /// The default options: 64 GiB, 256 keyspaces, 510 readers, and a full sync.
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

        /// 64 GiB, or 1 GiB if addresses have 32 bits.
        public static var defaultMapSize: Int {
            #if _pointerBitWidth(_64)
                64 << 30
            #else
                1 << 30
            #endif
        }
    }
}
