import Foundation
import Testing
import TidelogLMDB
import TidelogPlatform

@Suite("Unsafe paths")
struct UnsafePathTests {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func open(_ path: String) throws { _ = try Environment(directory: path, options: quick) }

    @Test("A symbolic link to a directory is refused, with and without a slash at its end")
    func linkedDirectory() throws {
        let link = scratch.path + "/link"
        try Environment.createDirectory(scratch.path + "/target")
        #expect(symlink(scratch.path + "/target", link) == 0)
        for path in [link, link + "/", link + "//"] { #expect(code { try open(path) } == .unsafePath) }
        try open(scratch.path + "/target/")
    }

    @Test(
        "A file of the environment that is a symbolic link is refused and not followed, for any target",
        arguments: ["data.mdb", "lock.mdb", "open.lock"])
    func linkedFile(name: String) throws {
        for target in ["/elsewhere", "/missing"] {
            let (link, target) = (scratch.path + "/" + name, scratch.path + target)
            if target.hasSuffix("elsewhere") { #expect(FileManager.default.createFile(atPath: target, contents: nil)) }
            #expect(symlink(target, link) == 0)
            #expect(code { try open(scratch.path) } == .unsafePath)
            #expect(unlink(link) == 0)
        }
        #expect(!FileManager.default.fileExists(atPath: scratch.path + "/missing"))
        try open(scratch.path)
    }

    @Test(
        "A file of the environment that is a directory or a pipe is refused",
        arguments: ["data.mdb", "lock.mdb", "open.lock"])
    func irregularFile(name: String) throws {
        let path = scratch.path + "/" + name
        #expect(mkdir(path, 0o700) == 0)
        #expect(code { try open(scratch.path) } == .unsafePath)
        #expect(rmdir(path) == 0 && mkfifo(path, 0o600) == 0)
        #expect(code { try open(scratch.path) } == .unsafePath)
    }

    @Test("A directory that other users may write to is refused")
    func writableByOthers() throws {
        for mode in [0o777, 0o1777, 0o702, 0o720, 0o775, 0o2770] as [mode_t] {
            #expect(chmod(scratch.path, mode) == 0)
            #expect(code { try open(scratch.path) } == .unsafePath)
        }
        #expect(chmod(scratch.path, 0o755) == 0)
        try open(scratch.path)
    }

    @Test("A directory of another user is refused", .enabled(if: geteuid() == 0, "only root can give files away"))
    func anotherUser() throws {
        #expect(chown(scratch.path, 65_534, 65_534) == 0)
        #expect(code { try open(scratch.path) } == .unsafePath)
    }

    @Test("A path to a file, a path to a missing directory and an empty path are refused")
    func noDirectory() throws {
        let file = scratch.path + "/file"
        #expect(FileManager.default.createFile(atPath: file, contents: nil))
        #expect(code { try open(file) } == .unsafePath)
        #expect(code { try open(scratch.path + "/missing") } == .fileNotFound)
        #expect(code { try open("") } == .unsafePath)
        #expect(code { try open(scratch.path + "\0/etc") } == .unsafePath)
    }

    @Test("Network and user-space file systems are distinguished from local ones by their type")
    func fileSystems() {
        for type in [0x6969, 0x517B, 0xFE53_4D42, 0xFF53_4D42, 0x6573_5546, 0x0102_1997] as [UInt32] {
            #expect(Platform.isForeign(fileSystemType: type))
        }
        // The types of ext4, XFS, Btrfs, tmpfs, overlayfs, F2FS and ZFS.
        for type in [0xEF53, 0x5846_5342, 0x9123_683E, 0x0102_1994, 0x794C_7630, 0xF2F5_2010, 0x2FC1_2FC1] as [UInt32] {
            #expect(!Platform.isForeign(fileSystemType: type))
        }
    }
}
