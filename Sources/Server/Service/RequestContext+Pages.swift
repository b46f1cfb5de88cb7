internal import TidelogCore
internal import TidelogGraphQL

/// Lists: by key, by index and by time.
extension RequestContext {
    /// More records are never on a page.
    private static let maximumLimit = 1_000

    /// A page of all records, or of those under a key.
    func list(
        _ model: String, _ arguments: KeyArguments?, _ field: SelectedField
    ) async throws(ResolverError) -> ResolvedValue<RequestContext> {
        let (_, schema) = try service.model(model)
        let filter = try filter(model, field)
        let place = try token(of: field)?.place
        if let arguments {
            let fields = arguments.index.map { name in schema.indexes.first { $0.name == name }?.fields ?? [] }
            let reader = KeyConditionReader(model: schema, schema: service.api.schema)
            if let predicate = try reader.predicate(arguments, of: field) {
                let sort = Self.sort((fields ?? schema.primaryKey).dropFirst(), field)
                let request = ListRequest(model: model, predicate: predicate, sort: sort, filter: filter, place: place)
                return try await page(request, field)
            }
        }
        return try await page(filtered(schema, filter, place), field)
    }

    /// A page of what changed since the last sync, or of everything.
    func sync(_ model: String, _ field: SelectedField) async throws(ResolverError) -> ResolvedValue<RequestContext> {
        let (_, schema) = try service.model(model)
        let filter = try filter(model, field)
        let token = try token(of: field)
        let startedAt: Int64
        let isDelta: Bool
        if let token {
            (startedAt, isDelta) = (token.startedAt ?? 0, token.isDelta)
        } else {
            startedAt = try await reading { try await $0.beginSync() }
            isDelta = service.isDelta(since: lastSync(field), at: startedAt)
        }
        var request = isDelta ? delta(model, field, filter, token?.place) : filtered(schema, filter, token?.place)
        request.startedAt = startedAt
        return try await page(request, field)
    }

    private func lastSync(_ field: SelectedField) -> Int64? {
        guard case .int(let time)? = field[argument: "lastSync"] else { return nil }
        return time
    }

    private func delta(
        _ model: String, _ field: SelectedField, _ filter: RecordFilter, _ place: PagePlace?
    ) -> ListRequest {
        ListRequest(
            model: model, predicate: .field(Metadata.lastChangedAt, .greaterOrEqual(.int(lastSync(field) ?? 0))),
            sort: Sort([Sort.Key(Metadata.lastChangedAt)]), filter: filter, place: place, isDelta: true)
    }

    /// All records, found by what the filter says if an index can answer a part of it.
    private func filtered(_ schema: ModelSchema, _ filter: RecordFilter, _ place: PagePlace?) -> ListRequest {
        let plan = FilterPlan(filter, of: schema)
        return ListRequest(
            model: schema.name, predicate: plan.predicate, sort: plan.sort, filter: filter, place: place)
    }

    /// What the records on a page of `model` must be, of those that it was made of.
    func filter(_ model: String, _ field: SelectedField) throws(ResolverError) -> RecordFilter {
        let (_, schema) = try service.model(model)
        return try FilterReader(model: schema, schema: service.api.schema).filter(field[argument: "filter"])
    }

    /// A page of `request`, filtered and with the token of the next one.
    func page(
        _ request: ListRequest, _ field: SelectedField
    ) async throws(ResolverError) -> ResolvedValue<RequestContext> {
        let (model, _) = try service.model(request.model)
        let query = PageQuery(
            model: request.model, predicate: request.predicate, sort: request.sort,
            limit: try limit(field, request.standardLimit), place: request.place)
        let page = try await page(query)
        let next = page.next.map { place in
            let token = PageToken(place: place, startedAt: request.startedAt, isDelta: request.isDelta)
            return service.sealer.seal(token.bytes, in: Self.arguments(of: field, owner: request.owner))
        }
        let records = page.records.filter { request.filter.holds(for: $0) }
        await note(query, field, readCount: page.records.count, givenCount: records.count)
        return .object(
            ConnectionObject(records: records, model: model, nextToken: next, startedAt: request.startedAt))
    }

    /// Notes how a page was found, if somebody wants to know.
    private func note(_ query: PageQuery, _ field: SelectedField, readCount: Int, givenCount: Int) async {
        guard let recorder, RequestRecorder.isRoot(field),
            let plan = try? await service.reading({ try await $0.plan(query) })
        else { return }
        let access: FieldReport.Page.Access =
            if let index = plan.index { .index(index) } else { query.predicate == .all ? .table : .key }
        recorder.note(field) {
            $0.page = FieldReport.Page(
                access: access, sorts: plan.sorts, readCount: readCount, givenCount: givenCount)
        }
    }

    private func limit(_ field: SelectedField, _ standard: Int) throws(ResolverError) -> Int {
        guard case .int(let number)? = field[argument: "limit"] else { return standard }
        guard number > 0 else {
            throw ResolverError("A limit is a number above 0.", errorType: "BadRequest")
        }
        return Int(min(number, Int64(Self.maximumLimit)))
    }

    /// What a token is sealed with: the field, its arguments but for those that change from page to page, and whose records
    /// the list has.
    private static func arguments(of field: SelectedField, owner: [FieldValue]) -> [UInt8] {
        let members = field.arguments.members.filter { $0.name != "limit" && $0.name != "nextToken" }
        let owner = PageToken(place: PagePlace(values: [], id: RecordID(owner)))
        return Array("\(field.parent.name).\(field.name) ".utf8) + owner.bytes
            + InputValue.object(InputObject(members)).json
    }

    /// The token that the request brings back; `nil` if it asks for the first page.
    func token(of field: SelectedField, owner: [FieldValue] = []) throws(ResolverError) -> PageToken? {
        guard case .string(let text)? = field[argument: "nextToken"] else { return nil }
        let arguments = Self.arguments(of: field, owner: owner)
        guard let token = service.sealer.open(text, in: arguments).flatMap({ PageToken($0) }) else {
            throw ResolverError(
                "Invalid pagination token given: it belongs to other arguments, or to another server.",
                errorType: "BadRequest")
        }
        return token
    }
}
