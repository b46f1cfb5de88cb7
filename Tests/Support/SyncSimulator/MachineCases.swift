import TidelogSync

/// The cases of the machine's inputs and actions that a simulation can show. The results of actions have the names of their
/// actions.
package enum MachineCases {
    package static let all =
        inputs.map { "input " + $0 } + answers.map { "answer " + $0 } + requests.map { "request " + $0 }
        + actions.map { "action " + $0 }

    private static let inputs = [
        "start", "stop", "await", "giveUp", "leaseFree", "network", "timePassed", "logNoticed", "answer", "pushed",
        "failed", "resumed", "end",
    ]

    private static let answers = [
        "mutations", "fetch", "page", "records", "subscribed", "subscriptionFailed", "subscriptionLost", "resolved",
        "identified", "unidentified",
    ]

    private static let requests = ["identity", "mutations", "fetch", "page", "records", "subscribe"]

    private static let actions = [
        "takeLease", "giveUpLease", "open", "close", "awaitResumption", "countPending", "countSetAside", "readLog",
        "request", "unsubscribe", "disconnect", "prepare", "append", "receivePushes", "receivePage", "receiveRecords",
        "sweep", "decide", "settle", "join", "advance", "choose", "setSynced", "tell", "finish", "finishStops", "wake",
    ]
}

extension SyncMachine.Input {
    var caseName: String {
        switch self {
        case .start: "start"
        case .stop: "stop"
        case .await: "await"
        case .giveUp: "giveUp"
        case .leaseFree: "leaseFree"
        case .network: "network"
        case .timePassed: "timePassed"
        case .logNoticed: "logNoticed"
        case .answer: "answer"
        case .pushed: "pushed"
        case .failed: "failed"
        case .resumed: "resumed"
        case .end: "end"
        case .result: "result"
        }
    }
}

extension SyncMachine.Answer {
    var caseName: String {
        switch self {
        case .mutations: "mutations"
        case .fetch: "fetch"
        case .page: "page"
        case .records: "records"
        case .subscribed: "subscribed"
        case .subscriptionFailed: "subscriptionFailed"
        case .subscriptionLost: "subscriptionLost"
        case .resolved: "resolved"
        case .identified: "identified"
        case .unidentified: "unidentified"
        }
    }
}

extension SyncMachine.Request {
    var caseName: String {
        switch self {
        case .identity: "identity"
        case .mutations: "mutations"
        case .fetch: "fetch"
        case .page: "page"
        case .records: "records"
        case .subscribe: "subscribe"
        }
    }
}
