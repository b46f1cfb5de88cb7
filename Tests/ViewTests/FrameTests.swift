import TestStores
import TestWaiting
import Testing
import Tidelog
import TidelogObservation

@Suite("Frames", .timeLimit(.minutes(5)))
@MainActor
struct FrameTests {
    private static let newest = Note.all.sorted(by: .descending(Note.keys.rating)).limit(20)

    @Test("10,000 saves between two frames wake a view once, with the last of them")
    func once() async throws {
        let store = try await DataStore.inMemory(schema: noteSchema)
        let frames = ManualFrames()
        let records = LiveRecords(Self.newest, in: store, pacing: frames.pacing)
        try await records.live()
        let watcher = Watcher { records.items.first?.rating ?? 0 }
        for number in 1...10_000 { try await store.save(notes(number...number)) }
        #expect(watcher.seen == [0])
        try await frames.draw()
        try await eventually("the last save is seen") { watcher.seen.last == 10_000 }
        #expect(watcher.seen == [0, 10_000])
    }

    @Test("10,000 saves during which frames are drawn wake a view at most once a frame, and the last save is seen")
    func duringFrames() async throws {
        let store = try await DataStore.inMemory(schema: noteSchema)
        let frames = ManualFrames()
        let records = LiveRecords(Self.newest, in: store, pacing: frames.pacing)
        try await records.live()
        let watcher = Watcher { records.items.first?.rating ?? 0 }
        let writer = Task.detached {
            for number in 1...10_000 { try await store.save(notes(number...number)) }
        }
        var frameCount = 0
        while watcher.seen.last != 10_000 {
            if frames.drawIfWanted() { frameCount += 1 }
            #expect(watcher.seen.count <= frameCount + 1)
            await Task.yield()
        }
        try await writer.value
        #expect(frameCount > 0 && watcher.seen == watcher.seen.sorted())
    }

    @Test("the pace of the display waits for its interval, and ends with its task")
    func display() async throws {
        let store = try await DataStore.inMemory(schema: noteSchema)
        let records = LiveRecords(Note.all, in: store)
        for number in 1...5 {
            try await store.save(notes(number...number))
            try await eventually("the note is shown") { records.items.count == number }
        }
        let slow = LiveRecords(Note.all, in: store, pacing: .interval(.seconds(3_600)))
        try await slow.live()
        try await store.save(notes(6...6))
        try await eventually("the display shows the note") { records.items.count == 6 }
        #expect(slow.items.count == 5)
        // A new query does not wait for the frame of the old one.
        slow.query = Note.all.limit(2)
        try await eventually("the new query has a result") { slow.items.count == 2 }
    }
}
