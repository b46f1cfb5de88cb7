import Testing

/// The versions of notes at a server without versions, after devices and a client without conditions changed them.
///
/// The server numbers the versions for itself. A note that was deleted may be created again: a device whose creation was not
/// answered sends it again, and nothing tells that another device has deleted the note. Each creation begins a life. A server
/// that keeps deleted records tells it, so that each note has one life.
struct StampHistory {
    let seed: UInt64
    let versions: [String: [ServedNote]]
    let keepsDeleted: Bool
    let devices: [EditedDevice]
    let writer: PlainWriter

    /// The notes with two successive states that a device cannot tell apart, because the same tag and time belong to both.
    static func twins(_ versions: [String: [ServedNote]]) -> Set<String> {
        Set(
            versions.filter { _, notes in
                zip(notes, notes.dropFirst()).contains { $0.stamp == $1.stamp && !$1.isDeleted }
            }.keys)
    }

    func check() throws {
        let twins = Self.twins(versions)
        for (id, notes) in versions where !twins.contains(id) { checkLives(id, notes) }
        checkPresence(twins)
        for device in devices where !twins.contains(device.own) {
            #expect(versions[device.own]?.last?.content == device.ownNote, "seed \(seed): \(device.own)")
        }
        for (id, weights) in writer.weights where !twins.contains(id) {
            guard let last = versions[id]?.last, !last.isDeleted, lives(versions[id] ?? []).count == 1 else { continue }
            #expect(weights.contains(last.weight), "seed \(seed): \(id) has \(last), not \(weights)")
        }
        for id in EditedDevice.shared where !twins.contains(id) { try checkLists(id) }
    }

    /// Checks which notes exist.
    private func checkPresence(_ twins: Set<String>) {
        let present = Set(versions.filter { $1.last?.isDeleted == false }.keys)
        let deleted = devices.reduce(into: writer.deleted) { $0.formUnion($1.deleted) }
        for id in devices.flatMap(\.created) + EditedDevice.shared + writer.created where !deleted.contains(id) {
            #expect(present.contains(id), "seed \(seed): \(id) is lost")
        }
        // A change that conflicts with a deletion can cancel the deletion. A deletion without such a change must hold.
        let hold = devices.reduce(into: writer.surelyDeleted) { $0.formUnion($1.deleted) }
        for id in hold where !isChanged(id) && !twins.contains(id) {
            let isCreatedAgain = lives(versions[id] ?? []).count > 1
            #expect(!present.contains(id) || isCreatedAgain, "seed \(seed): \(id) is still there")
        }
    }

    /// Whether a device or the other client changed a note after its creation.
    private func isChanged(_ id: String) -> Bool {
        writer.weights[id] != nil || writer.titles[id] != nil
            || devices.contains { $0.titles[id] != nil || $0.ratings[id] != nil }
    }

    private func lives(_ notes: [ServedNote]) -> [[ServedNote]] {
        notes.reduce(into: []) { lives, note in
            // A record that the server keeps may be changed by another client after its deletion.
            let isBack = lives.last?.last?.isDeleted ?? false && !note.isDeleted
            if note.version == 1 || isBack { lives.append([]) }
            if !lives.isEmpty { lives[lives.count - 1].append(note) }
        }
    }

    /// Checks that nothing was made twice and no change was overwritten unseen. Each title and each weight is new, so one that
    /// returns was written over a later one.
    private func checkLives(_ id: String, _ notes: [ServedNote]) {
        let titles = devices.reduce(into: writer.titles[id, default: []]) { $0.formUnion($1.titles[id] ?? []) }
        let ratings = devices.reduce(into: Set<Int>()) { $0.formUnion($1.ratings[id] ?? []) }
        let lives = lives(notes)
        let mayReturn = !keepsDeleted && devices.contains { $0.created.contains(id) }
        #expect(lives.count == 1 || mayReturn, "seed \(seed): \(id) came back")
        for life in lives {
            #expect(life.map(\.version) == Array(1...life.count), "seed \(seed): \(id)")
            #expect(keepsDeleted || !life.dropLast().contains { $0.isDeleted }, "seed \(seed): \(id)")
            var seen: Set<String> = []
            var title = ""
            var weight = 0.0
            for note in life {
                if note.content.title != title {
                    title = note.content.title
                    #expect(seen.insert(title).inserted, "seed \(seed): \(id) has the title \(title) again: \(life)")
                }
                #expect(note.weight ?? 0 >= weight, "seed \(seed): \(id) has an earlier weight: \(life)")
                weight = note.weight ?? 0
                let isTitle = ["new", id].contains(title) || titles.contains(title)
                let isRating = note.content.rating.map { ratings.contains($0) } ?? true
                #expect(isTitle && isRating, "seed \(seed): \(id) is \(note), which no client made of it")
            }
        }
    }

    /// Checks that a shared list only grows, by one element at a time, and that an element is missing only if another one took
    /// its place: a list is one value, and the first change of it wins.
    private func checkLists(_ id: String) throws {
        var appended: [String: EditedDevice.Appended] = [:]
        for device in devices { appended.merge(device.appended.filter { $1.id == id }) { first, _ in first } }
        var tags: [String] = []
        for note in versions[id, default: []] where note.tags != tags {
            let sent = try #require(note.tags.last.flatMap { appended.removeValue(forKey: $0) }, "\(id): \(note)")
            let isNext = note.tags == sent.tags && Array(sent.tags.dropLast()) == tags
            #expect(isNext, "seed \(seed): \(id) had \(tags), then \(note.tags)")
            tags = note.tags
        }
        for (element, change) in appended {
            let base = change.tags.dropLast()
            let isReplaced = tags.count > base.count && tags.starts(with: base)
            #expect(isReplaced, "seed \(seed): \(element) of \(id) is lost from \(tags)")
        }
    }
}
