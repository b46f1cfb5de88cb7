import Foundation

extension Target {
    private static let mebibyte = 1_048_576.0
    /// The query itself may allocate a few blocks, so a scan of a million rows may allocate a thousand.
    private static let noAllocation = 0.001
    /// A range query counts as independent of the store's size if a store ten times as large makes it at most this much slower.
    private static let independence = 1.5

    static let all = writes + savers + reads + codec + server + database + sync + resources

    private static let writes: [Target] = [
        .rate(
            "append events only, batch 10,000, relaxed", Work(workload: .append, durability: "relaxed", batch: 10_000),
            of: "raw-lmdb", atLeast: 0.6),
        .rate(
            "save random ids, batch 10,000, relaxed, to LMDB without syncs", random("relaxed"), of: "raw-lmdb",
            atLeast: 0.75),
        .rate("the same, to SQLite with synchronous=NORMAL", random("relaxed"), of: "raw-sqlite-normal", atLeast: 2),
        .rate(
            "save time-ordered ids, batch 10,000, relaxed",
            Work(workload: .loadOrdered, durability: "relaxed", batch: 10_000), of: "raw-lmdb", atLeast: 0.6),
        .rate("save random ids, batch 10,000, full", random("full"), of: "raw-lmdb", atLeast: 1.5),
        .rate(
            "SQLite adapter, random ids, batch 10,000, relaxed",
            Work(workload: .loadRandom, adapter: .sqlite, durability: "relaxed", batch: 10_000),
            of: "raw-sqlite-normal", atLeast: 0.6),
        .rate("rebuild of a table from the log", Work(workload: .rebuild), of: "raw-lmdb", atLeast: 1.5),
    ]

    private static let savers: [Target] = [
        .rate("one saver, one record a call, full", saver("full"), of: "raw-lmdb", atLeast: 2),
        .rate("the same, to SQLite with synchronous=FULL", saver("full"), of: "raw-sqlite", atLeast: 1.3),
        .rate("the same, to the Amplify path", saver("full"), of: "amplify-path", atLeast: 5),
        .number("the same, p99 to p50", saver("full"), atMost: 5, times, spread),
        .rate(
            "64 savers, full, to raw LMDB at batch 1", Work(workload: .savers, durability: "full", savers: 64),
            of: "raw-lmdb", atLeast: 25),
        .rate(
            "one saver, one record a call, relaxed, to SQLite with synchronous=NORMAL", saver("relaxed"),
            of: "raw-sqlite-normal", atLeast: 3),
        .share(
            "the same, with an observer and a live query", saver("relaxed"), of: "tidelog-observed", atLeast: 0.6),
    ]

    private static let reads: [Target] = [
        .time("point read by id into a struct", Work(workload: .pointRead), of: "raw-lmdb", atMost: 2),
        .rate("the same, to the Amplify path", Work(workload: .pointRead), of: "amplify-path", atLeast: 10),
        .share("the same, from the main actor", Work(workload: .pointRead), of: "tidelog-main-actor", atLeast: 0.5),
        .time("predicate scan without an index, 15 % returned", Work(workload: .scan), of: "raw-lmdb", atMost: 3),
        .number(
            "the same, allocations per rejected row", Work(workload: .scan), atMost: noAllocation,
            { String(format: "%.6f", $0) }, \.allocationsPerRejectedRow),
        .time("index range, ordered, limit 100", Work(workload: .indexRange), of: "raw-sqlite", atMost: 1.5),
        Target(
            name: "the same, time in the large store to the small one", must: "≤ \(times(independence))",
            measure: { results in
                let lines = results.lines(Work(workload: .indexRange)).sorted { $0.records < $1.records }
                guard let small = lines.first, let large = lines.last, small.records < large.records else { return nil }
                let ratio = small.opsPerSecond / large.opsPerSecond
                return (times(ratio), ratio <= independence)
            }),
        .rate("YCSB A, full", mix("full"), of: "raw-lmdb", atLeast: 0.5),
        .rate("the same, to SQLite with synchronous=FULL", mix("full"), of: "raw-sqlite", atLeast: 1.5),
        .rate("YCSB A, relaxed, to LMDB without syncs", mix("relaxed"), of: "raw-lmdb", atLeast: 0.5),
        .rate("the same, to SQLite with synchronous=NORMAL", mix("relaxed"), of: "raw-sqlite-normal", atLeast: 1),
        .rate("the same, to SQLite with synchronous=OFF", mix("relaxed"), of: "raw-sqlite", atLeast: 1),
    ]

    private static let codec: [Target] = [
        .time(
            "encode and decode of a record, without making strings", Work(workload: .codec),
            by: CodecLines.withoutStrings, of: "c-struct", atMost: 2),
        .rate("encode and decode of a record, to JSON", Work(workload: .codec), of: "codable-json", atLeast: 20),
    ]

    private static let server: [Target] = [
        .rate(
            "server: 64 clients, one durable mutation each, to as many savers", mutations,
            by: ServerEngine.Part.mutations.rawValue, of: ServerEngine.Part.savers.rawValue, atLeast: 0.1),
        .number(
            "the same, p99 to p50", mutations, by: ServerEngine.Part.mutations.rawValue, atMost: 10, times, spread),
        .rate(
            "server: base sync in pages of 1,000, to writing the rows as JSON", Work(workload: .server, batch: 1_000),
            by: ServerEngine.Part.baseSync.rawValue, of: ServerEngine.Part.rows.rawValue, atLeast: 0.25),
        .rate(
            "the same with a filter that 1 % pass, to no filter", Work(workload: .server, batch: 1_000),
            by: ServerEngine.Part.filteredSync.rawValue, of: ServerEngine.Part.baseSync.rawValue, atLeast: 3),
        .number(
            "server: a mutation reaches 5,000 sockets with three subscriptions each", fanOut,
            by: ServerEngine.Part.fanOut.rawValue, atMost: 1_000_000, { Readable.micros($0) }, \.p50Micros),
        .number(
            "the same, memory", fanOut, by: ServerEngine.Part.fanOut.rawValue, atMost: 200 * mebibyte,
            { Readable.bytes($0) }, \.peakAnonymousBytes),
    ]

    private static let database: [Target] = [
        .rate(
            "server over PostgreSQL: 64 clients, one durable mutation each, to pgbench with the same statements",
            mutations, by: DatabaseEngine.Part.mutations.rawValue, of: DatabaseEngine.Part.pgbench.rawValue,
            atLeast: 0.5),
        .rate(
            "the same clients at two servers, to one server", mutations,
            by: DatabaseEngine.Part.twoServers.rawValue, of: DatabaseEngine.Part.mutations.rawValue, atLeast: 0.9),
        .rate(
            "server over PostgreSQL: base sync in pages of 1,000, to COPY of the same rows",
            Work(workload: .server, batch: 1_000), by: DatabaseEngine.Part.baseSync.rawValue,
            of: DatabaseEngine.Part.copy.rawValue, atLeast: 0.3),
    ]

    private static let sync: [Target] = [
        .rate(
            "sync: an empty device receives all posts, to saving them in commits of 1,000", base,
            by: SyncBenchmark.Part.base.rawValue, of: SyncBenchmark.Part.batches.rawValue, atLeast: 0.7),
        .number(
            "the same, memory", base, by: SyncBenchmark.Part.base.rawValue, atMost: 100 * mebibyte,
            { Readable.bytes($0) }, \.peakAnonymousBytes),
        .rate(
            "sync: a device sends offline edits, up to 25 in a request, to 16 bare clients", drain,
            by: SyncBenchmark.Part.drain.rawValue, of: SyncBenchmark.Part.bareClients.rawValue, atLeast: 1.5),
        Target(
            name: "the same, rate of the second half to the first", must: "≥ \(times(0.8))",
            measure: { results in
                let line = results.line(drain, engine: SyncBenchmark.Part.drain.rawValue)
                return line?.secondToFirstHalf.map { (times($0), $0 >= 0.8) }
            }),
        .number(
            "the same, memory", drain, by: SyncBenchmark.Part.drain.rawValue, atMost: 100 * mebibyte,
            { Readable.bytes($0) }, \.peakAnonymousBytes),
        Target(
            name: "sync: one saver, full, while an engine runs, processor time to one without an engine",
            must: "≤ \(times(2))",
            measure: { results in
                guard let own = results.line(attached, engine: SyncBenchmark.Part.attached.rawValue)?.processorMicros,
                    let other = results.line(attached, engine: SyncBenchmark.Part.unattached.rawValue)?.processorMicros,
                    other > 0
                else { return nil }
                return (times(own / other), own / other <= 2)
            }),
        .number(
            "the same, syncs for each save", attached, by: SyncBenchmark.Part.attached.rawValue, atMost: 1.1,
            { String(format: "%.2f", $0) }, \.syncsPerOperation),
        .rate(
            "sync: one saver, full, while the engine has no server, to one without an engine", attached,
            by: SyncBenchmark.Part.offline.rawValue, of: SyncBenchmark.Part.unattached.rawValue, atLeast: 0.95),
        .rate(
            "sync without versions: an empty device receives all posts, to the same with versions", base,
            by: SyncBenchmark.Part.stampedBase.rawValue, of: SyncBenchmark.Part.base.rawValue, atLeast: 0.9),
        .rate(
            "sync without versions: a device sends offline edits, to the same with versions", drain,
            by: SyncBenchmark.Part.stampedDrain.rawValue, of: SyncBenchmark.Part.drain.rawValue, atLeast: 0.8),
        .number(
            "sync: an empty device receives 10,000 posts, each response 300 ms late", Work(workload: .syncDelayed),
            by: SyncBenchmark.Part.delayedBase.rawValue, atMost: 5, { String(format: "%.1f s", $0) }, \.seconds),
        .number(
            "sync: a device sends 2,000 offline edits, each response 300 ms late", Work(workload: .syncDelayed),
            by: SyncBenchmark.Part.delayedDrain.rawValue, atMost: 3, { String(format: "%.1f s", $0) }, \.seconds),
    ]

    private static let resources: [Target] = [
        Target(
            name: "growth, random ids: rate of the last million to the first", must: "≥ \(times(0.5))",
            measure: { results in
                guard let line = results.line(Work(workload: .growth)), let ratio = line.lastToFirst else { return nil }
                let flushed = line.lastToFirstFlushed.map { ", \(times($0)) with flushing" }
                return (times(ratio) + (flushed ?? ""), ratio >= 0.5)
            }),
        .number(
            "open after a clean close", Work(workload: .open), atMost: 50_000, { Readable.micros($0) }, \.openMicros),
        .number(
            "memory of a load, batch 1,000", Work(workload: .loadRandom, durability: "relaxed", batch: 1_000),
            atMost: 64 * mebibyte, { Readable.bytes($0) }, \.peakAnonymousBytes),
        Target(
            name: "memory of a load, batch 10,000", must: "≤ raw-lmdb + 32 MiB",
            measure: { results in
                guard let own = results.line(random("relaxed")),
                    let raw = results.line(random("relaxed"), engine: "raw-lmdb")
                else { return nil }
                let texts = [own, raw].map { Readable.bytes($0.peakAnonymousBytes) }
                return (
                    "\(texts[0]), raw \(texts[1])",
                    own.peakAnonymousBytes <= raw.peakAnonymousBytes + 32 * mebibyte
                )
            }),
        .number(
            "device bytes per logical byte, batch 10,000, full", random("full"), atMost: 8,
            { String(format: "%.2f", $0) }, \.writtenPerLogicalByte),
    ]

    private static func random(_ durability: String) -> Work {
        Work(workload: .loadRandom, durability: durability, batch: 10_000)
    }

    private static func mix(_ durability: String) -> Work { Work(workload: .ycsbA, durability: durability) }

    private static let mutations = Work(workload: .server, durability: "full", batch: 1, savers: 64)

    private static let fanOut = Work(workload: .server, durability: "full", batch: 1)

    private static let base = Work(workload: .sync, durability: "full", batch: SyncClient.pageLimit)

    private static let drain = Work(workload: .sync, durability: "full", batch: 1, savers: 16)

    private static let attached = Work(workload: .sync, durability: "full", batch: 1)

    private static func saver(_ durability: String) -> Work { Work(workload: .savers, durability: durability) }

    /// The ratio of the slow calls' latency to the usual latency.
    private static func spread(_ line: ResultLine) -> Double? {
        guard let p50 = line.p50Micros, let p99 = line.p99Micros, p50 > 0 else { return nil }
        return p99 / p50
    }

    private static func times(_ ratio: Double) -> String { String(format: "%.2f ×", ratio) }
}
