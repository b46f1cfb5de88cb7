#if os(Linux)
    import Dispatch
    import Foundation
    import Glibc

    /// Appends records to `log/records`.
    struct FileVictim {
        enum Habit {
            case synced, acknowledgedEarly, neverSynced, selfSynced
        }

        private let directory: String
        private let habit: Habit
        private let syncsDirectories: Bool

        init(_ directory: String, _ habit: Habit, syncsDirectories: Bool = true) {
            self.directory = directory
            self.habit = habit
            self.syncsDirectories = syncsDirectories
        }

        /// Runs `threads` victims at the same time, each in its own directory, and prints `ack THREAD RECORD`.
        static func runThreads(_ threads: Int, _ directory: String, _ count: Int) throws {
            for thread in 0..<threads { try VictimError.check(mkdir("\(directory)/\(thread)", 0o700)) }
            DispatchQueue.concurrentPerform(iterations: threads) { thread in
                do {
                    try FileVictim("\(directory)/\(thread)", .synced).run(count, prefix: "\(thread) ")
                } catch {
                    Victim.acknowledge("error \(error)")
                }
            }
        }

        func run(_ count: Int, prefix: String = "") throws {
            try VictimError.check(mkdir(directory + "/log", 0o700))
            let flags = O_WRONLY | O_CREAT | (habit == .selfSynced ? O_DSYNC : 0)
            let file = try VictimError.check(open(directory + "/log/records", flags, 0o600))
            if syncsDirectories {
                try sync(directory + "/log")
                try sync(directory)
            }
            for number in 0..<count {
                let record = Victim.record(number)
                var done = 0
                while done < record.count {
                    let written = record[done...].withUnsafeBytes { write(file, $0.baseAddress, $0.count) }
                    done += Int(try VictimError.check(Int32(written)))
                }
                if habit == .acknowledgedEarly { Victim.acknowledge("ack \(prefix)\(number)") }
                if habit == .synced || habit == .acknowledgedEarly { try VictimError.check(fsync(file)) }
                if habit != .acknowledgedEarly { Victim.acknowledge("ack \(prefix)\(number)") }
            }
            close(file)
        }

        private func sync(_ path: String) throws {
            let opened = try VictimError.check(open(path, O_RDONLY | O_DIRECTORY))
            try VictimError.check(fsync(opened))
            close(opened)
        }
    }

    /// Replaces the file `state` again and again by renaming a new file.
    struct RenameVictim {
        private let directory: String

        init(_ directory: String) {
            self.directory = directory
        }

        func run(_ count: Int) throws {
            for number in 0..<count {
                let file = try VictimError.check(open(directory + "/state.new", O_WRONLY | O_CREAT | O_TRUNC, 0o600))
                let record = Victim.record(number)
                try VictimError.check(Int32(write(file, record, record.count)))
                try VictimError.check(fsync(file))
                close(file)
                try VictimError.check(rename(directory + "/state.new", directory + "/state"))
                let opened = try VictimError.check(open(directory, O_RDONLY | O_DIRECTORY))
                try VictimError.check(fsync(opened))
                close(opened)
                Victim.acknowledge("ack \(number)")
            }
        }
    }

    /// Writes files through Foundation and prints lines in the way that applications do.
    struct FoundationVictim {
        private let directory: URL

        init(_ directory: String) {
            self.directory = URL(fileURLWithPath: directory)
        }

        func run(_ count: Int) throws {
            let folder = directory.appendingPathComponent("folder")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            for number in 0..<count {
                let file = folder.appendingPathComponent("\(number)")
                try Data(Victim.record(number)).write(to: file, options: number % 2 == 0 ? .atomic : [])
                if number % 3 == 2 {
                    try FileManager.default.removeItem(at: file)
                } else {
                    try FileManager.default.copyItem(at: file, to: folder.appendingPathComponent("\(number)-copy"))
                    try FileManager.default.moveItem(at: file, to: folder.appendingPathComponent("\(number)-moved"))
                }
                let handle = try FileHandle(forWritingTo: try empty(folder.appendingPathComponent("handle-\(number)")))
                try handle.write(contentsOf: Data(Victim.record(number)))
                try handle.truncate(atOffset: 100)
                try handle.synchronize()
                try handle.close()
                print("ack \(number)")
            }
        }

        private func empty(_ file: URL) throws -> URL {
            try Data().write(to: file)
            return file
        }
    }
#endif
