import Foundation
import RawServer
import SeededNumbers

/// A client of an API without versions that changes notes without conditions, as web apps do. It speaks HTTP directly and keeps
/// no records. Only one thread may use it at a time.
final class PlainWriter: @unchecked Sendable {
    /// For each note, the weights that it may have: the last answered weight, or none, and the later weights without answers.
    private(set) var weights: [String: [Double?]] = [:]
    private(set) var titles: [String: Set<String>] = [:]
    /// The notes that this client created, and whose creation was answered.
    private(set) var created: Set<String> = []
    /// The notes that this client asked to delete, and the notes whose deletion was answered.
    private(set) var deleted: Set<String> = []
    private(set) var surelyDeleted: Set<String> = []
    private(set) var answerCount = 0
    private let port: Int
    /// The notes that only one device changes: this client sets only their weights.
    private let own: [String]
    /// The other notes.
    private var others: [String]
    private var random: SeededGenerator
    private var number = 0

    init(port: Int, seed: UInt64, own: [String], others: [String]) {
        (self.port, self.own, self.others) = (port, own, others)
        random = SeededGenerator(seed)
    }

    /// Makes one change.
    func work() {
        number += 1
        switch random.below(10) {
        case 0..<3: weigh(random.pick(own))
        case 3..<6: weigh(random.pick(others))
        case 6, 7:
            let (id, title) = (random.pick(others), "plain-\(number)")
            titles[id, default: []].insert(title)
            _ = change("updateNote", #"id:"\#(id)",title:"\#(title)""#)
        case 8:
            let id = "plain-\(number)"
            others.append(id)
            if change("createNote", #"id:"\#(id)",title:"new""#) == .made { created.insert(id) }
        default:
            guard let id = others.last, id.hasPrefix("plain-") else { return }
            others.removeLast()
            deleted.insert(id)
            if change("deleteNote", #"id:"\#(id)""#) == .made { surelyDeleted.insert(id) }
        }
    }

    private func weigh(_ id: String) {
        let weight = Double(number)
        switch change("updateNote", #"id:"\#(id)",weight:\#(weight)"#) {
        case .made: weights[id] = [weight]
        case .refused: break
        case .unknown: weights[id, default: [nil]].append(weight)
        }
    }

    private enum Result {
        case made, refused, unknown
    }

    private func change(_ field: String, _ input: String) -> Result {
        // A message of the change has only the selected fields, so devices have to request the record.
        let selection = random.once(in: 2) ? "id" : "id title rating weight tags status createdAt updatedAt"
        let document = "mutation { \(field)(input: {\(input)}) { \(selection) } }"
        let body = #"{"query":"\#(document.replacing("\"", with: "\\\""))"}"#
        guard let answer = try? answer(to: body) else { return .unknown }
        answerCount += 1
        return answer.contains(#""errors":"#) ? .refused : .made
    }

    private func answer(to body: String) throws -> String {
        let connection = try RawConnection(toPort: port)
        defer { connection.close() }
        try connection.send(
            "POST /graphql HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
                + "x-api-key: \(ServerProcess.key)\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
        // A response and a request are read alike.
        return try connection.request()
    }
}
