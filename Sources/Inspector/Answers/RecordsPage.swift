internal import TidelogAgreement
@_spi(Adapters) internal import TidelogCore
internal import TidelogRecordText
internal import TidelogServer

/// A page of the records that a predicate holds for, with the plan of the query.
struct RecordsPage: Encodable, Sendable {
    let columns: [ModelReport.Field]
    let rows: [Row]
    /// The place where the next page begins; absent on the last page.
    let next: String?
    let plan: Plan
    /// Texts of the predicate that are no case of an enum, a sentence each.
    let warnings: [String]
    /// The number of the last event that is in the rows.
    let sequence: UInt64
    /// The time that the plan and the page took.
    let microseconds: Int

    /// A record as a row of a table.
    struct Row: Encodable, Sendable {
        /// The fields of its key, as texts.
        let key: [String]
        /// Its values in the order of the columns. Long texts are cut. A missing value is null.
        let cells: [String?]
    }

    /// How the query is answered.
    struct Plan: Encodable, Sendable {
        /// The index that is read; absent for a scan of the table.
        let index: String?
        let summary: String
        /// Whether the result is sorted after it is read.
        let sorts: Bool
    }

    /// The records that are asked for.
    struct Question: Sendable {
        let model: String
        let predicate: PredicateText
        let sort: Sort
        let place: PagePlace?
        let limit: Int

        init(_ request: HTTPRequest) throws {
            model = try request.required("model")
            let text = request.queryValue("where") ?? ""
            predicate = try PredicateText(text.isEmpty ? nil : text)
            sort = Sort(text: request.queryValue("sort") ?? "")
            place = try request.queryValue("after").flatMap { text in
                guard !text.isEmpty else { return nil }
                guard let bytes = Base64URL.decode(Array(text.utf8)) else {
                    throw ErrorReport(400, "invalidParameter", "The parameter after is no place of a page.")
                }
                return PagePlace(bytes: bytes)
            }
            limit = Int(try request.number("limit", in: 1...1_000) ?? 100)
        }
    }

    /// The most characters of a value in a cell.
    private static let cellLength = 200

    static func make(_ question: Question, of store: InspectedStore) async throws -> RecordsPage {
        try await store.read { snapshot in
            let start = ContinuousClock.now
            let (model, predicate) = try question.fitted(in: snapshot)
            let query = Record.all(of: model.name).where(predicate.predicate).sorted(by: question.sort)
            let plan = try snapshot.plan(query)
            let page = try snapshot.page(PageQuery(query, limit: question.limit, place: question.place))
            let columns = ModelReport.Field.all(of: model)
            let rows = page.records.map { record in
                Row(
                    key: model.keyFields.map { record[$0.name]?.text ?? "" },
                    cells: columns.map { record[$0.name]?.text.withEscapedControls.shortened(to: cellLength) })
            }
            return RecordsPage(
                columns: columns, rows: rows, next: page.next.map { Base64URL.encode($0.bytes) },
                plan: Plan(index: plan.index, summary: plan.summary, sorts: plan.sorts),
                warnings: predicate.unknownCases(of: model), sequence: try snapshot.sequence.value,
                microseconds: Int((ContinuousClock.now - start) / .microseconds(1)))
        }
    }
}

extension RecordsPage.Question {
    /// The model in `snapshot`, and the predicate as the fields of the model take it.
    func fitted(in snapshot: StoreSnapshot) throws -> (model: ModelLayout, predicate: PredicateText) {
        let model = try snapshot.layout.required(self.model)
        return (model, try predicate.fitted(to: model, in: snapshot.layout))
    }
}

/// The number of records that a predicate holds for.
struct RecordCount: Encodable, Sendable {
    let count: Int

    static func make(_ question: RecordsPage.Question, of store: InspectedStore) async throws -> RecordCount {
        try await store.read { snapshot in
            let (model, predicate) = try question.fitted(in: snapshot)
            return RecordCount(count: try snapshot.count(Record.all(of: model.name).where(predicate.predicate)))
        }
    }
}

extension String {
    /// The text with at most `length` characters. A mark shows that it was cut.
    func shortened(to length: Int) -> String {
        guard utf8.count > length, let end = index(startIndex, offsetBy: length, limitedBy: endIndex), end < endIndex
        else { return self }
        return self[..<end] + "…"
    }
}
