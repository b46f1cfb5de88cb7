import Foundation

/// The program: runs all peers in turns, and prints and writes the results.
enum PeersCommand {
    private static let help = """
        Measures Tidelog next to GRDB, SQLite and LMDB: the same posts, each through the calls that its users write.

          Peers [--rounds N] [--directory DIR] [--peer NAME]… [--work NAME]… [--json FILE] [--plot FILE] [--quick]

          --rounds N       rounds, in which the peers take turns (3)
          --directory DIR  where the stores are made, on the file system to be measured (the temporary directory)
          --peer NAME      a peer to measure besides Tidelog, which is always measured; all unless named
          --work NAME      a work to time: save, saveRelaxed, saveTogether, load, read, range, scan; all unless named
          --json FILE      writes the rates of all rounds
          --plot FILE      writes a picture (SVG) of three works
          --quick          small amounts, which show that everything runs
        """

    static func run(_ arguments: [String]) async throws {
        var arguments = arguments[...]
        var (rounds, directory, amounts) = (3, FileManager.default.temporaryDirectory.path, Amounts())
        var names: [String] = []
        var works: Set<Work> = []
        var (json, plot): (String?, String?) = (nil, nil)
        while let argument = arguments.popFirst() {
            switch argument {
            case "--quick": (rounds, amounts) = (1, .quick)
            case "--help", "-h": return print(help)
            case "--rounds": rounds = Int(arguments.popFirst() ?? "") ?? 0
            case "--directory": directory = arguments.popFirst() ?? ""
            case "--peer": names.append(arguments.popFirst() ?? "")
            case "--work":
                let name = arguments.popFirst() ?? ""
                guard let work = Work(rawValue: name) else { fail("\(name) is no work\n\n\(help)") }
                works.insert(work)
            case "--json": json = arguments.popFirst()
            case "--plot": plot = arguments.popFirst()
            default: fail("\(argument) is not an option\n\n\(help)")
            }
        }
        guard rounds > 0 else { fail("--rounds needs a number that is greater than 0") }
        for name in names where !peers.contains(where: { $0.name == name }) {
            fail("\(name) is no peer; there are \(peers.map(\.name).joined(separator: ", "))")
        }
        let measured = peers.filter { $0.name == peers[0].name || names.isEmpty || names.contains($0.name) }
        let results = try await measure(
            measured, rounds, directory + "/peers-\(getpid())", amounts,
            works.isEmpty ? Set(Work.allCases) : works)
        print(results.table)
        print("\nThe factor behind a rate: how many times as fast Tidelog is, the median of \(rounds) rounds.")
        if let json { try write(JSONEncoder().encode(results), to: json) }
        if let plot { try write(Data(PeerPlot(results).svg.utf8), to: plot) }
    }

    /// A peer, and one round of it.
    private struct Entry {
        let name: String
        let run: @Sendable (String, Amounts, Set<Work>) async throws -> ([Work: Double], UInt64)

        init<Measured: Peer>(_ peer: Measured.Type) {
            name = Measured.name
            run = { folder, amounts, works in
                var round = Round<Measured>(folder, amounts, works)
                try await round.run()
                return (round.rates, round.found)
            }
        }
    }

    private static var peers: [Entry] {
        var peers = [Entry(TidelogPeer<LMDBRows>.self), Entry(TidelogPeer<SQLiteRows>.self)]
        #if canImport(GRDB)
            peers.append(Entry(GRDBPeer.self))
        #endif
        return peers + [Entry(SQLitePeer.self), Entry(LMDBPeer.self)]
    }

    private static func measure(
        _ peers: [Entry], _ rounds: Int, _ folder: String, _ amounts: Amounts, _ works: Set<Work>
    ) async throws -> Results {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        var results = Results(
            date: String(ISO8601DateFormatter().string(from: Date()).prefix(10)), machine: Machine.description,
            posts: amounts.posts)
        var found: UInt64?
        for round in 1...rounds {
            for (index, peer) in peers.enumerated() {
                progress("round \(round) of \(rounds): \(peer.name)")
                let place = folder + "/\(round)-\(index)"
                let (rates, number) = try await peer.run(place, amounts, works)
                guard found == nil || found == number else {
                    throw PeerError("\(peer.name) has found other posts than the peers before it")
                }
                found = number
                results.add(rates, of: peer.name)
                try? FileManager.default.removeItem(atPath: place)
            }
        }
        progress("")
        return results
    }

    /// Shows what is measured now, on one line of a terminal.
    private static func progress(_ text: String) {
        guard isatty(2) == 1 else { return }
        FileHandle.standardError.write(Data("\r\u{1B}[K\(text)".utf8))
    }

    private static func write(_ bytes: Data, to file: String) throws {
        try bytes.write(to: URL(fileURLWithPath: file))
    }

    private static func fail(_ message: String) -> Never {
        FileHandle.standardError.write(Data((message + "\n").utf8))
        exit(2)
    }
}

/// The machine of a run.
enum Machine {
    static var description: String {
        let processor =
            (try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8))?
            .split(separator: "\n").first { $0.hasPrefix("model name") }?
            .split(separator: ":").last.map { $0.trimmingCharacters(in: .whitespaces) }
        return "\(processor ?? "unknown processor"), \(ProcessInfo.processInfo.activeProcessorCount) cores"
    }
}
