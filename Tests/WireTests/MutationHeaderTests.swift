import Testing
import TidelogWire

@Suite("The header that names mutations")
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
        "what is no list of ids is refused",
        arguments: [
            "", " ", ",", "a,", ",a", "a,,b", "a b", "a\tb", "é", "a\u{7F}", "a,a", String(repeating: "x", count: 65),
        ])
    func unusable(value: String) {
        #expect(MutationHeader.ids(in: value) == nil)
    }
}
