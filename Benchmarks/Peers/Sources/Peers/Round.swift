import Foundation
import Tidelog

/// One round of one peer: all works on a store of its own, with the time of each.
struct Round<Measured: Peer> {
    let folder: String
    let amounts: Amounts
    /// The works that are timed. Other works are done if a timed work needs their posts.
    let works: Set<Work>
    private(set) var rates: [Work: Double] = [:]
    /// A number that depends on every post that was read. It must be the same for all peers.
    private(set) var found: UInt64 = 0

    init(_ folder: String, _ amounts: Amounts, _ works: Set<Work>) {
        (self.folder, self.amounts, self.works) = (folder, amounts, works)
    }

    mutating func run() async throws {
        let amounts = amounts
        if works.contains(.saveRelaxed) {
            let relaxed = try await opened("relaxed", .relaxed)
            rates[.saveRelaxed] = try await Self.rate(amounts.saves) {
                try await Self.save(0..<amounts.saves, in: relaxed)
            }
            try await relaxed.close()
        }

        let peer = try await opened("full", .full)
        let posts = amounts.posts
        rates[.load] = try await Self.rate(posts) {
            for begin in stride(from: 0, to: posts, by: 1_000) {
                try await peer.save(all: Posts.posts(begin..<min(posts, begin + 1_000)))
            }
        }
        rates[.save] = try await Self.rate(amounts.saves) {
            try await Self.save(posts..<posts + amounts.saves, in: peer)
        }
        let begin = posts + amounts.saves
        rates[.saveTogether] = try await Self.rate(amounts.saves) {
            try await Self.saveTogether(begin..<begin + amounts.saves, amounts.tasks, in: peer)
        }
        if !works.isDisjoint(with: [.read, .range, .scan]) { try await read(peer) }
        rates = rates.filter { works.contains($0.key) }
        try await peer.close()
    }

    private func opened(_ name: String, _ durability: Durability) async throws -> Measured {
        let folder = folder + "/" + name
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        return try await Measured(folder: folder, durability: durability)
    }

    /// How often in a second `body` does what it does `count` times.
    private static func rate(_ count: Int, _ body: () async throws -> Void) async throws -> Double {
        rate(count, in: try await ContinuousClock().measure { try await body() })
    }

    /// How often in a second the calls of `fetch` do what they do `count` times together. The time of `check`, which compares
    /// the posts of a call, is not counted.
    ///
    /// The posts of a call are released during the next call, so that the time includes it, as in an app.
    private static func rate(
        _ count: Int, fetches: Int, _ fetch: (_ index: Int) async throws -> [Post], check: ([Post]) throws -> Void
    ) async throws -> Double {
        var elapsed = Duration.zero
        var posts: [Post] = []
        for index in 0..<fetches {
            elapsed += try await ContinuousClock().measure { posts = try await fetch(index) }
            try check(posts)
        }
        return rate(count, in: elapsed)
    }

    private static func rate(_ count: Int, in elapsed: Duration) -> Double {
        Double(count) / (elapsed / .seconds(1))
    }

    private static func save(_ numbers: Range<Int>, in peer: Measured) async throws {
        for number in numbers { try await peer.save(Posts.post(number)) }
    }

    private static func saveTogether(_ numbers: Range<Int>, _ tasks: Int, in peer: Measured) async throws {
        guard Measured.takesTasks else { return try await save(numbers, in: peer) }
        let share = numbers.count / tasks
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<tasks {
                let begin = numbers.lowerBound + task * share
                let end = task == tasks - 1 ? numbers.upperBound : begin + share
                group.addTask { try await save(begin..<end, in: peer) }
            }
            try await group.waitForAll()
        }
    }

    private mutating func read(_ peer: Measured) async throws {
        let amounts = amounts
        let identifiers = (0..<amounts.reads).map {
            Posts.identifier(Int(Posts.mixed(UInt64($0)) % UInt64(amounts.posts)))
        }
        var found: [Post] = []
        rates[.read] = try await Self.rate(identifiers.count) {
            for identifier in identifiers {
                guard let post = try await peer.post(id: identifier) else { throw PeerError("a post is missing") }
                if found.count < 100 { found.append(post) }
            }
        }
        let bounds = (0..<amounts.ranges).map { Int(Posts.mixed(UInt64($0)) % UInt64(Posts.ratingCount * 9 / 10)) }
        rates[.range] = try await Self.rate(bounds.count, fetches: bounds.count) { index in
            try await peer.posts(from: bounds[index], limit: 100)
        } check: { posts in
            guard posts.count == 100 else { throw PeerError("a range has \(posts.count) posts") }
            // Peers may order posts with equal ratings in their own ways.
            found.append(contentsOf: posts.sorted { ($0.rating, $0.id) < ($1.rating, $1.id) }.prefix(2))
        }
        let count = amounts.posts + 2 * amounts.saves
        rates[.scan] = try await Self.rate(count * amounts.scans, fetches: amounts.scans) { _ in
            try await peer.posts(containing: Posts.searched)
        } check: { posts in
            guard posts.count == (count + 2) / 10 else { throw PeerError("a scan found \(posts.count) posts") }
            found.append(contentsOf: posts.sorted { $0.id < $1.id }.prefix(10))
        }
        self.found = found.reduce(0) { Self.combined($0, $1) }
    }

    private static func combined(_ value: UInt64, _ post: Post) -> UInt64 {
        var value = value
        for text in [post.id, post.title, post.content, post.status, post.createdAt, post.updatedAt] {
            for byte in text.utf8 { value = (value ^ UInt64(byte)) &* 0x100_0000_01B3 }
        }
        return Posts.mixed(value ^ UInt64(post.rating))
    }
}
