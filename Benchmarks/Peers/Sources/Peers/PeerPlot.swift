/// A picture of three works: a bar for each peer, whose length is its rate next to the fastest peer's.
struct PeerPlot {
    /// The works that most apps do: saving, showing a list, and searching.
    static let works: [Work] = [.save, .range, .scan]

    private let results: Results
    private static let width = 640.0
    private static let labels = 180.0
    private static let numbers = 110.0

    init(_ results: Results) { self.results = results }

    var svg: String {
        var (shapes, y): ([String], Double) = ([], 0)
        for work in Self.works {
            y += 22
            shapes.append("<text class=\"title\" x=\"0\" y=\"\(y)\">\(work.title)</text>")
            y += 8
            let lines = results.peers.compactMap { results.line(work, $0) }
            let most = lines.map(\.median).max() ?? 1
            for line in lines {
                shapes.append(bar(line, length: line.median / most * (Self.width - Self.labels - Self.numbers), y: y))
                y += 22
            }
            y += 10
        }
        let facts = "\(results.date), \(results.machine), \(Results.readable(Double(results.posts))) posts"
        shapes.append("<text class=\"small\" x=\"0\" y=\"\(y + 12)\">\(facts)</text>")
        return """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(Int(Self.width)) \(Int(y + 20))" role="img">
            <style>\(Self.style)</style>
            \(shapes.joined(separator: "\n"))
            </svg>

            """
    }

    private static let style = """
        text { font: 13px system-ui, sans-serif; fill: #1b2733; } .title { font-weight: 600; }
        .small { font-size: 11px; fill: #5b6b7b; } rect { fill: #a9b8c6; } .own { fill: #0b7285; }
        @media (prefers-color-scheme: dark) { text { fill: #e3eaf1; } .small { fill: #9aa9b8; }
          rect { fill: #5c6f80; } .own { fill: #3bc9db; } }
        """

    private func bar(_ line: Results.Line, length: Double, y: Double) -> String {
        let isOwn = line.peer == results.peers[0]
        let end = Self.labels + length + 6
        return """
            <text x="\(Self.labels - 8)" y="\(y + 13)" text-anchor="end">\(line.peer)</text>
            <rect\(isOwn ? " class=\"own\"" : "") x="\(Self.labels)" y="\(y)" width="\(rounded(max(1, length)))" \
            height="17" rx="2"/>
            <text x="\(rounded(end))" y="\(y + 13)">\(Results.readable(line.median))</text>
            """
    }

    private func rounded(_ value: Double) -> Double { (value * 10).rounded() / 10 }
}
