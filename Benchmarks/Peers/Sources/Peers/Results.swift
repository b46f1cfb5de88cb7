import Foundation

/// The rates of all rounds.
struct Results: Codable, Sendable {
    /// The rates of one work of one peer, a value for each round.
    struct Line: Codable, Sendable {
        var work: Work
        var peer: String
        var perSecond: [Double]

        var median: Double { Results.median(perSecond) }
    }

    var date: String
    var machine: String
    var posts: Int
    var peers: [String] = []
    var lines: [Line] = []

    mutating func add(_ rates: [Work: Double], of peer: String) {
        if !peers.contains(peer) { peers.append(peer) }
        for work in Work.allCases {
            guard let rate = rates[work] else { continue }
            if let index = lines.firstIndex(where: { $0.work == work && $0.peer == peer }) {
                lines[index].perSecond.append(rate)
            } else {
                lines.append(Line(work: work, peer: peer, perSecond: [rate]))
            }
        }
    }

    func line(_ work: Work, _ peer: String) -> Line? { lines.first { $0.work == work && $0.peer == peer } }

    /// How many times as fast as `peer` Tidelog is: the median of the rounds.
    func ratio(_ work: Work, to peer: String) -> Double? {
        guard let own = line(work, peers[0]), let other = line(work, peer) else { return nil }
        return Self.median(zip(own.perSecond, other.perSecond).map { $0 / $1 })
    }

    /// The rates, and how many times as fast Tidelog is.
    var table: String {
        var rows = [["work"] + peers]
        for work in Work.allCases where line(work, peers[0]) != nil {
            rows.append(
                [work.title]
                    + peers.map { peer in
                        guard let line = line(work, peer) else { return "" }
                        let rate = Self.readable(line.median)
                        guard peer != peers[0], let ratio = ratio(work, to: peer) else { return rate }
                        return rate + String(format: "  %.2f ×", ratio)
                    })
        }
        let widths = rows[0].indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        return rows.map { row in
            row.indices.map { column in
                let space = String(repeating: " ", count: widths[column] - row[column].count)
                return column == 0 ? row[column] + space : space + row[column]
            }.joined(separator: "  ")
        }.joined(separator: "\n")
    }

    static func readable(_ rate: Double) -> String {
        switch rate {
        case 1e6...: String(format: "%.2f M", rate / 1e6)
        case 1e4...: String(format: "%.0f k", rate / 1e3)
        case 1e3...: String(format: "%.1f k", rate / 1e3)
        default: String(format: "%.0f", rate)
        }
    }

    private static func median(_ values: [Double]) -> Double {
        let sorted = values.sorted()
        guard !sorted.isEmpty else { return 0 }
        let middle = sorted.count / 2
        return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
    }
}
