import SeededNumbers
import TidelogCore
import TidelogSync

/// The faults of a server without versions.
extension StampServer {
    /// Makes the server follow the plan of a simulation.
    func behaves(as simulation: Simulation) {
        age = { [unowned simulation] in
            simulation.strikes(.lag, once: 4) ? Int64(simulation.random.below(1_800)) : 0
        }
        skew = { [unowned simulation] in
            simulation.strikes(.hostSkew, once: 3) ? Int64(simulation.random.below(3_000)) - 1_500 : 0
        }
    }

    /// Causes a fault of this server.
    func trouble(in simulation: Simulation) throws {
        let faults: [SimulationPlan.Fault] = [
            .frozenClock, .bypass, .foreignWriter, .nullElement, .listLoss, .lostAccess,
        ]
        let fault = simulation.random.pick(faults)
        guard simulation.has(fault) else { return }
        let reference = simulation.random.pick(simulation.clients).anyRecord()
        simulation.count(fault)
        simulation.trace.note(simulation.now, nil, fault.rawValue, reference.text)
        switch fault {
        case .frozenClock: frozenTime = frozenTime == nil ? simulation.now : nil
        case .bypass: bypass(reference, ["title": .string("bypassed \(simulation.stepCount)")])
        case .foreignWriter: try writeAsOther(reference, in: simulation)
        case .nullElement: if broken.isEmpty { broken = [reference] } else { broken = [] }
        case .listLoss: hasEmptyLists.toggle()
        case .lostAccess: if hidden.isEmpty { hidden = [reference] } else { hidden = [] }
        default: break
        }
    }

    /// Changes a record as a client does that is no Tidelog device.
    private func writeAsOther(_ reference: RecordReference, in simulation: Simulation) throws {
        var fields: [String: FieldValue?]? =
            simulation.random.once(in: 5)
            ? nil
            : [
                "title": .string("foreign \(simulation.stepCount)"), "rating": .int(Int64(simulation.random.below(60))),
                "tags": FieldValue?.none,
            ]
        if hasTimeIndex, reference.model == "Post" { fields?["blogID"] = .string("b\(simulation.random.below(3))") }
        guard var record = try change(reference, fields) else { return }
        guard !simulation.random.once(in: 3) else { return simulation.push(nil, about: reference) }
        record.mayLackValues = true
        if simulation.random.once(in: 2) { record.row?["title"] = nil }
        simulation.push(record, about: reference)
    }
}
