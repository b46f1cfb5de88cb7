import FaultHarness
import Foundation
import SeededNumbers
import TidelogJSON

/// A device that changes its records by the command line, and kills some of its syncs. A seed chooses the changes and
/// the kills. Only one thread may use the device at a time.
final class EditedDevice: @unchecked Sendable {
    /// A list to which this device has appended its last element.
    struct Appended {
        let id: String
        let tags: [String]
    }

    let name: String
    /// The id of the note that only this device changes. ``ownNote`` is the content that the device gave to it last.
    let own: String
    private(set) var ownNote: NoteContent
    private(set) var created: Set<String> = []
    /// The notes that this device asked to delete.
    private(set) var deleted: Set<String> = []
    private(set) var appended: [String: Appended] = [:]
    /// The titles that this device gave to each note. ``ratings`` has the ratings in the same way.
    private(set) var titles: [String: Set<String>] = [:]
    private(set) var ratings: [String: Set<Int>] = [:]
    private(set) var killCount = 0
    private let fleet: Fleet
    private let adapter: String
    /// The largest number of changes in a request.
    private let batch: Int
    private var random: SeededGenerator

    /// The notes to whose lists every device appends.
    static let shared = (0..<4).map { "shared-\($0)" }

    init(_ name: String, adapter: String, _ fleet: Fleet, seed: UInt64, batch: Int) {
        self.name = name
        self.adapter = adapter
        self.fleet = fleet
        self.batch = batch
        own = "own-\(name)"
        ownNote = NoteContent(title: own, rating: nil, tags: ["first"])
        random = SeededGenerator(seed)
    }

    func sync(patience: Int) throws -> ChildProcess {
        try Tool.start(
            fleet.syncArguments(name, ["--adapter", adapter, "--timeout", "\(patience)", "--batch", "\(batch)"]))
    }

    /// Creates the note that only this device changes.
    func start() throws {
        try fleet.save([#"{"id":"\#(own)","title":"\#(own)","tags":["first"]}"#], on: name)
        created.insert(own)
    }

    /// Makes some changes, and syncs them unless the sync fails or is killed.
    func work(round: Int) throws {
        try edit(round)
        let child = try sync(patience: 2)
        if random.once(in: 2) {
            Thread.sleep(forTimeInterval: Double(random.below(500)) / 1_000)
            child.signal(SIGKILL)
        }
        let outcome = try Tool.finish(child)
        if outcome.status == -SIGKILL { killCount += 1 }
        guard [0, 1, 5, -SIGKILL].contains(outcome.status) else { throw ShopFailure(text: outcome.errors) }
    }

    private func edit(_ round: Int) throws {
        let notes = try fleet.run(name, "export", "Note").objects()
        let waiting = Set(try fleet.outbox(name).compactMap { $0["id"]?.text })
        var changes: [String: String] = [:]
        for note in notes {
            guard let id = note["id"]?.text else { continue }
            let isOwn = id == own
            // This device appends to a shared list only if no change of its note waits to be sent. Each new element is
            // then sent by one change only.
            if isOwn || Self.shared.contains(id) && !waiting.contains(id) && random.once(in: 2) {
                let element = "\(name)-\(round)-\(id)"
                let tags = (note["tags"]?.elements.compactMap(\.text) ?? []) + [element]
                if isOwn { ownNote.tags.append(element) } else { appended[element] = Appended(id: id, tags: tags) }
                let list = tags.map { "\"\($0)\"" }.joined(separator: ",")
                changes[id, default: ""] += #","tags":[\#(list)]"#
            }
            guard isOwn || !id.hasPrefix("own-") else { continue }
            if random.once(in: 4) {
                let title = "\(name)-\(round)"
                changes[id, default: ""] += #","title":"\#(title)""#
                titles[id, default: []].insert(title)
                if isOwn { ownNote.title = title }
            }
            if random.once(in: 4) {
                changes[id, default: ""] += #","rating":\#(round)"#
                ratings[id, default: []].insert(round)
                if isOwn { ownNote.rating = round }
            }
        }
        let patches = changes.sorted { $0.key < $1.key }.map { #"{"id":"\#($0.key)"\#($0.value)}"# }
        try fleet.save(patches, on: name, isPatch: true)
        let new = (0..<2).map { "\(name)-\(round)-\($0)" }
        try fleet.save(new.map { #"{"id":"\#($0)","title":"new"}"# }, on: name)
        created.formUnion(new)
        let others = notes.compactMap { $0["id"]?.text }.filter { !$0.hasPrefix("own-") && !Self.shared.contains($0) }
        if !others.isEmpty, random.once(in: 2) {
            let id = random.pick(others)
            _ = try fleet.run(name, "delete", "Note", id)
            deleted.insert(id)
        }
    }
}
