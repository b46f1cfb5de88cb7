import Testing
import TidelogCore
import TidelogSync

@Suite("The machine of the sync engine")
struct SyncMachineTests {
    @Test("a store is opened once, although the provider of tokens names the person twice")
    func identifiedTwice() {
        let models = SyncModels(OutboxDriver.schema)
        let status = SyncStatus(.stopped, models: models.names)
        var machine = SyncMachine(SyncMachine.Settings(models), status: status, seed: 1)
        let moment = SyncMachine.Moment(now: 0, clockOffset: 0)
        machine.handle(.start(isSingleRun: false), at: moment)
        #expect(machine.nextActions().contains { if case .takeLease = $0 { true } else { false } })
        machine.handle(.result(.leaseTaken(true)), at: moment)
        while !machine.nextActions().isEmpty {}
        let identity = SyncIdentity(endpoint: "https://server", subject: "person")
        for _ in 0..<2 { machine.handle(.answer(.identified(identity), life: machine.life), at: moment) }
        var openCount = 0
        while case let actions = machine.nextActions(), !actions.isEmpty {
            for action in actions { if case .open = action { openCount += 1 } }
        }
        #expect(openCount == 1)
    }
}
