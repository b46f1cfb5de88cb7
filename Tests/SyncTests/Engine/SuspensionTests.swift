import FaultHarness
import Foundation
import TestStores
import TestWaiting
import Testing
import Tidelog
import TidelogSync

@Suite("A device whose store is suspended", .timeLimit(.minutes(5)))
struct SuspensionTests {
    @Test(
        "the engine ends without an error, and after the store was resumed it sends and receives what it missed",
        arguments: [SyncEngine.Startup.automatic, .manual])
    func catchingUp(startup: SyncEngine.Startup) async throws {
        try await Device.serve { port in
            let device = try await Device(port)
            let errors = Shared([SyncError]())
            let configuration = SyncConfiguration(errorHandler: { error in errors.update { $0.append(error) } })
            let engine = try device.engine(configuration, startup: startup)
            if startup == .manual { try await engine.start() }
            try await device.save("own", ["title": "a"])
            try await engine.catchUp()
            for round in 0..<3 {
                try await device.save("own", ["title": .string("\(round)")])
                try await device.store.suspend()
                try await eventually { engine.status.state == .suspended }
                let other = try await Device(port)
                try await other.save("other\(round)", ["title": "b"])
                try await other.sync()
                try await device.store.resume()
                try await eventually { try await device.post("other\(round)") != nil }
                try await engine.catchUp()
                #expect(engine.status.state == .ready && engine.status.pending == 0)
                try await eventually {
                    try await other.sync()
                    return try await other.post("own") == "\(round) - "
                }
            }
            #expect(errors.value.isEmpty, "\(errors.value)")
            await engine.stop()
        }
    }

    @Test("calls of an engine return during a suspension, and a stopped engine stays stopped")
    func calls() async throws {
        try await Device.serve { port in
            let device = try await Device(port)
            let engine = try device.engine()
            try await engine.start()
            try await eventually { engine.status.state == .ready }
            try await device.store.suspend()
            try await eventually { engine.status.state == .suspended }
            let report = await engine.runOnce()
            #expect((report.failure?.underlying as? DataStoreError)?.code == .suspended)
            #expect(engine.status.state == .stopped)
            try await device.store.resume()
            #expect(await engine.runOnce().failure == nil)
            #expect(engine.status.state == .stopped)
        }
    }

    @Test("an engine that starts while the store is suspended begins when it is resumed")
    func startDuringSuspension() async throws {
        try await Device.serve { port in
            let device = try await Device(port)
            let engine = try device.engine()
            try await device.store.suspend()
            engine.requestStart()
            try await eventually { engine.status.state == .suspended }
            try await device.store.resume()
            try await eventually { engine.status.state == .ready }
            await engine.stop()
        }
    }

    @Test(
        "a background task that resumes the store and syncs at once sends and receives everything",
        arguments: [false, true])
    func backgroundTask(waits: Bool) async throws {
        try await Device.serve { port in
            let (device, other) = (try await Device(port), try await Device(port))
            let engine = try device.engine(startup: .manual)
            for round in 0..<10 {
                try await engine.start()
                try await eventually { engine.status.state == .ready }
                try await device.save("own", ["title": .string("\(round)")])
                try await device.store.suspend()
                if waits { try await eventually { engine.status.state == .suspended } }
                try await other.save("other\(round)", ["title": "b"])
                try await other.sync()

                try await device.store.resume()
                let report = await engine.runOnce(until: .now + .seconds(60))
                #expect(report.failure == nil, "\(String(describing: report.failure))")
                #expect(engine.status.state == .stopped)
                #expect(try await device.post("other\(round)") != nil)
                try await other.sync()
                #expect(try await other.post("own") == "\(round) - ")
            }
        }
    }
}
