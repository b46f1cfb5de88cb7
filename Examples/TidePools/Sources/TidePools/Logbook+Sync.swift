import Foundation
import Tidelog

extension Logbook {
    /// An engine that keeps this logbook in step with a server, as long as the engine exists.
    public func engine(_ endpoint: URL, key: String) throws -> SyncEngine {
        var configuration = SyncConfiguration()
        configuration.conflictHandler = .custom { Self.decide($0) }
        return try SyncEngine(
            store: store, endpoint: endpoint, authorization: .apiKey(key), configuration: configuration)
    }

    /// Two people counted the same find: both of their counts are added.
    static func decide(_ conflict: ConflictData) -> ConflictResolution {
        guard case .int(let own)? = conflict.local?["count"], case .int(let before)? = conflict.base?["count"],
            case .int(let other)? = conflict.remote["count"]
        else { return .applyRemote }
        var both = conflict.remote
        both["count"] = .int(other + own - before)
        return .retry(both)
    }
}
