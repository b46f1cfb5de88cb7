import Tidelog

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The layer between the app's screens and its models. Records that a screen saves are in the store at once, and the engine
/// syncs them.
public struct Neighbourhood: Sendable {
    let store: DataStore
    private let engine: SyncEngine
    private let client: GraphQLClient

    /// Opens the person's store at `directory`, which is created at the first start.
    ///
    /// The engine starts at once, and starts again after failures. The app therefore also starts without a network.
    public init(at directory: URL, endpoint: URL, key: String) async throws {
        store = try await DataStore.open(at: directory, schema: .app, adapter: .lmdb())
        engine = try SyncEngine(store: store, endpoint: endpoint, authorization: .apiKey(key), startup: .automatic)
        client = try GraphQLClient(endpoint: endpoint, authorization: .apiKey(key), schema: .app)
    }

    /// Waits at most five seconds until the server has everything that was saved, and closes the store.
    ///
    /// - Returns: The number of changes that the server does not have. After the next start, the engine sends all of them
    ///   except changes that the server refused.
    public func close() async throws -> Int {
        let report = await engine.runOnce(until: .now + .seconds(5))
        try await store.close()
        return report.pending + report.setAside
    }

    // MARK: - Postcodes

    /// Saves where a user lives, and adds the user to the conversation of that postcode area.
    ///
    /// - Throws: ``PostcodeError`` if `text` is not a postcode; `DataStoreError`; `GraphQLClientError` if the method needs an
    ///   answer of the server and gets none.
    public func updatePostcode(of username: String, to text: String) async throws -> Membership {
        guard let postcode = Postcode(text) else { throw PostcodeError(text: text) }
        let known = try await store.query(User.self, where: User.keys.username == username).first
        var user = known ?? User(username: username, createdAt: .now())
        user.postcode = postcode.text
        try await store.save(user)
        if let thread = try await ownThread(of: user, in: postcode.area) {
            return Membership(user: user, thread: thread, isNewThread: false)
        }
        let (thread, isNew) = try await thread(of: postcode.area)
        // If the server named the thread, the store may not have received it yet.
        try await store.save(UserThread(createdAt: .now(), user: user, thread: thread), requireParents: false)
        return Membership(user: user, thread: thread, isNewThread: isNew)
    }

    /// The conversation of a postcode area in which the user already takes part; `nil` if the store has none.
    private func ownThread(of user: User, in area: String) async throws -> Thread? {
        for thread in try await store.fetch(Thread.byLocation(location: area)) {
            let count = try await store.count(
                UserThread.where(UserThread.keys.userID == user.id && UserThread.keys.threadID == thread.id))
            if count > 0 { return thread }
        }
        return nil
    }

    /// The conversation of a postcode area. If there is none, this method begins one.
    ///
    /// The decision needs the server's answer, because the store may not have received a thread of another user yet. If two
    /// people ask at the same moment, both may begin a thread.
    private func thread(of area: String) async throws -> (Thread, isNew: Bool) {
        var token: String?
        repeat {
            let page = try await client.query(
                .list(Thread.where(Thread.keys.location == area), nextToken: token))
            if let thread = page.records.compactMap(\.value).first { return (thread, false) }
            token = page.nextToken
        } while token != nil
        // A thread that was begun on this device may not be on the server yet.
        if let own = try await store.fetch(Thread.byLocation(location: area)).first { return (own, false) }
        let thread = Thread(name: area, location: area, createdAt: .now())
        try await store.save(thread)
        return (thread, true)
    }

    // MARK: - Messages

    /// Sends a message to a conversation.
    public func send(_ body: String, from membership: Membership) async throws {
        let message = Message(body: body, createdAt: .now(), thread: membership.thread, author: membership.user)
        try await store.save(message, requireParents: false)
    }

    /// The messages of a conversation, with the oldest first. The query gives them at once, and again whenever they have
    /// changed.
    public func messages(of thread: Thread) -> LiveQuery<Message> {
        store.observe(Message.where(Message.keys.threadID == thread.id).sorted(by: .ascending(Message.keys.createdAt)))
    }

    /// The name of the message's author; `nil` if the store has not received the author yet.
    public func author(of message: Message) async throws -> String? {
        try await store.query(User.self, id: message.authorID)?.username
    }
}

/// A user who takes part in a conversation.
public struct Membership: Sendable {
    /// The user.
    public let user: User
    /// The conversation.
    public let thread: Thread
    /// Whether the user began the conversation.
    public let isNewThread: Bool
}

/// A text is not a postcode.
public struct PostcodeError: Error, CustomStringConvertible {
    /// The text.
    public let text: String

    /// The error as a sentence for people.
    public var description: String { "\"\(text)\" is no postcode." }
}
