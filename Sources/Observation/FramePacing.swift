/// How long a ``LiveRecords`` object waits after a result before it shows the next.
///
/// During the wait, the changes of the store are combined into the next result.
public struct FramePacing: Sendable {
    /// Returns at the next frame.
    let nextFrame: @Sendable () async throws -> Void

    /// A pace that `nextFrame` sets. Each call returns when the next result may be shown. It throws if its task is cancelled.
    public init(_ nextFrame: @escaping @Sendable () async throws -> Void) { self.nextFrame = nextFrame }

    /// At most 60 results in a second.
    public static let display = interval(.microseconds(16_667))

    /// At least `duration` between two results.
    public static func interval(_ duration: Duration) -> FramePacing {
        FramePacing { try await Task.sleep(for: duration) }
    }
}
