import Foundation
import TestStores
import TestWaiting
import Testing
import TidelogObservation

@testable import Tidelog

@Suite("An app that goes to the background", .timeLimit(.minutes(5)))
@MainActor
struct StoreSuspensionTests {
    private static func open(_ scratch: Scratch) async throws -> DataStore {
        try await DataStore.open(at: scratch.path(), schema: noteSchema, adapter: .lmdb())
    }

    @Test("the store is suspended in the background, and views continue in the foreground")
    func scenes() async throws {
        let scratch = try Scratch()
        let store = try await Self.open(scratch)
        let suspension = StoreSuspension()
        let notes = LiveRecords(Note.all, in: store)
        suspension.follow(isInBackground: false, store: store)
        try await store.save(Note(id: "1", title: "t"))
        try await eventually { notes.items.count == 1 }
        for round in 2..<5 {
            suspension.follow(isInBackground: true, store: store)
            suspension.follow(isInBackground: true, store: store)
            await suspension.finish()
            let error = #expect(throws: DataStoreError.self) { _ = try store.head }
            #expect(error?.code == .suspended && suspension.error == nil)
            let other = try await Self.open(scratch)
            try await other.save(Note(id: "\(round)", title: "t"))
            try await other.close()
            suspension.follow(isInBackground: false, store: store)
            try await eventually { notes.items.count == round }
            #expect(notes.error == nil && suspension.error == nil)
        }
        for number in 0..<20 { suspension.follow(isInBackground: number % 2 == 0, store: store) }
        await suspension.finish()
        #expect(try await store.count(Note.all) == 4)
        try await store.close()
    }

    @Test("a store is resumed when the process that writes it has ended its work")
    func waiting() async throws {
        let scratch = try Scratch()
        let store = try await Self.open(scratch)
        let suspension = StoreSuspension()
        suspension.follow(isInBackground: true, store: store)
        await suspension.finish()
        let other = try await Self.open(scratch)
        suspension.follow(isInBackground: false, store: store)
        try await other.save(Note(id: "1", title: "t"))
        try await other.close()
        await suspension.finish()
        #expect(suspension.error == nil)
        #expect(try await store.count(Note.all) == 1)
        try await store.close()
    }

    @Test("an object of records that is made during a suspension shows them after it")
    func records() async throws {
        let scratch = try Scratch()
        let store = try await Self.open(scratch)
        try await store.save(Note(id: "1", title: "t"))
        try await store.suspend()
        let notes = LiveRecords(Note.all, in: store)
        try await store.resume()
        try await eventually { notes.items.count == 1 }
        #expect(notes.error == nil)
        try await store.close()
    }
}
