/// The durability of a store: when a write is acknowledged.
public enum Durability: UInt8, Sendable, Hashable, CaseIterable {
    /// An acknowledged write survives a power loss. Each group needs one sync. This is the default.
    case full = 0
    /// An acknowledged write survives the end of the process. A power loss may remove the last commits, but does not
    /// damage the store. Writes do not sync.
    case relaxed = 1

    /// The name for the command line.
    public var name: String {
        switch self {
        case .full: "full"
        case .relaxed: "relaxed"
        }
    }
}
