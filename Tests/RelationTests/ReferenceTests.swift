import Testing
import Tidelog

@Suite("Lazy and eager relations") struct ReferenceTests {
    @Test("a value from a store loads the record that it refers to, and one that arrives later") func lazy()
        async throws
    {
        let store = try await DataStore.scratch()
        try await store.save(Profile(id: "p", authorID: "a"))
        let profile = try #require(try await store.query(Profile.self, id: "p"))
        #expect(try await profile.author == nil)
        try await store.save(Author(id: "a", name: "Ann"))
        #expect(try await profile.author?.name == "Ann")
        let author = try #require(try await store.query(Author.self, id: "a"))
        #expect(try await author.profile?.id == "p")
    }
}
