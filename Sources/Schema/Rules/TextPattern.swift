/// A regular expression that is matched in a time proportional to the length of the text, for every text.
///
/// The pattern is a program for a set of threads that all read the same character. No thread goes back in the text. Therefore
/// syntax that needs to go back, such as `\1` or `(?=…)`, is refused.
struct TextPattern: Sendable {
    /// The reason why a pattern is refused, as a part of a sentence.
    struct Refusal: Error {
        let reason: String
    }

    /// A condition on the characters around a place in the text.
    enum Assertion: Sendable {
        case start, end, wordBoundary, noWordBoundary

        func holds(after previous: UInt32?, before next: UInt32?) -> Bool {
            switch self {
            case .start: previous == nil
            case .end: next == nil
            case .wordBoundary: Self.isWord(previous) != Self.isWord(next)
            case .noWordBoundary: Self.isWord(previous) == Self.isWord(next)
            }
        }

        private static func isWord(_ scalar: UInt32?) -> Bool { scalar.map(ScalarSet.word.contains) ?? false }
    }

    /// An instruction of a thread.
    enum Instruction: Sendable {
        /// Reads a character of the set with this index. The thread ends at any other character.
        case read(Int)
        /// Continues at both places.
        case split(Int, Int)
        case jump(Int)
        case assert(Assertion)
        /// The pattern matches.
        case match
    }

    private let instructions: [Instruction]
    private let sets: [ScalarSet]
    /// Whether a match can only begin at the start of the text.
    private let isAnchored: Bool

    /// Reads `pattern`.
    init(_ pattern: String) throws(Refusal) {
        var parser = TextPatternParser(pattern)
        var program = Program()
        try program.append(try parser.pattern())
        program.append(.match)
        (instructions, sets) = (program.instructions, program.sets)
        isAnchored = Self.isAnchored(program.instructions)
    }

    /// Whether a part of `text`, which is UTF-8, matches the pattern.
    func matches(_ text: UnsafeRawBufferPointer) -> Bool {
        var threads = Threads(count: instructions.count)
        var reader = ScalarReader(text)
        var previous: UInt32?
        while true {
            let next = reader.next()
            if previous == nil || !isAnchored { threads.begin(at: 0) }
            if advance(&threads, after: previous, before: next) { return true }
            guard let next else { return false }
            threads.places.removeAll(keepingCapacity: true)
            for index in threads.reading {
                if case .read(let set) = instructions[index], sets[set].contains(next) { threads.begin(at: index + 1) }
            }
            if isAnchored, threads.places.isEmpty { return false }
            previous = next
        }
    }

    /// Runs each thread up to its next character. Returns whether one of them matches.
    private func advance(_ threads: inout Threads, after previous: UInt32?, before next: UInt32?) -> Bool {
        threads.reading.removeAll(keepingCapacity: true)
        threads.round += 1
        while let index = threads.places.popLast() {
            guard threads.rounds[index] != threads.round else { continue }
            threads.rounds[index] = threads.round
            switch instructions[index] {
            case .read: threads.reading.append(index)
            case .split(let first, let second):
                threads.begin(at: first)
                threads.begin(at: second)
            case .jump(let target): threads.begin(at: target)
            case .assert(let assertion):
                if assertion.holds(after: previous, before: next) { threads.begin(at: index + 1) }
            case .match: return true
            }
        }
        return false
    }

    /// Whether no thread that begins after the start of a text reads a character or matches.
    private static func isAnchored(_ instructions: [Instruction]) -> Bool {
        var seen = Set<Int>()
        var places = [0]
        while let index = places.popLast() {
            guard seen.insert(index).inserted else { continue }
            switch instructions[index] {
            case .read, .match: return false
            case .split(let first, let second): places += [first, second]
            case .jump(let target): places.append(target)
            case .assert(.start): break
            case .assert: places.append(index + 1)
            }
        }
        return true
    }

    private struct Threads {
        /// The instructions at which threads continue.
        var places: [Int] = []
        /// The instructions that wait for a character.
        var reading: [Int] = []
        /// The last round in which a thread was at each instruction.
        var rounds: [Int]
        var round = 0

        init(count: Int) { rounds = [Int](repeating: 0, count: count) }

        mutating func begin(at index: Int) { places.append(index) }
    }

    /// The instructions of a pattern.
    struct Program {
        private(set) var instructions: [TextPattern.Instruction] = []
        private(set) var sets: [ScalarSet] = []

        /// The largest number of instructions. The time for one character is proportional to it.
        static let instructionLimit = 2_000

        mutating func append(_ instruction: TextPattern.Instruction) { instructions.append(instruction) }

        /// Appends the instructions for `node`.
        mutating func append(_ node: TextPattern.Node) throws(TextPattern.Refusal) {
            guard instructions.count <= Self.instructionLimit else {
                throw TextPattern.Refusal(reason: "the pattern repeats too much")
            }
            switch node {
            case .set(let set):
                sets.append(set)
                instructions.append(.read(sets.count - 1))
            case .assertion(let assertion): instructions.append(.assert(assertion))
            case .sequence(let nodes): for node in nodes { try append(node) }
            case .alternatives(let nodes):
                var ends: [Int] = []
                for node in nodes.dropLast() {
                    let split = instructions.count
                    instructions.append(.split(split + 1, 0))
                    try append(node)
                    ends.append(instructions.count)
                    instructions.append(.jump(0))
                    instructions[split] = .split(split + 1, instructions.count)
                }
                if let last = nodes.last { try append(last) }
                for end in ends { instructions[end] = .jump(instructions.count) }
            case .repeated(let node, let least, let most): try append(node, least, most)
            }
        }

        private mutating func append(_ node: TextPattern.Node, _ least: Int, _ most: Int?) throws(TextPattern.Refusal) {
            for _ in 0..<least {
                let count = instructions.count
                try append(node)
                // A part without instructions, such as `()`, is the same however often it is repeated.
                if instructions.count == count { break }
            }
            guard let most else {
                let split = instructions.count
                instructions.append(.split(split + 1, 0))
                try append(node)
                instructions.append(.jump(split))
                instructions[split] = .split(split + 1, instructions.count)
                return
            }
            var splits: [Int] = []
            for _ in least..<most {
                splits.append(instructions.count)
                instructions.append(.split(0, 0))
                try append(node)
            }
            for split in splits { instructions[split] = .split(split + 1, instructions.count) }
        }
    }

    /// A part of a pattern.
    indirect enum Node: Sendable {
        case set(ScalarSet)
        case assertion(TextPattern.Assertion)
        case sequence([Node])
        case alternatives([Node])
        case repeated(Node, least: Int, most: Int?)
    }
}

/// Reads the characters of a text in UTF-8.
private struct ScalarReader {
    private let bytes: UnsafeRawBufferPointer
    private var index = 0

    init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    mutating func next() -> UInt32? {
        guard index < bytes.count else { return nil }
        let lead = bytes[index]
        index += 1
        guard lead >= 0xC0 else { return UInt32(lead) }
        let count = lead >= 0xF0 ? 3 : lead >= 0xE0 ? 2 : 1
        var scalar = UInt32(lead) & (0x3F >> UInt32(count))
        for _ in 0..<count where index < bytes.count {
            scalar = scalar << 6 | UInt32(bytes[index] & 0x3F)
            index += 1
        }
        return scalar
    }
}
