#if os(Linux)
    public import Foundation
    import Glibc

    /// A small file system in memory, for tests with too little space. Mounting it needs root.
    public final class TemporaryFilesystem: Sendable {
        /// The error that says why no such file system can be mounted.
        public struct Unavailable: Error, CustomStringConvertible {
            /// The reason, in a form for a skipped test.
            public let description: String
        }

        /// The directory where the file system is mounted.
        public let url: URL
        private let mountPoint: TemporaryDirectory

        /// Mounts a file system of `size` bytes, rounded up to pages, in a new directory in `folder`.
        ///
        /// - Throws: ``Unavailable`` if mounting is not permitted.
        public init(size: Int, in folder: URL = FileManager.default.temporaryDirectory) throws {
            mountPoint = try TemporaryDirectory("tidelog-tmpfs", in: folder)
            url = mountPoint.url
            guard mount("tmpfs", url.path, "tmpfs", UInt(MS_NOSUID | MS_NODEV), "size=\(size),mode=0700") == 0 else {
                let reason = String(cString: strerror(errno))
                throw Unavailable(description: "mounting a tmpfs is not possible here: \(reason)")
            }
        }

        /// The reason why mounting is not possible here; `nil` if it is possible.
        public static func unavailability() -> String? {
            do {
                _ = try TemporaryFilesystem(size: 65536)
                return nil
            } catch {
                return "\(error)"
            }
        }

        /// The number of free bytes.
        public func freeBytes() -> Int {
            var status = statvfs()
            guard statvfs(url.path, &status) == 0 else { return 0 }
            return Int(status.f_bavail) * Int(status.f_frsize)
        }

        /// Makes the directory refuse every change from now on.
        ///
        /// A second mount, which is read-only, covers the first. The first mount cannot become read-only while a file is open
        /// for writing, and a process that another test starts now may have inherited such a file.
        public func makeReadOnly() throws {
            guard mount(url.path, url.path, nil, UInt(MS_BIND), nil) == 0 else { throw Self.remountingFailed() }
            guard mount(nil, url.path, nil, UInt(MS_REMOUNT | MS_BIND | MS_RDONLY), nil) == 0 else {
                let failure = Self.remountingFailed()
                _ = umount2(url.path, Int32(MNT_DETACH))
                throw failure
            }
        }

        private static func remountingFailed() -> Unavailable {
            Unavailable(description: "remounting is not possible here: \(String(cString: strerror(errno)))")
        }

        deinit {
            // A lazy unmount frees the name even if a remaining process still uses the file system. The loop
            // unmounts both mounts if there are two.
            while umount2(url.path, Int32(MNT_DETACH)) == 0 {}
        }
    }
#endif
