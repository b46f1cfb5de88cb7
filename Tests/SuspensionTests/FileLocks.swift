#if os(Linux)
    import Foundation

    /// The locks of this process on the files of a directory, as lines of `/proc/locks`.
    func fileLocks(in directory: URL) throws -> [String] {
        let files = FileManager.default.enumerator(atPath: directory.path)?.allObjects as? [String] ?? []
        let inodes = try Set(
            ([""] + files).map { name in
                let attributes = try FileManager.default.attributesOfItem(atPath: directory.path + "/" + name)
                return (attributes[.systemFileNumber] as? Int).map(String.init) ?? ""
            })
        let lines = try String(contentsOfFile: "/proc/locks", encoding: .utf8).split(separator: "\n")
        return lines.filter { line in
            // 1: FLOCK  ADVISORY  WRITE 4711 08:02:523611 0 EOF
            let columns = line.split(separator: " ")
            guard let file = columns.first(where: { $0.count { $0 == ":" } == 2 }) else { return false }
            return columns.contains("\(getpid())")
                && file.split(separator: ":").last.map { inodes.contains(String($0)) } ?? false
        }.map(String.init)
    }
#endif
