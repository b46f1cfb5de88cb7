/// The actions that the inbox requests from the shell.
package enum InboxAction: Sendable, Hashable {
    /// Subscribe to the changes of a model, and call ``Inbox/subscribed(_:at:)`` or
    /// ``Inbox/subscriptionFailed(_:refused:at:jitter:)``.
    case subscribe(String)
    /// End all subscriptions and the connection under them.
    case disconnect
    /// Ask for a page, and call ``Inbox/pageReceived(_:to:at:jitter:)``.
    case query(SyncQuery)
    /// Append the records of a page and these notes in one write, and call ``Inbox/appended(_:at:)``. The shell passes no
    /// answer to a query before it has appended the earlier pages.
    case append(PageAppend)
    /// Remove the records of the model that no page of its base query contained, and call ``Inbox/swept(_:at:)``.
    case sweep(Sweep)
    /// Ask for a new token and call ``Inbox/sessionRestored(at:)``.
    case refreshSession
    /// Report an event to the app.
    case report(InboxReport)
}

/// The events of the inbox that are reported to an app.
package enum InboxReport: Sendable, Hashable {
    /// Every model has its subscriptions, or the server refused them.
    case subscriptionsEstablished
    /// The first query begins.
    case queriesStarted([String])
    /// Every page of a model is in the log.
    case modelSynced(String, isBase: Bool, isTruncated: Bool)
    /// The server refuses a model's queries or subscriptions.
    case modelRefused(String, errorType: String, message: String)
    /// Every model was queried.
    case queriesReady
    /// A page was damaged, or the server repeated a token.
    case badAnswer(String)
}

/// A request for one page.
package struct SyncQuery: Sendable, Hashable {
    /// The model.
    package var model: String
    /// The number of the query.
    package var number: UInt64
    /// The time of the last sync, for a delta query; `nil` for a base query.
    package var lastSync: Int64?
    /// The place at which the page begins; `nil` for the first page.
    package var nextToken: String?
    /// The largest number of records in the page.
    package var limit: Int
}

/// A page of a sync query.
package struct SyncPage: Sendable, Hashable {
    /// The records, without records that could not be decoded.
    package var records: [ServerRecord]
    /// The place at which the next page begins; `nil` after the last one.
    package var nextToken: String?
    /// The time of the first page, by the server's clock.
    package var startedAt: Int64
    /// How many items had no usable record.
    package var unusableCount: Int

    package init(records: [ServerRecord], nextToken: String? = nil, startedAt: Int64, unusableCount: Int = 0) {
        (self.records, self.nextToken) = (records, nextToken)
        (self.startedAt, self.unusableCount) = (startedAt, unusableCount)
    }
}

/// A server's answer to the request for a page.
package enum QueryResponse: Sendable, Hashable {
    /// A page.
    case page(SyncPage)
    /// The server does not recognise the token of the page.
    case tokenRefused
    /// The server refuses the model.
    case refused(errorType: String, message: String)
    /// There was no usable answer.
    case failed(retryAfter: Int64?)
    /// The token of the session has expired.
    case unauthenticated
}

/// A page to append.
package struct PageAppend: Sendable, Hashable {
    /// The model.
    package var model: String
    /// The query that the page answers.
    package var query: UInt64
    /// The records.
    package var records: [ServerRecord]
    /// The time of the first page, for a base query; `nil` for a delta query.
    package var baseStartedAt: Int64?
    /// The notes that are written with the records; `nil` removes a note.
    package var notes: [String: [UInt8]?]
}

/// The removal of records that a base query did not see.
package struct Sweep: Sendable, Hashable {
    /// The model.
    package var model: String
    /// The query.
    package var query: UInt64
    /// The time of the first page, by the server's clock. The pages may lack changes that were made later.
    package var startedAt: Int64
    /// The hashes of the records in the pages; `nil` to remove nothing.
    package var seen: Set<UInt64>?
    /// The notes to write after the removal; `nil` removes a note.
    package var notes: [String: [UInt8]?]
}
