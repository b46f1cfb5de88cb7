import FaultHarness
import Foundation
import TidelogPlatform
import TidelogSynchronization

/// A pseudo terminal that keeps the text that a program writes to it.
final class Terminal: Sendable {
    /// The path at which a program opens the terminal.
    let path: String
    private let master: Int32
    /// This descriptor stays open, so that the terminal exists until the test has read everything.
    private let slave: Int32
    private let received = Mutex<[UInt8]>([])
    private let isOver = Mutex(false)
    private let reading = DispatchGroup()

    /// The requests `TIOCSPTLCK` and `TIOCGPTN`. Swift cannot import these macros.
    private static let setLock: UInt = 0x4004_5431
    private static let getNumber: UInt = 0x8004_5430

    struct Failure: Error {
        let what: String
        let error: Int32
    }

    init(columns: Int) throws {
        master = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK)
        var isLocked: Int32 = 0
        var number: UInt32 = 0
        guard master >= 0, ioctl(master, Self.setLock, &isLocked) == 0, ioctl(master, Self.getNumber, &number) == 0
        else { throw Failure(what: "open a pseudo terminal", error: errno) }
        path = "/dev/pts/\(number)"
        slave = open(path, O_RDWR | O_NOCTTY | O_CLOEXEC)
        var size = winsize(ws_row: 24, ws_col: UInt16(columns), ws_xpixel: 0, ws_ypixel: 0)
        var settings = termios()
        guard slave >= 0, ioctl(slave, UInt(TIOCSWINSZ), &size) == 0, tcgetattr(slave, &settings) == 0 else {
            throw Failure(what: "set up \(path)", error: errno)
        }
        // Line breaks stay as the program writes them.
        settings.c_oflag &= ~tcflag_t(OPOST)
        guard tcsetattr(slave, TCSANOW, &settings) == 0 else { throw Failure(what: "set up \(path)", error: errno) }
        // A terminal buffers little, so a thread reads it while the program writes.
        reading.enter()
        Thread.detachNewThread { [self] in
            repeat { receive() } while !isOver.withLock { $0 }
            receive()
            reading.leave()
        }
    }

    deinit {
        close(slave)
        close(master)
    }

    /// Reads all bytes that wait. If there are none, this method waits at most 10 milliseconds for some.
    private func receive() {
        var waiting = pollfd(fd: master, events: Int16(POLLIN), revents: 0)
        var buffer = [UInt8](repeating: 0, count: 4_096)
        while poll(&waiting, 1, 10) > 0 {
            let count = read(master, &buffer, buffer.count)
            guard count > 0 else { return }
            received.withLock { $0 += buffer[..<count] }
        }
    }

    /// All text that was written. Call this after the last writer has ended.
    func text() -> String {
        isOver.withLock { $0 = true }
        reading.wait()
        return String(decoding: received.withLock { $0 }, as: UTF8.self)
    }
}

extension Shop {
    /// Runs a line of shell in the directory. Standard output is a terminal and, with `withErrors`, so is standard error.
    func onTerminal(
        _ line: String, columns: Int = 80, withErrors: Bool = false
    ) throws -> (text: String, outcome: Outcome) {
        let terminal = try Terminal(columns: columns)
        let result = Result { try shell("{ \(line); } > \(terminal.path)\(withErrors ? " 2>&1" : "")") }
        return (terminal.text(), try result.get())
    }
}
