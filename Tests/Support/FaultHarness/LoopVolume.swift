#if os(Linux)
    public import Foundation

    /// A small volume in a file, with a file system that disks commonly have. It can be unmounted and mounted again. Mounting
    /// it needs root and a loop device.
    public final class LoopVolume: Sendable {
        /// The error that says why no such volume can be made.
        public struct Unavailable: Error, CustomStringConvertible {
            /// The reason, in a form for a skipped test.
            public let description: String
        }

        /// The directory where the volume is mounted.
        public let url: URL
        private let directory: TemporaryDirectory
        private let image: URL

        /// Makes a volume of `byteCount` bytes with the file system ext4, and mounts it.
        ///
        /// - Throws: ``Unavailable`` if the volume cannot be made.
        public init(byteCount: Int = 48 << 20) throws {
            directory = try TemporaryDirectory("tidelog-volume")
            (url, image) = (directory.file("mounted"), directory.file("image"))
            try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
            guard FileManager.default.createFile(atPath: image.path, contents: nil) else {
                throw Unavailable(description: "there is no space for a volume")
            }
            try FileHandle(forWritingTo: image).truncate(atOffset: UInt64(byteCount))
            try Self.run("mkfs.ext4", "-q", "-F", "-E", "root_owner=0:0", image.path)
            try mount()
        }

        /// The reason why no volume can be made here; `nil` if it can.
        public static func unavailability() -> String? {
            do {
                _ = try LoopVolume()
                return nil
            } catch {
                return "\(error)"
            }
        }

        /// Mounts the volume.
        public func mount() throws { try Self.run("mount", "-o", "loop", image.path, url.path) }

        /// Unmounts the volume. Unsynced data is written before.
        public func unmount() throws { try Self.run("umount", url.path) }

        /// Unmounts the volume and mounts it again without the data that was not written to it. This is what happens when a
        /// disk is pulled out.
        public func loseUnsyncedPages() throws {
            let written = try Data(contentsOf: image)
            try unmount()
            try written.write(to: image)
            try mount()
        }

        /// Makes the volume visible at `other` too.
        public func bind(to other: URL) throws { try Self.run("mount", "--bind", url.path, other.path) }

        /// Removes the mount that ``bind(to:)`` made.
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
