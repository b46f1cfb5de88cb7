import SyncSimulator
import TidelogPlatform
import TidelogSync

/// Runs simulations of devices that sync: `SyncSimulation COUNT [FIRST SEED] [--adapter NAME] [--protocol NAME] [--json]`.
///
/// This is a separate program, so that an optimized build of it does not need to build the tests as well.
@main
struct SyncSimulation {
    private static let usage = """
        usage: SyncSimulation COUNT [FIRST SEED] [--adapter inMemory|sqlite|lmdb] [--protocol versioned|timestamps] [--json]
        """

    static func main() async {
        guard let arguments = SimulationArguments(Array(CommandLine.arguments.dropFirst())) else {
            print(usage)
            exit(2)
        }
        var report = SimulationReport(adapter: arguments.adapter, protocol: arguments.protocol)
        for seed in arguments.first..<arguments.first + arguments.count {
            var plan = SimulationPlan(seed: seed, protocol: arguments.protocol)
            plan.adapter = arguments.adapter
            do {
                report.add(try await plan.run())
            } catch {
                // The first failure is shown in full. Later failures are shown with their first line.
                let text = "\(error)"
                report.add(failure: report.failures.isEmpty ? text : String(text.prefix { $0 != "\n" }))
            }
        }
        print(arguments.isJSON ? report.json : report.text)
        if !report.hasPassed { exit(1) }
    }
}

/// The arguments of the program.
private struct SimulationArguments {
    var count: UInt64 = 0
    var first: UInt64 = 0
    var adapter = SimulationPlan.Adapter.inMemory
    var `protocol` = SyncProtocol.versioned
    var isJSON = false

    /// The arguments in `texts`; `nil` if they are invalid.
    init?(_ texts: [String]) {
        var numbers: [UInt64] = []
        var rest = texts[...]
        while let text = rest.popFirst() {
            switch text {
            case "--json": isJSON = true
            case "--adapter":
                guard let adapter = rest.popFirst().flatMap({ SimulationPlan.Adapter(rawValue: $0) }) else {
                    return nil
                }
                self.adapter = adapter
            case "--protocol":
                guard let chosen = rest.popFirst().flatMap({ SyncProtocol(rawValue: $0) }), chosen != .automatic else {
                    return nil
                }
                self.protocol = chosen
            default:
                guard let number = UInt64(text) else { return nil }
                numbers.append(number)
            }
        }
        guard (1...2).contains(numbers.count) else { return nil }
        (count, first) = (numbers[0], numbers.count > 1 ? numbers[1] : 0)
    }
}
