#if os(Linux)
    import Foundation
    import TestStores
    import Testing
    import Tidelog
    import TidelogJSON

    @Suite("The page in a browser", .timeLimit(.minutes(5)))
    struct BrowserTests {
        @Test(
            "texts with HTML stay texts in every view, and a saved record appears without a reload",
            .enabled(if: Browser.path != nil, "no Chromium is installed"))
        func texts() async throws {
            try await withInspector { store, visitor in
                let text = #"<script>document.title = "broken"</script><img src=x onerror="document.title = 'broken'">"#
                try await store.save(Note(id: "1", title: text, rating: 12))
                let browser = try await Browser(visitor.address.absoluteString + "#/records/Note")
                try await browser.waitForText(text)
                try await store.save(Note(id: "2", title: "appears"))
                try await browser.waitForText("appears")
                for view in ["#/record/Note/1", "#/log"] {
                    _ = try await browser.evaluate("location.hash = '\(view)'")
                    try await browser.waitForText("<script>document.title")
                    let made = try await browser.evaluate("document.querySelectorAll('#view script, #view img').length")
                    #expect(made.number == 0, "\(view)")
                }
                #expect(try await browser.evaluate("document.title").text == "store – Tidelog")
            }
        }
    }
#endif
