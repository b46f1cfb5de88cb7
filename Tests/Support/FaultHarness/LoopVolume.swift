#if os(Linux)
    public import Foundation

    /// A small volume of a kind that disks have, in a file, to be unmounted and mounted again. Mounting it needs root and a
    /// loop device.
    public final class LoopVolume: Sendable {
        /// Why there is no such volume here.
        public struct Unavailable: Error, CustomStringConvertible {
            /// The reason, fit for a skipped test.
            public let description: String
        }

        /// Where it is mounted.
        public let url: URL
        private let directory: TemporaryDirectory
        private let image: URL

        /// Makes a volume of 48 MiB with the file system ext4 and mounts it.
        ///
        /// - Throws: ``Unavailable`` if that is not possible.
        public init() throws {
            directory = try TemporaryDirectory("tidelog-volume")
            (url, image) = (directory.file("mounted"), directory.file("image"))
            try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
            guard FileManager.default.createFile(atPath: image.path, contents: Data(count: 48 << 20)) else {
                throw Unavailable(description: "there is no space for a volume")
            }
            try Self.run("mkfs.ext4", "-q", "-F", "-E", "root_owner=0:0", image.path)
            try mount()
        }

        /// Why there can be no volume here, or nil if there can.
        public static func unavailability() -> String? {
            do {
                _ = try LoopVolume()
                return nil
            } catch {
                return "\(error)"
            }
        }

        /// Mounts it.
        public func mount() throws { try Self.run("mount", "-o", "loop", image.path, url.path) }

        /// Unmounts it; what was not synced is written before.
        public func unmount() throws { try Self.run("umount", url.path) }

        /// Unmounts it and mounts it again, without what was not written to it before: as where a disk is pulled.
        public func loseUnsyncedPages() throws {
            let written = try Data(contentsOf: image)
            try unmount()
            try written.write(to: image)
            try mount()
        }

        /// Shows it at `other` too.
        public func bind(to other: URL) throws { try Self.run("mount", "--bind", url.path, other.path) }

        /// Ends what ``bind(to:)`` began.
        public static func unbind(_ other: URL) throws { try run("umount", other.path) }

        private static func run(_ tool: String, _ arguments: String...) throws {
            let path = ["/usr/sbin/", "/usr/bin/", "/sbin/", "/bin/"].map { $0 + tool }.first {
                FileManager.default.isExecutableFile(atPath: $0)
            }
            guard let path else { throw Unavailable(description: "there is no \(tool) here") }
            let child = try ChildProcess(URL(fileURLWithPath: path), arguments)
            guard try child.wait() == .exited(0) else {
                throw Unavailable(description: "\(tool) is not possible here: \(child.errorText)")
            }
        }

        deinit { try? Self.run("umount", "-l", url.path) }
    }
#endif
