internal import TidelogJSON

/// The partitions of an index that a query has not read to their ends. Its text is the token of the next page.
struct IndexWalk: Sendable, Hashable {
    /// A partition, with the place at which its next page begins.
    struct Partition: Sendable, Hashable {
        let value: String
        /// The server's token of the next page; `nil` for the first page.
        var nextToken: String?
    }

    /// The server's query over the index.
    let query: String
    private(set) var partitions: [Partition]

    /// The largest number of partitions in one request.
    private static let partitionsPerRequest = 25
    /// The largest number of partitions of an index that is used. Lists of the whole table need fewer requests then.
    static let limit = 500

    init(_ query: String, _ values: [String]) {
        self.query = query
        partitions = values.map { Partition(value: $0) }
    }

    /// The partitions of the next request.
    var next: [Partition] { Array(partitions.prefix(Self.partitionsPerRequest)) }

    /// Continues after the answer to the request for the partitions ``next``.
    ///
    /// - Parameter tokens: The token of the next page of each partition; `nil` if the partition has no more pages.
    mutating func advance(_ tokens: [String?]) {
        let read = next
        assert(tokens.count == read.count, "each partition of a request has an answer")
        let open = zip(read, tokens).compactMap { partition, token in
            token.map { Partition(value: partition.value, nextToken: $0) }
        }
        partitions.replaceSubrange(..<read.count, with: open)
    }

    // MARK: Tokens

    /// The walk as a token; `nil` if every partition was read to its end.
    var token: String? {
        guard !partitions.isEmpty else { return nil }
        var writer = JSONWriter()
        writer.beginArray()
        writer.string(query)
        for partition in partitions {
            writer.string(partition.value)
            if let token = partition.nextToken { writer.string(token) } else { writer.null() }
        }
        writer.endArray()
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    /// The walk with this token; `nil` if the text is no such token.
    init?(token: String) {
        var (query, partitions) = (String?.none, [Partition]())
        do {
            try JSONReader.read(Array(token.utf8)) { reader in
                try reader.beginArray()
                while try reader.nextElement() {
                    guard query != nil else {
                        query = try reader.readString()
                        continue
                    }
                    let value = try reader.readString()
                    guard try reader.nextElement() else { return }
                    let next = try reader.readNullIfPresent() ? nil : try reader.readString()
                    partitions.append(Partition(value: value, nextToken: next))
                }
            }
        } catch {
            return nil
        }
        guard let query else { return nil }
        (self.query, self.partitions) = (query, partitions)
    }
}
