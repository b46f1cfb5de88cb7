import Testing
import TidelogAgreement

@Suite("The header with the ids of mutations")
struct MutationHeaderTests {
    @Test(
        "ids are separated by commas",
        arguments: [
            ("a", ["a"]), ("a,b", ["a", "b"]), (" a ,  b ", ["a", "b"]), ("~!/", ["~!/"]),
            (String(repeating: "x", count: 64), [String(repeating: "x", count: 64)]),
        ])
    func usable(value: String, ids: [String]) {
        #expect(MutationHeader.ids(in: value) == ids)
    }

    @Test(
        "a header that is not a list of valid and different ids is refused",
        arguments: [
            "", " ", ",", "a,", ",a", "a,,b", "a b", "a\tb", "é", "a\u{7F}", "a,a", String(repeating: "x", count: 65),
        ])
    func unusable(value: String) {
        #expect(MutationHeader.ids(in: value) == nil)
    }
}
