import Neighbours
import Testing

@Suite("Postcodes")
struct PostcodeTests {
    @Test(
        "a postcode names its area, however it is written",
        arguments: [("SW1A 1AA", "SW1A 1AA", "SW"), ("m11ae", "M1 1AE", "M"), (" ec1a1bb", "EC1A 1BB", "EC")])
    func areas(_ text: String, _ normal: String, _ area: String) {
        let postcode = Postcode(text)
        #expect(postcode?.text == normal && postcode?.area == area)
    }

    @Test("what is no postcode has no area", arguments: ["", "SW1A", "1AA SW1A", "SW1A 1AAA", "12345"])
    func refused(_ text: String) { #expect(Postcode(text) == nil) }
}
