import FaultHarness
import Foundation
import Testing
import TidelogJSON

@Suite("many devices at one server", .timeLimit(.minutes(30)))
struct SyncCrowdTests {
    private static let deviceCount = number("TIDELOG_CROWD_DEVICES") ?? 4
    /// The number of changes of each device. Each change is of a different record.
    private static let changeCount = number("TIDELOG_CROWD_CHANGES") ?? 200
    private static let allowed = 100 << 20

    private static func number(_ variable: String) -> Int? {
        ProcessInfo.processInfo.environment[variable].flatMap { Int($0) }
    }

    @Test("devices that all send their changes at once end equal to the server, and no process needs 100 MiB")
    func crowd() throws {
        let fleet = try Fleet.shop()
        let shared = (0..<Self.changeCount / 10).map { "shared-\($0)" }
        let devices = (0..<Self.deviceCount).map { "d\($0)" }
        _ = try fleet.synced(devices[0])
        try fleet.save(shared.map { #"{"id":"\#($0)","title":"new"}"# }, on: devices[0])
        for (number, device) in devices.enumerated() {
            _ = try fleet.synced(device, ["--adapter", number % 2 == 0 ? "lmdb" : "sqlite"])
        }
        // Every device changes the same shared records: a tenth of its changes.
        for device in devices {
            let patches = shared.map { #"{"id":"\#($0)","rating":7,"tags":["\#(device)"]}"# }
            try fleet.save(patches, on: device, isPatch: true)
            let new = (shared.count..<Self.changeCount).map { "\(device)-\($0)" }
            try fleet.save(new.map { #"{"id":"\#($0)","title":"\#($0)","tags":["x"]}"# }, on: device)
        }

        let start = ContinuousClock.now
        let children = try devices.map { try Tool.start(fleet.syncArguments($0)) }
        let memory = PeakMemory(of: children.map(\.identifier) + [fleet.server.child.identifier])
        for child in children {
            let outcome = try Tool.finish(child, within: .seconds(600))
            #expect(outcome.status == 0, "\(outcome.errors)")
            #expect(try outcome.object()["sent"]?.number == Self.changeCount)
        }
        let time = ContinuousClock.now - start
        // A change that reached the server after the sync of a device had ended arrives in the next sync of that device.
        for device in devices { #expect(try fleet.synced(device)["sent"]?.number == 0) }
        let all = ContinuousClock.now - start
        let peaks = memory.end()
        for (process, peak) in peaks { #expect(peak.anonymous < Self.allowed, "\(process): \(peak)") }
        report(time, all, peaks, server: fleet.server.child.identifier)

        try fleet.stopServer()
        let served = try fleet.servedNotes()
        #expect(served.split(separator: "\n").count == shared.count + devices.count * (Self.changeCount - shared.count))
        for device in devices { #expect(try fleet.export(device, "Note") == served, "\(device)") }
        let versions = try fleet.servedVersions()
        for id in shared {
            // Auto Merge joins the lists of conflicting changes.
            #expect(versions[id]?.last?.tags.sorted() == devices.sorted(), "\(id)")
            #expect(versions[id]?.count == devices.count + 1)
        }
    }

    private func report(_ time: Duration, _ all: Duration, _ peaks: [Int32: PeakMemory.Peak], server: Int32) {
        func mebibytes(_ bytes: Int) -> Int { bytes >> 20 }
        let devices = peaks.filter { $0.key != server }.values
        print(
            """
            \(Self.deviceCount) devices, \(Self.changeCount) changes each: \(time), until all have all \(all); \
            anonymous MiB: device \(mebibytes(devices.map(\.anonymous).max() ?? 0)), \
            server \(mebibytes(peaks[server]?.anonymous ?? 0)); \
            resident MiB: device \(mebibytes(devices.map(\.resident).max() ?? 0)), \
            server \(mebibytes(peaks[server]?.resident ?? 0))
            """)
    }
}
