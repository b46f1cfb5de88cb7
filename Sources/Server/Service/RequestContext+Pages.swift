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
        if let arguments {
            let fields = arguments.index.map { name in schema.indexes.first { $0.name == name }?.fields ?? [] }
            let reader = KeyConditionReader(model: schema, schema: service.api.schema)
            if let predicate = try reader.predicate(arguments, of: field) {
                let sort = Self.sort((fields ?? schema.primaryKey).dropFirst(), field)
                return try await page(ListRequest(model: model, predicate: predicate, sort: sort), field)
            }
        }
        return try await page(filtered(model, field), field)
    }

    /// A page of what changed since the last sync, or of everything.
    func sync(_ model: String, _ field: SelectedField) async throws(ResolverError) -> ResolvedValue<RequestContext> {
        var request: ListRequest
        if let token = try token(of: field, for: ListRequest(model: model)) {
            request = token.isDelta ? delta(model, field) : try filtered(model, field)
            request.startedAt = token.startedAt
        } else {
            let startedAt = try await service.reading { try await $0.beginSync() }
            let isDelta = service.isDelta(since: lastSync(field), at: startedAt)
            request = isDelta ? delta(model, field) : try filtered(model, field)
            request.startedAt = startedAt
        }
        return try await page(request, field)
    }

    private func lastSync(_ field: SelectedField) -> Int64? {
        guard case .int(let time)? = field[argument: "lastSync"] else { return nil }
        return time
    }

    private func delta(_ model: String, _ field: SelectedField) -> ListRequest {
        ListRequest(
            model: model, predicate: .field(Metadata.lastChangedAt, .greaterOrEqual(.int(lastSync(field) ?? 0))),
            sort: Sort([Sort.Key(Metadata.lastChangedAt)]), isDelta: true)
    }

    /// All records, found by what the filter says if an index can answer a part of it.
    private func filtered(_ model: String, _ field: SelectedField) throws(ResolverError) -> ListRequest {
        let (_, schema) = try service.model(model)
        let filter = try FilterReader(model: schema, schema: service.api.schema).filter(field[argument: "filter"])
        let plan = FilterPlan(filter, of: schema)
        return ListRequest(model: model, predicate: plan.predicate, sort: plan.sort)
    }

    /// A page of `request`, filtered and with the token of the next one.
    func page(
        _ request: ListRequest, _ field: SelectedField
    ) async throws(ResolverError) -> ResolvedValue<RequestContext> {
        let (model, schema) = try service.model(request.model)
        let filter = try FilterReader(model: schema, schema: service.api.schema).filter(field[argument: "filter"])
        let query = PageQuery(
            model: request.model, predicate: request.predicate, sort: request.sort,
            limit: try limit(field, request.standardLimit), place: try token(of: field, for: request)?.place)
        let page = try await service.reading { try await $0.page(query) }
        let next = page.next.map { place in
            let token = PageToken(place: place, startedAt: request.startedAt, isDelta: request.isDelta)
            return service.sealer.seal(token.bytes, in: Self.arguments(of: field, for: request))
        }
        return .object(
            ConnectionObject(
                records: page.records.filter { filter.holds(for: $0) }, model: model, nextToken: next,
                startedAt: request.startedAt))
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
    private static func arguments(of field: SelectedField, for request: ListRequest) -> [UInt8] {
        let members = field.arguments.members.filter { $0.name != "limit" && $0.name != "nextToken" }
        let owner = PageToken(place: PagePlace(values: [], id: RecordID(request.owner)))
        return Array("\(field.parent.name).\(field.name) ".utf8) + owner.bytes
            + InputValue.object(InputObject(members)).json
    }

    private func token(of field: SelectedField, for request: ListRequest) throws(ResolverError) -> PageToken? {
        guard case .string(let text)? = field[argument: "nextToken"] else { return nil }
        let arguments = Self.arguments(of: field, for: request)
        guard let token = service.sealer.open(text, in: arguments).flatMap({ PageToken($0) }) else {
            throw ResolverError(
                "Invalid pagination token given: it belongs to other arguments, or to another server.",
                errorType: "BadRequest")
        }
        return token
    }
}
