import Testing
import TidelogCore
import TidelogLMDB

@Suite("Errors of LMDB become errors of the store")
struct ErrorTests {
    @Test(
        "An LMDB error that an undamaged file never causes becomes the error damaged",
        arguments: [
            .damagedFile, .corrupted, .invalid, .pageNotFound, .cursorFull, .pageFull, .incompatible,
        ] as [LMDBError.Code])
    func damage(code: LMDBError.Code) throws {
        let cause = LMDBError(code: code, operation: "first")
        let error = try #require(DataStoreError.translating(cause, "read a row") as? DataStoreError)
        #expect(error.code == .damaged && error.underlying as? LMDBError == cause, "\(error)")
        #expect(error.recovery.contains("tidelog verify"))
    }
}
