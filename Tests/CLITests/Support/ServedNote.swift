import TidelogJSON

/// The fields of a note that devices change.
struct NoteContent: Equatable {
    var title: String
    var rating: Int?
    var tags: [String]
}

/// One version of a note on the server.
struct ServedNote {
    let id: String
    let content: NoteContent
    let version: Int
    let isDeleted: Bool

    var tags: [String] { content.tags }

    init(_ record: JSONValue) {
        id = record["id"]?.text ?? ""
        content = NoteContent(
            title: record["title"]?.text ?? "", rating: record["rating"]?.number,
            tags: record["tags"]?.elements.compactMap(\.text) ?? [])
        version = record["_version"]?.number ?? 0
        isDeleted = record["_deleted"]?.flag ?? false
    }
}

extension Fleet {
    /// All versions of each note on the server, the oldest first.
    func servedVersions() throws -> [String: [ServedNote]] {
        let events = try run("served", "log", "--json", "--model", "Note").objects()
        return Dictionary(grouping: events.compactMap { $0["record"].map { ServedNote($0) } }, by: \.id)
    }
}
