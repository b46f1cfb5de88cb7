import PostgresSupport
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
    /// The field that only clients without conditions change.
    let weight: Double?
    /// The time of the last change through the API, and the tag that a device wrote.
    let stamp: [String?]
    let version: Int
    let isDeleted: Bool

    var tags: [String] { content.tags }

    init(_ record: JSONValue) {
        id = record["id"]?.text ?? ""
        content = NoteContent(
            title: record["title"]?.text ?? "", rating: record["rating"]?.number,
            tags: record["tags"]?.elements.compactMap(\.text) ?? [])
        weight =
            switch record["weight"] {
            case .int(let number): Double(number)
            case .double(let number): number
            default: nil
            }
        stamp = [record["updatedAt"]?.text, record["tidelog"]?.text]
        version = record["_version"]?.number ?? 0
        isDeleted = record["_deleted"]?.flag ?? false || record["deletedAt"]?.text != nil
    }
}

extension Fleet {
    /// All versions of each note on the server, the oldest first.
    func servedVersions() throws -> [String: [ServedNote]] {
        let notes: [ServedNote]
        if let database {
            let changes = "SELECT record FROM tidelog_server.change WHERE model = 'Note' ORDER BY transaction, sequence"
            notes = try PostgresCluster.run(changes, on: database).split(separator: "\n").map {
                ServedNote(try JSONValue(parsing: Array($0.utf8)))
            }
        } else {
            notes = try run("served", "log", "--json", "--model", "Note").objects().compactMap { event in
                event["record"].map { ServedNote($0) }
            }
        }
        return Dictionary(grouping: notes, by: \.id)
    }
}
