internal import TidelogAgreement
internal import TidelogCore
internal import TidelogGraphQLExecution
internal import TidelogSynchronization

/// The context of one request: the state that its resolvers share.
final class RequestContext: Sendable {
    let service: Service
    let caller: Caller
    /// The changes of the request. A query has none.
    let changes: DocumentChanges
    /// The mutation fields whose changes were written, by their names in the response.
    private let written = Mutex<Set<String>>([])
    private let accesses = Mutex<[String: ModelAccess]>([:])

    /// The recorder for the report of the request; `nil` if no report is wanted.
    let recorder: RequestReport.Recorder?

    private let budget: RequestBudget

    init(
        _ service: Service, _ caller: Caller, changes: DocumentChanges = DocumentChanges(),
        recorder: RequestReport.Recorder? = nil
    ) {
        self.service = service
        self.caller = caller
        self.changes = changes
        self.recorder = recorder
        budget = RequestBudget(
            maximumComparedBytes: service.options.maximumComparedBytes,
            maximumResponseBytes: service.options.maximumResponseBytes, share: ResponsePool.Share(of: service.responses)
        )
    }

    /// The bytes of the response. They count as long as a reference to this object exists.
    var share: ResponsePool.Share { budget.share }
    /// The budget for the comparisons of filters and conditions.
    var comparisons: ComparisonBudget { budget.comparisons }
    /// Records that the change of `field` was written.
    func noteWritten(_ field: SelectedField) { written.withLock { _ = $0.insert(field.responseName) } }

    /// The errors of a mutation's response. If an error removes the whole result of a written change, its message says that the
    /// change was written. Otherwise the client would believe that the change was refused, and would make it again.
    func errors(of result: ExecutableOperation.Result) -> [GraphQLError] {
        let written = written.withLock { $0 }
        guard !written.isEmpty else { return result.errors }
        return result.errors.map { error in
            guard case .field(let name)? = error.path.first, written.contains(name), result.data[name]?.isNull ?? true
            else { return error }
            var error = error
            error.message += " The change was written."
            error.errorType = error.errorType ?? ServiceFailure.responseIncomplete
            return error
        }
    }

    /// The number of reads from the store so far.
    var readCount: Int { budget.readCount }
    /// The number of records on all pages read so far.
    var recordCount: Int { budget.recordCount }

    /// Reads from the store with `body`, and counts the read in the request's budget.
    func reading<Value>(
        _ body: (any VersionedStore) async throws -> Value
    ) async throws(ResolverError) -> Value {
        try budget.spendRead()
        return try await service.reading(body)
    }

    /// Reads a page of `query`, and counts it and the comparisons of its filter in the request's budget.
    func page(_ query: PageQuery) async throws(ResolverError) -> CountedPage {
        try budget.spendRead()
        var page = try await part(of: query)
        while let next = page.next, page.count < query.limit, page.readCount < query.readLimit {
            // The part ended because its filter compared much, so that other requests get their turn.
            await Task.yield()
            try comparisons.checkCancellation()
            var rest = query
            (rest.place, rest.limit) = (next, query.limit - page.count)
            rest.readLimit -= page.readCount
            page.add(try await part(of: rest))
        }
        return page
    }

    /// Reads the first part of a page, which ends early if its filter compares much.
    private func part(of query: PageQuery) async throws(ResolverError) -> CountedPage {
        var query = query
        query.comparisonLimit = comparisons.remainingByteCount
        let part = try await service.reading { [query] store in try await store.page(query) }
        try comparisons.spend(part.comparedByteCount)
        try budget.spend(records: part.readCount)
        return part
    }

    /// Counts a record that `field` returns as a part of the response.
    func spend(_ record: Record, of field: SelectedField) throws(ResolverError) {
        try budget.spend(responseBytes: ResponseMeasure.byteCount(record, of: field))
    }

    /// The number of rows, from the first on, that still fit into the response. They are counted as a part of the response.
    ///
    /// - Throws: An error if even the first row does not fit.
    func fittingCount(of rows: DecodedRows, _ shown: PageReading) throws(ResolverError) -> Int {
        if rows.count == 0 { return 0 }
        let measure = ResponseMeasure(pageOf: shown.field, rows)
        let room = budget.responseRoom
        var (count, byteCount) = (0, 0)
        while count < rows.count {
            let rowBytes = measure.byteCount(ofRow: count, in: rows)
            // The budget refuses the first row if it is too long.
            guard count == 0 || byteCount + rowBytes <= room else { break }
            byteCount += rowBytes
            count += 1
        }
        // The bytes of the page are counted in one step, because other requests change the same sum.
        try budget.spend(responseBytes: byteCount)
        return count
    }

    /// The caller's permissions for the records of a model.
    func access(_ name: String) throws(ResolverError) -> ModelAccess {
        if let known = accesses.withLock({ $0[name] }) { return known }
        let access = try service.access(of: caller, to: name)
        accesses.withLock { $0[name] = access }
        return access
    }

    /// The records of a model that a field of the request may show.
    func shown(
        _ name: String, _ operation: AccessRule.Operation, _ field: SelectedField
    ) throws(ResolverError) -> PageReading {
        try PageReading(try access(name), operation, field)
    }

    /// The record with `id`; null if there is none.
    ///
    /// - Throws: An error if the caller may not read the record. If the permission depends on the record's contents, a record
    ///   that does not exist causes the same error, unless the API tells its callers what is missing.
    func record(
        _ name: String, _ id: RecordID, _ field: SelectedField
    ) async throws(ResolverError) -> ResolvedValue<RequestContext> {
        let shown = try shown(name, .get, field)
        let record = try await visibleRecord(name, id, field)
        if let record, shown.admits(record) {
            try spend(record, of: field)
            return .object(shown.object(record))
        }
        let isKnownToMiss = record == nil && service.api.kind.tellsWhatIsMissing
        guard isKnownToMiss || !shown.dependsOnRecord else { throw Permission.Refusal.operation.error(for: field) }
        return .null
    }

    /// The record of `model` with `id`; `nil` if there is none, or if `field` must not show its tombstone.
    private func visibleRecord(
        _ model: String, _ id: RecordID, _ field: SelectedField
    ) async throws(ResolverError) -> Record? {
        let record = try await reading { try await $0.record(model, id) }
        return record?.isTombstone == true && hidesTombstones(of: model, from: field.selection()) ? nil : record
    }

    /// Whether deleted records of `model` are left out, because its clients need not know versions and this client does not
    /// select the field that marks a deleted record.
    func hidesTombstones(of model: String, from selection: ObjectSelection?) -> Bool {
        service.api.kind.leavesTombstones && service.options.hasClientsWithoutVersions(of: model)
            && selection?.first(Metadata.deleted) == nil
    }

    /// The condition that a record is not deleted.
    static let isThere = QueryPredicate.field(Metadata.deleted, .notEqual(.bool(true)))

    /// The related record of a relation; null if there is none that the caller may read.
    func related(
        _ name: String, _ id: RecordID, _ field: SelectedField
    ) async throws(ResolverError) -> ResolvedValue<RequestContext> {
        let shown = try shown(name, .get, field)
        guard let record = try await visibleRecord(name, id, field), shown.admits(record) else { return .null }
        try spend(record, of: field)
        return .object(shown.object(record))
    }

    /// The first record with `values` in an index that the caller may read.
    func first(
        _ name: String, in index: String, with values: [FieldValue], for field: SelectedField
    ) async throws(ResolverError) -> ResolvedValue<RequestContext> {
        let (_, schema) = try service.model(name)
        var shown = try shown(name, .get, field)
        let fields = schema.indexes.first { $0.name == index }?.fields ?? []
        guard !values.isEmpty, values.count <= fields.count else { return .null }
        try shown.choose(by: fields)
        let predicate = QueryPredicate.and(zip(fields, values).map { .field($0, .equal($1)) })
        let sort = Sort(fields[values.count...].map { Sort.Key($0) })
        // A tombstone is the related record only if there is no other record.
        let isHidden =
            !service.api.kind.leavesTombstones || hidesTombstones(of: name, from: field.selection())
        for predicate in [predicate && Self.isThere] + (isHidden ? [] : [predicate]) {
            let query = PageQuery(Record.all(of: name).where(predicate).sorted(by: sort), limit: 1)
            if let record = try await records(query, shown).records.first {
                try spend(record, of: field)
                return .object(shown.object(record))
            }
        }
        return .null
    }

    /// The page of related records for `connection` of `owner`.
    func connection(
        _ connection: ModelAPI.RelationField.Connection, _ target: String, of owner: Record, _ field: SelectedField
    ) async throws(ResolverError) -> ResolvedValue<RequestContext> {
        let (_, schema) = try service.model(target)
        var shown = try shown(target, .list, field)
        let fields =
            connection.index.map { name in schema.indexes.first { $0.name == name }?.fields ?? [] } ?? schema.primaryKey
        let values = connection.fields.compactMap { owner[$0] }
        guard values.count == connection.fields.count, values.count <= fields.count else { return .null }
        try shown.choose(by: fields)
        var predicate = QueryPredicate.and(zip(fields, values).map { .field($0, .equal($1)) })
        if let sort = connection.sort {
            let reader = KeyConditionReader(model: schema, schema: service.api.schema)
            if let condition = try reader.predicate(sort, field[argument: sort.name]) {
                predicate = predicate && condition
            }
        }
        let list = ListRequest(
            Record.all(of: target).where(predicate).sorted(by: Self.sort(fields[values.count...], field)),
            filter: try filter(target, field), token: try token(of: field, owner: values),
            standardLimit: connection.limit, owner: values)
        return try await page(list, shown)
    }

    /// The order by `fields`, in the direction of `sortDirection`. They follow the fields that are equal in all records.
    static func sort(_ fields: ArraySlice<String>, _ field: SelectedField) -> Sort {
        let isDescending = field[argument: "sortDirection"] == .string("DESC")
        return Sort(fields.map { Sort.Key($0, isDescending: isDescending) })
    }

    /// A request for a list, one page at a time.
    struct ListRequest {
        /// The records, in their order.
        let query: Query<Record>
        /// A further condition on the records of the page.
        let filter: RecordFilter
        /// The token of the previous page; `nil` for the first page.
        let token: PageToken?
        /// The number of records in a page if the request gives no limit.
        let standardLimit: Int
        /// The time when the first page of a sync query was requested, and whether the sync query is a delta query.
        var startedAt: Int64?
        var isDelta = false
        /// The values that all records of a connection share, from the record that they are related to.
        let owner: [FieldValue]

        init(
            _ query: Query<Record>, filter: RecordFilter, token: PageToken?, standardLimit: Int = 100,
            owner: [FieldValue] = []
        ) {
            (self.query, self.filter, self.token) = (query, filter, token)
            (self.standardLimit, self.owner) = (standardLimit, owner)
        }
    }
}
