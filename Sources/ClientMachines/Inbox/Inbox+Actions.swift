package import TidelogSchema

extension Inbox {
    /// The actions that the inbox requests from the shell.
    package enum Action: Sendable, Hashable {
        /// Subscribe to the changes of a model, and call ``Inbox/subscribed(_:at:)`` or
        /// ``Inbox/subscriptionFailed(_:_:at:jitter:)``.
        case subscribe(SubscriptionRequest)
        /// End this request for subscriptions, and the subscriptions that the server has begun for it.
        case unsubscribe(SubscriptionRequest)
        /// Ask for a page, and call ``Inbox/pageReceived(_:to:at:jitter:)``.
        case query(Query)
        /// Append the records of a page and its notes in one write, and call ``Inbox/appended(_:_:at:)``. The shell passes no
        /// answer to a query before it has appended the earlier pages.
        case append(PageAppend)
        /// Remove the records of the model that no page of its base query contained, and call ``Inbox/swept(_:inDoubt:at:)``.
        case sweep(Sweep)
        /// Ask for a record, and call ``Inbox/recordReceived(_:to:at:jitter:)``.
        case get(RecordQuery)
        /// Append the answer to the request for a record, and call ``Inbox/settled(_:at:)``.
        case settle(RecordAnswer)
        /// Ask for a new token and call ``Inbox/sessionRestored(at:)``.
        case refreshSession
        /// Report an event to the app.
        case report(Report)
    }

    /// The events of the inbox that are reported to an app.
    package enum Report: Sendable, Hashable {
        /// Every model has its subscriptions, or the server refused them.
        case subscriptionsEstablished
        /// The first query begins.
        case queriesStarted([String])
        /// Every page of a model is in the log.
        case modelSynced(String, isBase: Bool, isTruncated: Bool)
        /// The server refuses a model's queries or subscriptions.
        case modelRefused(String, errorType: String, message: String)
        /// Every model was queried or has failed, so changes may be sent.
        case maySend
        /// Every model was queried, except for models that fail.
        case queriesReady
        /// The queries of a model fail for a reason that belongs to the model. They are repeated.
        case modelFailed(String, String)
        /// The server does not push the changes of these models, so they are queried at intervals.
        case queriedAtIntervals([String], String)
        /// A page was damaged, or the server repeated a token.
        case badAnswer(String)
    }

    /// A request for the subscriptions of one model.
    package struct SubscriptionRequest: Sendable, Hashable {
        /// The model.
        package var model: String
        /// The number of the request. Answers to an earlier request are ignored.
        package var number: UInt64

        package init(model: String, number: UInt64) { (self.model, self.number) = (model, number) }
    }

    /// The reason why a model has no subscriptions.
    package enum SubscriptionFailure: Sendable, Hashable {
        /// The server will never allow the subscriptions.
        case refused(errorType: String, message: String)
        /// The server does not begin the subscriptions of this model now.
        case failed(String)
        /// There is no connection, or no room for more subscriptions. All models share this failure.
        case noConnection(String, isUnreachable: Bool)
    }

    /// The part of each record that a page has. Only pages of a server without versions have less than the records.
    package enum Content: Sendable, Hashable {
        case records
        /// The keys and the stamps, as hints.
        case stamps
        /// The keys, as hints without a version.
        case keys
    }

    /// A request for one page.
    package struct Query: Sendable, Hashable {
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
        /// The part of each record that the page has.
        package var content = Content.records
        /// Whether the page comes from an index by time (``TimeIndex``), and not from the whole table.
        package var usesIndex = false

        package init(model: String, number: UInt64, lastSync: Int64?, nextToken: String?, limit: Int) {
            self.model = model
            self.number = number
            self.lastSync = lastSync
            self.nextToken = nextToken
            self.limit = limit
        }
    }

    /// A page of a sync query.
    package struct Page: Sendable, Hashable {
        /// The records, without records that could not be decoded.
        package var records: [ServerRecord] { didSet { (hashes, areDistinct) = (nil, false) } }
        /// The stamps or the keys of the records, if the page does not have the records.
        package var stamps: [RecordHint] = []
        /// The place at which the next page begins; `nil` after the last one.
        package var nextToken: String?
        /// The time of the first page, by the server's clock; 0 if the server does not tell it.
        package var startedAt: Int64
        /// How many items had no usable record.
        package var unusableCount: Int
        /// The ``RecordReference/stableHash`` of each record, if the reader of the answer has computed them. It can do that
        /// while the machine handles the page before.
        package private(set) var hashes: [UInt64]?
        /// Whether the records are known to be different records of the queried model.
        package private(set) var areDistinct = false

        package init(records: [ServerRecord], nextToken: String? = nil, startedAt: Int64, unusableCount: Int = 0) {
            (self.records, self.nextToken) = (records, nextToken)
            (self.startedAt, self.unusableCount) = (startedAt, unusableCount)
        }

        /// Computes what the machine needs to know about all records, which are of one model.
        package mutating func complete() {
            let hashes = records.map(\.reference.stableHash)
            (self.hashes, areDistinct) = (hashes, Set(hashes).count == hashes.count)
        }
    }

    /// A server's answer to the request for a page.
    package enum QueryResponse: Sendable, Hashable {
        /// A page.
        case page(Page)
        /// The server does not recognise the token of the page.
        case tokenRefused
        /// The server refuses the model.
        case refused(errorType: String, message: String)
        /// There was no usable answer, or the server answered with an error that may pass.
        case failed(QueryFailure)
        /// The token of the session has expired.
        case unauthenticated
        /// The API has no versions and no sync queries.
        case lacksVersions
        /// The model has no index by time that has all of its records.
        case lacksIndex
    }

    /// The failure of a query that is repeated.
    package struct QueryFailure: Sendable, Hashable {
        /// How far a request got.
        package enum Reach: Sendable, Hashable {
            /// There was no response.
            case nothing
            /// There was a response that is no answer to the query, for example the status 503.
            case response
            /// The server answered the query with an error.
            case answer
        }

        /// A description of the failure, as a sentence.
        package var reason: String
        package var reach: Reach
        /// The time in milliseconds that the server asks the device to wait.
        package var retryAfter: Int64?

        package init(reason: String, reach: Reach, retryAfter: Int64? = nil) {
            self.reason = reason
            self.reach = reach
            self.retryAfter = retryAfter
        }
    }

    /// A page to append.
    package struct PageAppend: Sendable, Hashable {
        /// The model.
        package var model: String
        /// The query that the page answers.
        package var query: UInt64
        /// The records.
        package var records: [ServerRecord]
        /// The stamps or the keys to compare with the store's. A page that has them has no records.
        package var stamps: [RecordHint] = []
        /// The time of the first page, for a base query; `nil` for a delta query.
        package var baseStartedAt: Int64?
        /// Whether the records are known to be different records of the model.
        package var areDistinct = false
        /// The notes that are written with the records; `nil` removes a note.
        package var notes: [String: [UInt8]?]
        /// The notes to write instead if the store cannot hold one of the records.
        package var notesIfUnstorable: [String: [UInt8]?] = [:]
    }

    /// The outcome of the append of a page.
    package struct PageOutcome: Sendable, Hashable {
        /// How many records were new or newer than in the store.
        package var newCount = 0
        /// Why the store cannot hold some of the records: a sentence for each.
        package var unstorable: [String] = []
        /// The records whose stamps differ from the store's.
        package var differing: [RecordHint] = []

        package init(newCount: Int = 0, unstorable: [String] = [], differing: [RecordHint] = []) {
            (self.newCount, self.unstorable, self.differing) = (newCount, unstorable, differing)
        }
    }

    /// A request for one record.
    package struct RecordQuery: Sendable, Hashable {
        /// The record.
        package var reference: RecordReference
        /// The number of the request.
        package var number: UInt64
        /// The last event that the machines had read when the request was made.
        package var head: SequenceNumber
    }

    /// A server's answer to the request for a record.
    package struct RecordAnswer: Sendable, Hashable {
        /// The request.
        package var query: RecordQuery
        /// The record; `nil` if the server does not have it.
        package var record: ServerRecord?
        /// Whether the server was asked again because its first answer was older than expected.
        package var isConfirmed = false
    }

    /// The removal of records that a base query did not see.
    package struct Sweep: Sendable, Hashable {
        /// The model.
        package var model: String
        /// The query.
        package var query: UInt64
        /// The time of the first page, by the server's clock. The pages may lack changes that were made later.
        package var startedAt: Int64
        /// The pages may also lack changes that were made just before the first page. Earlier ones, up to this time by the
        /// server's clock, they have.
        package var certainBefore: Int64
        /// The last event before the query began. The server had the records that were received later.
        package var receivedThrough: SequenceNumber
        /// The hashes of the records in the pages; `nil` to remove nothing.
        package var seen: Set<UInt64>?
        /// The notes to write after the removal; `nil` removes a note.
        package var notes: [String: [UInt8]?]
    }
}
