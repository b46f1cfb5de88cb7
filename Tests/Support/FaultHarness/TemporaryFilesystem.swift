#if os(Linux)
    public import Foundation
    import Glibc

    /// A small file system in memory, to run out of space on. Mounting one needs root.
    public final class TemporaryFilesystem: Sendable {
        /// Why there is no such file system here.
        public struct Unavailable: Error, CustomStringConvertible {
            /// The reason, fit for a skipped test.
            public let description: String
        }

        /// Where it is mounted.
        public let url: URL
        private let mountPoint: TemporaryDirectory

        /// Mounts a file system of `size` bytes, rounded up to pages.
        ///
        /// - Throws: ``Unavailable`` if mounting is not permitted.
        public init(size: Int) throws {
            mountPoint = try TemporaryDirectory("tidelog-tmpfs")
            url = mountPoint.url
            guard mount("tmpfs", url.path, "tmpfs", UInt(MS_NOSUID | MS_NODEV), "size=\(size),mode=0700") == 0 else {
                let reason = String(cString: strerror(errno))
                throw Unavailable(description: "mounting a tmpfs is not possible here: \(reason)")
            }
        }

        /// Why mounting is not possible here, or nil if it is.
        public static func unavailability() -> String? {
            do {
                _ = try TemporaryFilesystem(size: 65536)
                return nil
            } catch {
                return "\(error)"
            }
        }

        /// How many bytes are free.
        public func freeBytes() -> Int {
            var status = statvfs()
            guard statvfs(url.path, &status) == 0 else { return 0 }
            return Int(status.f_bavail) * Int(status.f_frsize)
        }

        /// Refuses every change from now on.
        public func makeReadOnly() throws {
            guard mount("tmpfs", url.path, "tmpfs", UInt(MS_REMOUNT | MS_RDONLY), "") == 0 else {
                throw Unavailable(description: "remounting is not possible here: \(String(cString: strerror(errno)))")
            }
        }

        deinit {
            // Lazily: a process that was left behind does not keep the name.
            _ = umount2(url.path, Int32(MNT_DETACH))
        }
    }
#endif
