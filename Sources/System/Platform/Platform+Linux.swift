#if !canImport(Darwin)
    internal import CMount
    package import CSystem

    // Threads.
    extension Platform {
        /// A number of the calling thread, which no other running thread has.
        package static var currentThread: UInt {
            #if canImport(Glibc)
                UInt(pthread_self())
            #else
                UInt(bitPattern: pthread_self())
            #endif
        }

        /// Creates a thread that runs the work that `work` leads to. Returns 0 or the error of `pthread_create`.
        static func createThread(
            _ attributes: UnsafePointer<pthread_attr_t>, _ work: UnsafeMutableRawPointer
        ) -> Int32 {
            var thread = pthread_t()
            return pthread_create(
                &thread, attributes,
                { pointer in
                    ThreadWork.run(pointer)
                    return nil
                }, work)
        }
    }

    // Files.
    extension Platform {
        /// The flag of `open` with which each write of a file is on the device before it returns, 0 if the system has none.
        package static let durableWriteFlag = O_DSYNC

        /// Whether a write with the system's own flag for synchronous writes is on the device before it returns.
        package static let synchronousWritesAreDurable = true

        /// Writes all data of a file or directory to the device. Returns 0, or -1 with `errno`.
        package static func synchronize(_ file: Int32) -> Int32 { fsync(file) }

        /// Makes the last writes of a file durable that was opened with ``durableWriteFlag``. Returns 0, or -1 with `errno`.
        package static func synchronizeWrites(_ file: Int32) -> Int32 { 0 }

        /// Makes writes of a file go from the caller's memory to the device, or through the system's memory again. Returns
        /// whether the file system can do it.
        package static func setDirect(_ file: Int32, _ isDirect: Bool) -> Bool {
            tidelog_set_direct(file, isDirect)
        }

        /// The time of the last change of a file.
        package static func modificationTime(_ status: stat) -> timespec { status.st_mtim }

        /// Makes a file `count` bytes longer than `end`, and reserves disk space for them. Returns 0 or the error of the
        /// system. The error is `EOPNOTSUPP` if the file system cannot reserve space.
        package static func lengthen(_ file: Int32, from end: off_t, by count: off_t) -> Int32 {
            let error = posix_fallocate(file, end, count)
            return error == EINVAL ? EOPNOTSUPP : error
        }

        /// Reserves disk space for the first `byteCount` bytes of a file. Returns 0 or the error of the system. The error is
        /// `EOPNOTSUPP` if the file system cannot reserve space.
        package static func reserve(_ byteCount: Int64, of file: Int32) -> Int32 {
            while tidelog_allocate(file, byteCount) != 0 {
                if errno == ENOSYS { return EOPNOTSUPP }
                guard errno == EINTR else { return errno }
            }
            return 0
        }
    }

    // Volumes.
    extension Platform {
        /// Whether the volume of `path` keeps maps and locks consistent between its users, `nil` with `errno` if that is
        /// unknown.
        package static func keepsMapsConsistent(_ path: String) -> Bool? {
            var volume = statfs()
            guard statfs(path, &volume) == 0 else { return nil }
            return !isForeign(fileSystemType: UInt32(truncatingIfNeeded: volume.f_type))
        }

        /// Whether a file system type (statfs(2), f_type) does not keep maps and locks consistent between its users.
        package static func isForeign(fileSystemType: UInt32) -> Bool {
            switch fileSystemType {
            case 0x6969,  // NFS
                0x517B, 0xFE53_4D42, 0xFF53_4D42,  // SMB, SMB2, CIFS
                0x6573_5546,  // FUSE
                0x0102_1997,  // 9P
                0x5346_414F, 0x00C3_6400, 0x7375_7245, 0x564C:  // AFS, Ceph, Coda, NCP
                true
            default: false
            }
        }

        /// A text for the number of a device.
        package static func text(ofDevice number: dev_t) -> String {
            let device = UInt64(number)
            return "\((device >> 8) & 0xFFF | (device >> 32) & ~0xFFF):\(device & 0xFF | (device >> 12) & ~0xFF)"
        }

        /// Identifiers of the mount of the volume of `directory`, which is on the device with the text `device`. Each of them
        /// tells the mount from every other mount since the start of the system.
        package static func mounts(of directory: String, device: String) -> Set<String> {
            var mounts = Set<String>()
            let number = tidelog_mount_number(directory)
            if number != 0 { mounts.insert("mount=\(number)") }
            if let fileSystem = mountedFileSystem(device) { mounts.insert(fileSystem) }
            if tidelog_is_volume_in_memory(directory) { mounts.insert("memory") }
            return mounts
        }

        /// An identifier of the mount from `/sys`: the file system's directory there and its inode number, which is not
        /// used again. Some file systems have such a directory while they are mounted. Processes in containers, which
        /// see the volume through other mounts, get the same identifier.
        private static func mountedFileSystem(_ device: String) -> String? {
            guard let target = realpath("/sys/dev/block/\(device)", nil) else { return nil }
            defer { free(target) }
            let name = String(cString: target).split { $0 == "/" }.last ?? ""
            for type in ["ext4", "xfs", "f2fs"] {
                var status = stat()
                if stat("/sys/fs/\(type)/\(name)", &status) == 0 { return "\(type)=\(status.st_ino)" }
            }
            return nil
        }

        /// Whether the volume of `path` exists only in memory, so that its contents are lost when it is unmounted.
        package static func isInMemory(_ path: String) -> Bool { tidelog_is_volume_in_memory(path) }
    }

    // The operating system.
    extension Platform {
        /// The identifier of the present start of the operating system, `nil` if there is none. Where the system does not show
        /// its own identifier, it is a mark in memory.
        package static let systemStart: String? = {
            var bytes = [UInt8](repeating: 0, count: 64)
            let file = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC)
            if file >= 0 {
                let count = read(file, into: &bytes)
                close(file)
                let line = bytes.prefix(max(count, 0)).prefix { $0 != UInt8(ascii: "\n") }
                let text = String(decoding: line, as: UTF8.self)
                if !text.isEmpty { return text }
            }
            return MemoryMark.text(in: "/dev/shm")
        }()
    }

    // Processes.
    extension Platform {
        package typealias SpawnActions = posix_spawn_file_actions_t
        package typealias SpawnAttributes = posix_spawnattr_t

        /// The value of a variable before `posix_spawn_file_actions_init`.
        package static var emptySpawnActions: SpawnActions { SpawnActions() }

        /// The value of a variable before `posix_spawnattr_init`.
        package static var emptySpawnAttributes: SpawnAttributes { SpawnAttributes() }

        #if canImport(Glibc)
            /// The first argument of `getrlimit` for the number of open files.
            package static let openFiles = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
            /// The type of a socket for a stream. Child processes do not inherit it where the system can do that.
            package static let streamSocket = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        #else
            package static let openFiles = RLIMIT_NOFILE
            package static let streamSocket = SOCK_STREAM | SOCK_CLOEXEC
        #endif
    }
#endif
