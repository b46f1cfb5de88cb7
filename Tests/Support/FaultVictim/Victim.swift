#if os(Linux)
    import Foundation
    import Glibc

    /// A small program that the fault injection is tested with: `FaultVictim MODE DIRECTORY COUNT`.
    ///
    /// It prints a line `ack N` when it considers record N durable, and `error ERRNO` if a call failed.
    @main
    enum Victim {
        static let recordSize = 600

        static func main() {
            let arguments = CommandLine.arguments
            guard arguments.count == 4, let count = Int(arguments[3]) else { exit(64) }
            let directory = arguments[2]
            do {
                switch arguments[1] {
                case "append": try FileVictim(directory, .synced).run(count)
                case "append-early": try FileVictim(directory, .acknowledgedEarly).run(count)
                case "append-forgetful": try FileVictim(directory, .neverSynced).run(count)
                case "append-dsync": try FileVictim(directory, .selfSynced).run(count)
                case "append-nameless": try FileVictim(directory, .synced, syncsDirectories: false).run(count)
                case "append-threads": try FileVictim.runThreads(8, directory, count)
                case "rename": try RenameVictim(directory).run(count)
                case "foundation": try FoundationVictim(directory).run(count)
                case "lmdb": try LMDBVictim(directory, flags: 0).run(count)
                case "lmdb-nosync": try LMDBVictim(directory, flags: LMDBVictim.noSync).run(count)
                case "lmdb-nometasync": try LMDBVictim(directory, flags: LMDBVictim.noMetaSync).run(count)
                case "lmdb-count": acknowledge("count \(try LMDBVictim(directory, flags: 0).count())")
                case "lmdb-readers":
                    try LMDBVictim(directory, flags: LMDBVictim.noThreadSlots).registerReaders()
                case "sqlite": try SQLiteVictim(directory).run(count)
                case "sqlite-count": acknowledge("count \(try SQLiteVictim(directory).count())")
                default: exit(64)
                }
            } catch let error as VictimError {
                acknowledge("error \(error.number)")
                exit(1)
            } catch {
                acknowledge("error \(error)")
                exit(1)
            }
        }

        /// Prints a line without buffering.
        static func acknowledge(_ line: String) {
            let bytes = Array((line + "\n").utf8)
            _ = write(output, bytes, bytes.count)
        }

        // The output is the named file if there is one, and otherwise standard output.
        private static let output: Int32 = {
            guard let path = ProcessInfo.processInfo.environment["VICTIM_OUTPUT"] else { return 1 }
            return open(path, O_WRONLY | O_CREAT | O_APPEND, 0o600)
        }()

        /// The bytes of a record: its number, repeated.
        static func record(_ number: Int) -> [UInt8] {
            let text = Array("\(number) ".utf8)
            return (0..<recordSize).map { text[$0 % text.count] }
        }
    }

    struct VictimError: Error {
        let number: Int32

        /// Throws the error of `errno` if a call returned a negative number.
        @discardableResult
        static func check(_ result: Int32) throws -> Int32 {
            if result < 0 { throw VictimError(number: errno) }
            return result
        }
    }
#else
    @main
    enum Victim {
        static func main() {}
    }
#endif
