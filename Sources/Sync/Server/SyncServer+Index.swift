internal import TidelogAgreement
internal import TidelogCore

/// Asks for pages of an index by time, at a server without versions.
extension SyncServer {
    /// Reads the partitions of an index that the store has.
    typealias ReadPartitions = @Sendable (TimeIndex, _ model: String) async throws -> [String]

    /// A page of the model's index: the next pages of some partitions together.
    func indexPage(_ query: Inbox.Query, _ readPartitions: ReadPartitions) async -> SyncResponse<Inbox.QueryResponse> {
        let (walk, operations, request): (IndexWalk, SyncOperations, SyncOperations.Request)
        do {
            operations = try self.operations(of: query.model)
            guard let next = try await self.walk(query, operations, readPartitions),
                let index = models[query.model]?.timeIndexes.first(where: { $0.query == next.query })
            else { return SyncResponse(.lacksIndex) }
            walk = next
            guard !walk.partitions.isEmpty else { return SyncResponse(.page(Inbox.Page(records: [], startedAt: 0))) }
            // As with versions, changes are filtered on this device.
            let filter = query.lastSync == nil ? filters[query.model] : nil
            request = try operations.page(query, of: walk.next, by: index, filter: filter)
        } catch {
            return SyncResponse(.lacksIndex)
        }
        let answers: [SyncResponse<Inbox.QueryResponse>] = await answers(
            to: request, by: modes(for: .list, operations)
        ) { (response) throws(GraphQLClientError) in
            if response.errors.contains(where: { $0.saysUndefined() }) { return .lacksIndex }
            guard let value = response.value else { return Self.refusal(of: query, response) }
            return .page(try operations.reader.page(value, content: query.content))
        }
        return Self.joined(answers, walk)
    }

    /// The partitions that the query has not read yet; `nil` if no index has all records of the model.
    private func walk(
        _ query: Inbox.Query, _ operations: SyncOperations, _ readPartitions: ReadPartitions
    ) async throws -> IndexWalk? {
        if let token = query.nextToken { return IndexWalk(token: token) }
        for index in models[query.model]?.timeIndexes ?? [] {
            let values: [String]
            if let parent = index.parent {
                // A record may have a parent that the sync expression leaves out.
                guard !limitedModels.contains(parent) else { continue }
                values = try await readPartitions(index, query.model)
            } else {
                guard let mode = modes(for: .list, operations).first,
                    let token = try await endpoint.credentials.credential(mode).token,
                    let owner = OwnerArgument(operations.rules, for: .list, by: mode, token: token),
                    owner.field == index.partition
                else { continue }
                values = [owner.value]
            }
            if values.count <= IndexWalk.limit { return IndexWalk(index.query, values) }
        }
        return nil
    }

    /// The pages of several partitions as one page. If one of them failed, all did.
    private static func joined(
        _ responses: [SyncResponse<Inbox.QueryResponse>], _ walk: IndexWalk
    ) -> SyncResponse<Inbox.QueryResponse> {
        var (page, tokens) = (Inbox.Page(records: [], startedAt: 0), [String?]())
        for response in responses {
            guard case .page(let part) = response.content else {
                var response = response
                response.content = response.content.failed(because: response.failure)
                return response
            }
            page.records += part.records
            page.stamps += part.stamps
            page.unusableCount += part.unusableCount
            tokens.append(part.nextToken)
        }
        var walk = walk
        walk.advance(tokens)
        page.nextToken = walk.token
        return SyncResponse(.page(page))
    }
}
