import Foundation
import Tidelog

/// One engine's store while it grows.
protocol GrowthRun {
    var name: String { get }

    /// Adds posts with `numbers` and measures the time.
    func grow(_ numbers: Range<Int>, step: Int) async throws -> ResultLine
    /// Closes the store, opens it again, and returns the line of the whole growth.
    func finish() async throws -> ResultLine
    /// Adds posts up to `count` without measuring, and closes.
    func fill(_ count: Int) async throws
    /// Opens the closed store `count` times, and then `count` times more with none of its files in the system's cache.
    func openings(_ count: Int) async throws -> ResultLine
    func remove()
}

/// ``GrowthRun`` of any engine that can grow.
final class EngineGrowth<Engine: GrowingEngine>: GrowthRun {
    private let engine: Engine
    private let size: WorkloadSize
    private let directory: WorkingDirectory
    private let meter: Meter
    private var store: Engine.Store?
    private var steps: [Measurement] = []
    private var flushes: [Double] = []

    var name: String { engine.name }

    init(_ engine: Engine, _ size: WorkloadSize, _ options: Options) async throws {
        self.engine = engine
        self.size = size
        directory = try WorkingDirectory(options.directory)
        meter = Meter(directory.path)
        store = try await engine.open(size, in: directory.path)
    }

    func remove() {
        _ = meter.end()
        directory.remove()
    }

    func grow(_ numbers: Range<Int>, step: Int) async throws -> ResultLine {
        guard let store else { preconditionFailure("a store grows while it is open") }
        let before = meter.cost
        var measurement = try await store.load(PostGenerator(.growth), numbers, size, meter)
        // Dirty pages are written now, so that their cost does not fall into the other engine's turn.
        let flushed = meter.settle()
        measurement.cost = meter.cost
        measurement.cost.deviceBytes -= before.deviceBytes
        measurement.cost.syncs -= before.syncs
        steps.append(measurement)
        flushes.append(flushed)
        var line = ResultLine(.growth, engine, size, [Round(measurement)])
        line.records = numbers.upperBound
        line.step = step
        line.flushSeconds = flushed
        return line
    }

    func finish() async throws -> ResultLine {
        try await store?.close()
        store = nil
        let began = Clock.now()
        let reopened = try await engine.open(size, in: directory.path)
        let seconds = Double(Clock.now() - began) / 1e9
        try await reopened.close()
        var whole = Measurement()
        for step in steps {
            whole.operations += step.operations
            whole.seconds += step.seconds
            whole.latencies += step.latencies
            whole.recordCount += step.recordCount
            whole.logicalBytes += step.logicalBytes
        }
        whole.cost = meter.cost
        var line = ResultLine(.growth, engine, size, [Round(whole)])
        line.lastToFirst = lastToFirst { steps[$0].seconds }
        line.lastToFirstFlushed = lastToFirst { steps[$0].seconds + flushes[$0] }
        line.openMicros = seconds * 1e6
        return line
    }

    /// The ratio of the last step's rate to the first step's rate. `seconds` gives the time of a step.
    private func lastToFirst(_ seconds: (Int) -> Double) -> Double? {
        guard steps.count > 1 else { return nil }
        let rates = [0, steps.count - 1].map { Double(steps[$0].operations) / seconds($0) }
        return rates[1] / rates[0]
    }

    func fill(_ count: Int) async throws {
        guard let store else { preconditionFailure("a store is filled while it is open") }
        steps = [try await store.load(PostGenerator(.open), 0..<count, size, .off)]
        try await store.close()
        self.store = nil
    }

    func openings(_ count: Int) async throws -> ResultLine {
        var warm = Measurement()
        for _ in 0..<count {
            meter.resume()
            let began = Clock.now()
            let opened = try await engine.open(size, in: directory.path)
            warm.latencies.append(Clock.now() - began)
            meter.pause()
            try await opened.close()
        }
        meter.settle()
        warm = warm.summed().touching(size.records, like: steps.first ?? Measurement())
        warm.cost = meter.cost
        var cold: [Double] = []
        for _ in 0..<count {
            Flushing.drop(directory.path)
            let began = Clock.now()
            let opened = try await engine.open(size, in: directory.path)
            cold.append(Double(Clock.now() - began) / 1_000)
            try await opened.close()
        }
        var line = ResultLine(.open, engine, size, [Round(warm)])
        line.openMicros = line.p50Micros
        line.openColdMicros = cold.median
        return line
    }
}
