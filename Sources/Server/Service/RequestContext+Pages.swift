internal import TidelogAgreement
internal import TidelogCore
internal import TidelogGraphQLExecution

/// Lists: by key, by index and by time.
extension RequestContext {
    /// The largest number of records on a page.
    private static let maximumLimit = 1_000
    /// The largest number of records that are read for one page if many of them may not be shown.
    private static let maximumCount = 10_000

    /// A page of all records, or of the records with the given key fields.
    func list(
        _ model: String, _ arguments: RootField.KeyArguments?, _ field: SelectedField
    ) async throws(ResolverError) -> ResolvedValue<RequestContext> {
        let (_, schema) = try service.model(model)
        var shown = try shown(model, .list, field)
        let filter = try filter(model, field)
        let token = try token(of: field)
        if let arguments {
            let fields =
                arguments.index.map { name in schema.indexes.first { $0.name == name }?.fields ?? [] }
                ?? schema.primaryKey
            let reader = KeyConditionReader(model: schema, schema: service.api.schema)
            if let predicate = try reader.predicate(arguments, of: field) {
                try shown.choose(by: fields)
                let sort = Self.sort(fields.dropFirst(), field)
                let query = Record.all(of: model).where(predicate).sorted(by: sort)
                let request = ListRequest(query, filter: filter, token: token)
                return try await page(request, shown)
            }
        }
        return try await page(filtered(schema, filter: filter, token: token, shown: shown), shown)
    }

    /// A page of the records that changed since the last sync, or of all records.
    func sync(_ model: String, _ field: SelectedField) async throws(ResolverError) -> ResolvedValue<RequestContext> {
        let (_, schema) = try service.model(model)
        let shown = try shown(model, .sync, field)
        let filter = try filter(model, field)
        let token = try token(of: field)
        let startedAt: Int64
        let isDelta: Bool
        if let token {
            (startedAt, isDelta) = (token.startedAt ?? 0, token.isDelta)
            // Tombstones of that time may have been purged, so the next pages could lack deletions. Without the token, the same
            // query is a base query.
            guard !isDelta || service.hasTombstones(since: lastSync(field) ?? 0) else {
                throw ResolverError(
                    "Invalid pagination token given: the changes since lastSync are not known any more. Sync again "
                        + "from the first page.", errorType: "BadRequest")
            }
        } else {
            startedAt = try await reading { try await $0.beginSync() }
            isDelta = service.isDelta(since: lastSync(field), at: startedAt)
        }
        var request =
            isDelta
            ? delta(model, since: lastSync(field), filter: filter, token: token)
            : filtered(schema, filter: filter, token: token, shown: shown)
        request.startedAt = startedAt
        return try await page(request, shown)
    }

    private func lastSync(_ field: SelectedField) -> Int64? {
        guard case .int(let time)? = field[argument: "lastSync"] else { return nil }
        return time
    }

    private func delta(
        _ model: String, since lastSync: Int64?, filter: RecordFilter, token: PageToken?
    ) -> ListRequest {
        let isNew = QueryPredicate.field(Metadata.lastChangedAt, .greaterOrEqual(.int(lastSync ?? 0)))
        let query = Record.all(of: model).where(isNew).sorted(by: Sort([Sort.Key(Metadata.lastChangedAt)]))
        var request = ListRequest(query, filter: filter, token: token)
        request.isDelta = true
        return request
    }

    /// The request for all records. If an index can answer a part of the filter, the index finds the records.
    private func filtered(
        _ schema: ModelSchema, filter: RecordFilter, token: PageToken?, shown: PageReading
    ) -> ListRequest {
        if service.api.kind.scansLists {
            return ListRequest(Record.all(of: schema.name), filter: filter, token: token)
        }
        let plan = FilterPlan(filter.predicate, of: schema, mayOrder: shown.mayReadInEveryRecord)
        let query = Record.all(of: schema.name).where(plan.predicate).sorted(by: plan.sort)
        return ListRequest(query, filter: filter, token: token)
    }

    /// The filter argument of a field that lists records of `model`.
    func filter(_ model: String, _ field: SelectedField) throws(ResolverError) -> RecordFilter {
        let (_, schema) = try service.model(model)
        return try FilterReader(model: schema, schema: service.api.schema).filter(field[argument: "filter"])
    }

    /// A page of `request`, filtered and with the token of the next page.
    func page(
        _ request: ListRequest, _ shown: PageReading
    ) async throws(ResolverError) -> ResolvedValue<RequestContext> {
        let field = shown.field
        var shown = shown
        try shown.choose(by: request.filter.fields)
        if let token = request.token { try check(token, request) }
        var query = PageQuery(
            request.query, limit: try limit(field, request.standardLimit), place: request.token?.place)
        query.filter = request.filter.predicate
        if hidesTombstones(of: request.query.model, from: field.selection()?.first("items")?.selection()) {
            query.filter = query.filter && Self.isThere
        }
        let page: CountedPage
        if service.api.kind.scansLists {
            query.filter = shown.admission(of: try service.model(query.query.model).schema) && query.filter
            query.looksAhead = false
            page = try await self.page(query)
        } else {
            page = try await records(query, shown)
        }
        let count = try fittingCount(of: page.rows, shown)
        var end = page.next
        if count < page.rows.count { end = try place(after: page.rows.record(at: count - 1), query) }
        var next: String?
        if let place = end {
            let token = PageToken(
                place: place, in: request.query.sort, startedAt: request.startedAt, isDelta: request.isDelta)
            next = try service.seal(token.bytes, in: context(of: field, owner: request.owner))
        }
        await note(query, field, readCount: page.count, givenCount: count)
        let rows = ConnectionObject.ShownRows(page.rows, shown)
        return .object(
            ConnectionObject(rows: rows, count: count, nextToken: next, startedAt: request.startedAt))
    }

    /// Records how a page was found, if the request has a recorder.
    private func note(_ query: PageQuery, _ field: SelectedField, readCount: Int, givenCount: Int) async {
        guard let recorder, RequestReport.Recorder.isRoot(field),
            let plan = try? await service.reading({ try await $0.plan(query) })
        else { return }
        let access: RequestReport.FieldReport.Page.Access =
            if let index = plan.index { .index(index) } else { query.query.predicate == .all ? .table : .key }
        recorder.note(field) {
            $0.page = RequestReport.FieldReport.Page(
                access: access, sorts: plan.sorts, readCount: readCount, givenCount: givenCount)
        }
    }

    /// A page of the records that `shown` admits. If a record must be read for this decision, the records that are not admitted
    /// do not count for the page. Then neither the number of records nor the next token reveals them. But a page also ends
    /// after many records that were read.
    func records(_ query: PageQuery, _ shown: PageReading) async throws(ResolverError) -> CountedPage {
        guard shown.dependsOnRecord else { return try await page(query) }
        var query = query
        query.admission = shown.admission(of: try service.model(query.query.model).schema)
        query.readLimit = Self.maximumCount
        return try await page(query)
    }

    /// The place after `record`, from which the next page continues.
    private func place(after record: Record, _ query: PageQuery) throws(ResolverError) -> PagePlace {
        PagePlace(of: record, in: query.query.sort, model: try service.model(query.query.model).schema)
    }

    /// Checks that the token's place is one in the order in which `request` lists its records.
    private func check(_ token: PageToken, _ request: ListRequest) throws(ResolverError) {
        let (_, schema) = try service.model(request.query.model)
        guard token.order == PageToken.order(request.query.sort),
            token.place.isPlace(in: request.query.sort, of: schema)
        else {
            throw Self.invalidToken
        }
    }

    private func limit(_ field: SelectedField, _ standard: Int) throws(ResolverError) -> Int {
        guard case .int(let number)? = field[argument: "limit"] else { return standard }
        guard number > 0 else {
            throw ResolverError("A limit is a number above 0.", errorType: "BadRequest")
        }
        return Int(min(number, Int64(Self.maximumLimit)))
    }

    /// The context with which a token is sealed: the caller, the field, its arguments except `limit` and `nextToken`, which
    /// change from page to page, and the record whose related records are listed.
    private func context(of field: SelectedField, owner: [FieldValue]) -> [UInt8] {
        let members = field.arguments.members.filter { $0.name != "limit" && $0.name != "nextToken" }
        let owner = PagePlace.components(of: owner)
        let caller = caller.identity
        return Array("\(caller.utf8.count) \(caller) \(field.parent.name).\(field.name) ".utf8) + owner
            + InputValue.object(InputObject(members)).json
    }

    /// The token that the client sent back; `nil` if the client asks for the first page.
    func token(of field: SelectedField, owner: [FieldValue] = []) throws(ResolverError) -> PageToken? {
        guard case .string(let text)? = field[argument: "nextToken"] else { return nil }
        guard
            let token = service.sealer.open(text, in: context(of: field, owner: owner)).flatMap({ PageToken($0) })
        else { throw Self.invalidToken }
        return token
    }

    private static let invalidToken = ResolverError(
        "Invalid pagination token given: it belongs to other arguments, or to another server.", errorType: "BadRequest")
}
