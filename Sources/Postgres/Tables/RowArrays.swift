@_spi(Adapters) internal import TidelogCore

/// Many rows of one table as arrays, one array for each parameter of a row. One statement writes them.
struct RowArrays {
    private let table: RecordTable
    private(set) var count = 0
    private var keys = ParameterArray(of: .bytes([]))
    private var columns: [ParameterArray] = []

    init(of table: RecordTable) { self.table = table }

    /// Adds a record with all its fields.
    ///
    /// - Throws: ``DataStoreError`` if a value does not fit the table.
    mutating func append(_ record: Record, key: [UInt8]) throws {
        let row = try EncodedRow(stored: record, layout: table.model)
        let parameters = try row.withRow { _, row in try table.parameters(of: row) }
        if columns.isEmpty { columns = parameters.map { ParameterArray(of: $0) } }
        for (index, parameter) in parameters.enumerated() { columns[index].append(parameter) }
        keys.append(.bytes(key))
        count += 1
    }

    /// The parameters of the arrays of ``given(first:after:)``.
    var parameters: [SQLParameter] { [keys.parameter] + columns.map(\.parameter) }

    /// The rows as a table `given` in a FROM clause: the column `k` has the keys, and the columns `p1`, `p2` and so on have the
    /// parameters of a row.
    ///
    /// - Parameters:
    ///   - first: The number of the first parameter.
    ///   - names: The names of columns before the keys, with arrays of their own.
    func given(first: Int, after names: [String] = []) -> String {
        let names = names + ["k"] + columns.indices.map { "p\($0 + 1)" }
        let parameters = names.indices.map { "$\(first + $0)" }.joined(separator: ", ")
        return "unnest(\(parameters)) AS given(\(names.joined(separator: ", ")))"
    }
}
