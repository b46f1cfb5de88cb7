@_spi(Adapters) internal import TidelogCore
package import TidelogGraphQLExecution
internal import TidelogSynchronization

/// The service: the API over a store, without sockets. It answers a request with a response.
package final class Service: Sendable {
    package let api: API
    package let typeSystem: TypeSystem
    let options: ServiceOptions
    let sealer: Sealer
    private let store: any VersionedStore
    private let environment: Environment
    private let models: [String: (api: ModelAPI, schema: ModelSchema)]
    /// The layout of the rows on which filters of single records are evaluated.
    private let layout: SchemaLayout
    private let documents = Mutex(DocumentCache())
    /// The bytes of all responses that are being made or sent.
    let responses: ResponsePool
    /// Makes the changes of mutations.
    let maker: ChangeMaker

    /// Makes a service for `api` over `store`.
    ///
    /// - Throws: ``TypeSystemError`` if the API is not a valid schema; the errors of the store.
    package init(
        _ api: API, _ store: any VersionedStore, options: ServiceOptions = ServiceOptions(),
        environment: Environment
    ) async throws {
        let options = options.fitting(api.kind)
        options.requireUsable()
        typeSystem = try TypeSystem(
            document: api.document, scalars: CustomScalar.ofAppSync, isIntStrict: options.isIntStrict)
        let stored = api.storedSchema
        var models: [String: (api: ModelAPI, schema: ModelSchema)] = [:]
        for model in stored.models {
            if let description = api.models[model.name] { models[model.name] = (description, model) }
        }
        self.models = models
        layout = SchemaLayout(StoredSchema(first: stored))
        sealer = Sealer(
            key: try await store.secret(named: "pages", environment.randomBytes), randomBytes: environment.randomBytes)
        responses = ResponsePool(limit: options.maximumResponseBytesUnderWay)
        maker = ChangeMaker(
            store: store, options: options, typeSystem: typeSystem, schema: api.schema,
            models: models.mapValues(\.schema), clock: environment.clock)
        self.api = api
        self.store = store
        self.options = options
        self.environment = environment
    }

    // MARK: Requests

    /// Prepares the operation of a request.
    ///
    /// - Throws: ``RequestErrors`` with AppSync's wording.
    package func prepare(_ request: ServiceRequest) throws(RequestErrors) -> ExecutableOperation {
        do {
            return try ExecutableOperation(
                try document(request.query), typeSystem: typeSystem, operationName: request.operationName,
                variables: request.variables)
        } catch {
            throw error.subject != .validity ? error : RequestErrors(errors: error.errors.inAppSyncWords)
        }
    }

    /// The valid document of a text. Documents are cached, because clients send few different ones.
    private func document(_ text: String) throws(RequestErrors) -> RequestDocument {
        let key = ExactText(text)
        if let known = documents.withLock({ $0[key] }) { return known }
        let document: RequestDocument
        do { document = try RequestDocument(parsing: text) } catch { throw RequestErrors(error) }
        let errors = document.validate(against: typeSystem)
        guard errors.isEmpty else { throw RequestErrors(errors: errors) }
        documents.withLock { $0[key] = document }
        return document
    }

    // MARK: Methods for resolvers

    func model(_ name: String) throws(ResolverError) -> (api: ModelAPI, schema: ModelSchema) {
        guard let model = models[name] else { throw Self.unknown(name) }
        return model
    }

    /// The layout of a model's rows for filters of single records. The store can have another layout.
    func layout(of name: String) throws(ResolverError) -> ModelLayout {
        guard let layout = layout.model(named: name) else { throw Self.unknown(name) }
        return layout
    }

    /// The row of a stored record, for filters of single records.
    func row(of record: Record) throws(ResolverError) -> EncodedRow {
        let layout = try layout(of: record.model)
        do { return try EncodedRow(stored: record, layout: layout) } catch { throw ServiceFailure.error(of: error) }
    }

    private static func unknown(_ name: String) -> ResolverError {
        ResolverError("The server has no model \(name).", errorType: "InternalFailure")
    }

    /// The permissions of `caller` for the records of a model.
    func access(of caller: Caller, to name: String) throws(ResolverError) -> ModelAccess {
        ModelAccess(try model(name).api, for: caller, defaultProvider: options.defaultProvider)
    }

    /// Seals `bytes` as a text that is only valid in `context`.
    func seal(_ bytes: [UInt8], in context: [UInt8]) throws(ResolverError) -> String {
        do { return try sealer.seal(bytes, in: context) } catch { throw ServiceFailure.error(of: error) }
    }

    /// The id of the record that the arguments identify.
    func id(of name: String, _ argument: (String) -> InputValue?) throws(ResolverError) -> RecordID {
        let (_, schema) = try model(name)
        var components: [FieldValue] = []
        for name in schema.primaryKey {
            guard let field = schema.field(named: name), let input = argument(name),
                let value = FieldValue(input, as: field.type, in: api.schema)
            else { throw ResolverError("The key lacks a value for \(name).", errorType: "BadRequest") }
            components.append(value)
        }
        return RecordID(components)
    }

    /// Reads from the store with `body`. Errors of the store become errors of the API.
    func reading<Value>(
        _ body: (any VersionedStore) async throws -> Value
    ) async throws(ResolverError) -> Value {
        do { return try await body(store) } catch { throw ServiceFailure.error(of: error) }
    }

    /// Whether a sync query with `lastSync` that begins at `now` is a delta query.
    func isDelta(since lastSync: Int64?, at now: Int64) -> Bool {
        guard let lastSync else { return false }
        return lastSync <= now && lastSync >= now - options.deltaAge
    }

    /// Whether the tombstones of all records that were deleted at `time` or later still exist.
    func hasTombstones(since time: Int64) -> Bool { time >= self.time - options.tombstoneAge }

    /// The current time in milliseconds since 1970-01-01T00:00:00Z.
    var time: Int64 { environment.clock() }

    /// The current time.
    var dateTime: Temporal.DateTime { Temporal.DateTime(milliseconds: time) }

    /// A name for a request to the store, in the form of DynamoDB's.
    var storeRequestID: String {
        let letters = Array("0123456789ABCDEFGHIJKLMNOPQRSTUV".utf8)
        return String(decoding: environment.randomBytes(52).map { letters[Int($0 & 31)] }, as: UTF8.self)
    }

    /// A new identifier: a random UUID (RFC 9562, version 4).
    var identifier: String {
        let bytes = environment.randomBytes(16)
        let high = bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
        let low = bytes.suffix(8).reduce(0) { $0 << 8 | UInt64($1) }
        return String(uuid: high & ~0xF000 | 0x4000, low & ~(3 << 62) | 2 << 62)
    }

    /// The environment of a service: its clock and random bytes. A simulation can replace them.
    package struct Environment: Sendable {
        /// The current time in milliseconds since 1970-01-01T00:00:00Z.
        package var clock: @Sendable () -> Int64
        /// Returns the given number of random bytes.
        package var randomBytes: @Sendable (Int) -> [UInt8]

        package init(
            clock: @escaping @Sendable () -> Int64, randomBytes: @escaping @Sendable (Int) -> [UInt8]
        ) {
            (self.clock, self.randomBytes) = (clock, randomBytes)
        }

        /// The system's clock and random bytes.
        package static let system = Environment(
            clock: { WallClock.microsecondsSince1970() / 1_000 },
            randomBytes: { count in
                do { return try Secrets.randomBytes(count) } catch {
                    // Without random bytes, there are no secrets, so the process must not continue.
                    preconditionFailure("the system gives random bytes")
                }
            })
    }
}

/// The valid documents of recent requests, by their texts.
private struct DocumentCache {
    private static let capacity = 256
    /// The largest size of all texts together, in bytes. A request may have a document of a mebibyte.
    private static let maximumByteCount = 2 << 20
    private var documents: [ExactText: RequestDocument] = [:]
    private var byteCount = 0

    subscript(text: ExactText) -> RequestDocument? {
        get { documents[text] }
        set {
            // A full cache is emptied. A client that never repeats a document therefore costs the other clients one extra
            // parse.
            let size = text.text.utf8.count
            if documents.count >= Self.capacity || byteCount + size > Self.maximumByteCount {
                documents.removeAll(keepingCapacity: true)
                byteCount = 0
            }
            guard let newValue, documents.updateValue(newValue, forKey: text) == nil else { return }
            byteCount += size
        }
    }
}
