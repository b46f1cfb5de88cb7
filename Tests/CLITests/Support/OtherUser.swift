import FaultHarness
import Foundation

/// A user without the permissions of the superuser. The tests of permissions run commands as this user.
enum OtherUser {
    private static let setpriv = URL(fileURLWithPath: "/usr/bin/setpriv")
    private static let number = 65_534

    /// The folder for stores that the other user reads. The folder that `TMPDIR` names may be closed to other users.
    static let folder = URL(fileURLWithPath: "/tmp")

    /// The reason why tests cannot run commands as another user; `nil` if they can.
    static let unavailability: String? = {
        guard geteuid() == 0 else { return "only the superuser may run commands as another user" }
        guard FileManager.default.isExecutableFile(atPath: setpriv.path) else { return "setpriv is missing" }
        let outcome = try? run(["--version"])
        return outcome?.status == 0 ? nil : "the other user cannot run the tool: \(outcome?.errors ?? "")"
    }()

    /// Starts the tool as the other user.
    static func start(_ arguments: [String]) throws -> ChildProcess {
        let user = ["--reuid=\(number)", "--regid=\(number)", "--clear-groups"]
        return try ChildProcess(setpriv, user + [Tool.url().path] + arguments, environment: ["TIDELOG_STORE": ""])
    }

    /// Runs the tool as the other user.
    static func run(_ arguments: [String]) throws -> Outcome { try Tool.finish(start(arguments)) }

    /// Makes the other user the owner of everything at `url`.
    static func own(_ url: URL) throws {
        for file in try contents(url) where lchown(file, uid_t(number), gid_t(number)) != 0 {
            throw CocoaError(.fileWriteNoPermission)
        }
    }

    /// Sets the permissions of everything at `url`.
    static func allow(_ url: URL, directories: mode_t, files: mode_t) throws {
        for file in try contents(url) {
            var isDirectory: ObjCBool = false
            _ = FileManager.default.fileExists(atPath: file, isDirectory: &isDirectory)
            guard chmod(file, isDirectory.boolValue ? directories : files) == 0 else {
                throw CocoaError(.fileWriteNoPermission)
            }
        }
    }

    /// Each file at `url` with its size, owner and time of the last change.
    static func state(_ url: URL) throws -> [String: [Int]] {
        var state: [String: [Int]] = [:]
        for file in try contents(url) {
            var status = stat()
            guard lstat(file, &status) == 0 else { continue }
            state[file] = [
                Int(status.st_size), Int(status.st_uid), Int(status.st_mtim.tv_sec), Int(status.st_mtim.tv_nsec),
            ]
        }
        return state
    }

    private static func contents(_ url: URL) throws -> [String] {
        [url.path] + (try FileManager.default.subpathsOfDirectory(atPath: url.path)).map { "\(url.path)/\($0)" }
    }
}
