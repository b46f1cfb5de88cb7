import OutputsModels
import Testing
import Tidelog

@Suite("Models generated from amplify_outputs.json")
struct OutputsTests {
    @Test("models with composite keys, relations both ways, an enum, an own type and lists are saved and found")
    func crew() async throws {
        let store = try await DataStore.inMemory(schema: outputsSchema)
        let crew = Crew(harbour: "Cork", number: 7, name: "Seals")
        let home = SailorHome(city: "Cobh", rooms: 3)
        let sailor = Sailor(
            name: "Ann", role: .captain, home: home, tags: ["a"], marks: [1, nil], crewHarbour: "Cork", crewNumber: 7)
        try await store.save(crew)
        try await store.save(sailor)
        try await store.save(Boat(name: "Tern", crewHarbour: "Cork", crewNumber: 7))

        let found = try #require(try await store.query(Sailor.self, id: sailor.id))
        #expect(found == sailor && found.home?.rooms == 3 && found.role == .captain)
        #expect(try await found.crew == crew)
        let stored = try #require(try await store.query(Crew.self).first)
        #expect(try await stored.sailors.all() == [sailor])
        #expect(try await stored.boat?.name == "Tern")
        #expect(try await store.fetch(Sailor.sailorsByCrewHarbourAndName(crewHarbour: "Cork")) == [sailor])
        try await store.close()
    }
}
