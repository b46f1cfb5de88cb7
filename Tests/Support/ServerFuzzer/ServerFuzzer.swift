import Foundation
import SeededNumbers

/// Sends bytes to a server as a client would. No input may crash the server.
///
/// `ServerFuzzer requests|messages INPUTS [SEED]` makes the inputs from a few valid ones. `ServerFuzzer time requests|messages
/// FILE` measures how long the inputs of a file take. In a build by `scripts/fuzz-server`, libFuzzer makes the inputs.
@main
enum ServerFuzzer {
    static func main() async throws {
        #if LIBFUZZER
            try await FuzzedServer.prepare()
            // The first argument is the folder of inputs. Valid inputs are put into it first.
            if CommandLine.arguments.count > 1 {
                let folder = URL(fileURLWithPath: CommandLine.arguments[1])
                for (number, seed) in FuzzedServer.chosen.seeds.enumerated() {
                    try Data(seed.utf8).write(to: folder.appendingPathComponent("seed-\(number)"))
                }
            }
            exit(runLibFuzzer())
        #else
            try await FuzzedServer.prepare()
            let arguments = CommandLine.arguments
            if arguments.count == 4, arguments[1] == "time", let target = FuzzedServer.Target(rawValue: arguments[2]) {
                let bytes = try [UInt8](Data(contentsOf: URL(fileURLWithPath: arguments[3])))
                let duration = ContinuousClock().measure { _ = FuzzedServer.take(bytes, target) }
                return print("\(bytes.count) bytes, \(duration)")
            }
            guard arguments.count >= 3, let target = FuzzedServer.Target(rawValue: arguments[1]),
                let count = Int(arguments[2])
            else {
                print("ServerFuzzer requests|messages INPUTS [SEED], or: ServerFuzzer time requests|messages FILE")
                exit(2)
            }
            let seed = arguments.count > 3 ? UInt64(arguments[3]) ?? 0 : UInt64.random(in: 0...UInt64.max)
            print("\(target) seed \(seed)")
            var random = SeededGenerator(seed)
            var taken = 0
            for _ in 0..<count where FuzzedServer.take(Mutant.next(of: target.seeds, &random), target) { taken += 1 }
            print("\(count) inputs, \(taken) understood")
        #endif
    }
}

/// Makes inputs that are nearly valid.
private enum Mutant {
    static func next(of seeds: [String], _ random: inout SeededGenerator) -> [UInt8] {
        var bytes = Array(random.pick(seeds).utf8)
        for _ in 0..<random.below(6) where !bytes.isEmpty {
            let place = random.below(bytes.count)
            switch random.below(5) {
            case 0: bytes[place] = UInt8(truncatingIfNeeded: random.next())
            case 1: bytes.remove(at: place)
            case 2: bytes.insert(random.pick(Array("{}[]()\"\\:,$@!.0-e\u{0}".utf8)), at: place)
            case 3:
                let end = min(bytes.count, place + random.below(40))
                bytes.insert(contentsOf: bytes[place..<end], at: random.below(bytes.count))
            default:
                let other = Array(random.pick(seeds).utf8)
                let start = random.below(other.count)
                bytes.replaceSubrange(place..., with: other[start...])
            }
        }
        return bytes
    }
}

#if LIBFUZZER
    // libFuzzer's entry for a program with its own main function. It is declared here because the library comes without a
    // header.
    @_silgen_name("LLVMFuzzerRunDriver")
    private func runDriver(
        _ count: UnsafeMutablePointer<Int32>,
        _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
        _ take: @convention(c) (UnsafePointer<UInt8>?, Int) -> Int32
    ) -> Int32

    private func runLibFuzzer() -> Int32 {
        var count = CommandLine.argc
        var arguments = CommandLine.unsafeArgv
        return runDriver(&count, &arguments) { bytes, count in
            let input = Array(UnsafeBufferPointer(start: bytes, count: count))
            _ = FuzzedServer.take(input, FuzzedServer.chosen)
            return 0
        }
    }
#endif
