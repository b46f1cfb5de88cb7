// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// Declarations of Apple's Network that code of this package uses, with the SDK's signatures.
public import Dispatch

public final class NWPathMonitor: Sendable {
    public init() {}

    public var pathUpdateHandler: (@Sendable (_ newPath: NWPath) -> Void)? {
        get { nil }
        set {}
    }

    public func start(queue: DispatchQueue) {}

    public func cancel() {}
}

public struct NWPath: Sendable {
    public enum Status: Sendable {
        case satisfied
        case unsatisfied
        case requiresConnection
    }

    public let status: Status
}
