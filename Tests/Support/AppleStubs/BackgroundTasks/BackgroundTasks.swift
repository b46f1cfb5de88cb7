// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// Declarations of Apple's BackgroundTasks that examples of this package use, with the SDK's signatures.
public import Foundation

open class BGTaskRequest {
    public let identifier: String
    open var earliestBeginDate: Date?

    init(identifier: String) { self.identifier = identifier }
}

open class BGAppRefreshTaskRequest: BGTaskRequest {
    public override init(identifier: String) { super.init(identifier: identifier) }
}

public final class BGTaskScheduler: Sendable {
    public class var shared: BGTaskScheduler { BGTaskScheduler() }

    public func submit(_ taskRequest: BGTaskRequest) throws {}
}
