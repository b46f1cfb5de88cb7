/// A file of the page, which is compiled into the program.
struct PageFile: Sendable {
    /// The media type.
    let type: String
    let bytes: [UInt8]

    private init(_ type: String, _ bytes: [UInt8]) { (self.type, self.bytes) = (type, bytes) }

    /// The file called `name`; `nil` if the page has no such file.
    static func named(_ name: String) -> PageFile? { all[name] }

    /// All files of the page, by name.
    static let all: [String: PageFile] = [
        "index.html": PageFile(html, PackageResources.index_html),
        "page.css": PageFile("text/css; charset=utf-8", PackageResources.page_css),
        "icon.svg": PageFile("image/svg+xml", PackageResources.icon_svg),
        "page.js": PageFile(script, PackageResources.page_js),
        "api.js": PageFile(script, PackageResources.api_js),
        "elements.js": PageFile(script, PackageResources.elements_js),
        "records.js": PageFile(script, PackageResources.records_js),
        "record.js": PageFile(script, PackageResources.record_js),
        "events.js": PageFile(script, PackageResources.events_js),
        "log.js": PageFile(script, PackageResources.log_js),
        "outbox.js": PageFile(script, PackageResources.outbox_js),
        "store.js": PageFile(script, PackageResources.store_js),
    ]

    private static let html = "text/html; charset=utf-8"
    private static let script = "text/javascript; charset=utf-8"
}
