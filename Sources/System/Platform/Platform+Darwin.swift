#if canImport(Darwin)
    // The declarations are described in `Platform+Linux.swift`.
    extension Platform {
        package static var currentThread: UInt { UInt(bitPattern: pthread_self()) }

        static func createThread(
            _ attributes: UnsafePointer<pthread_attr_t>, _ work: UnsafeMutableRawPointer
        ) -> Int32 {
            var thread: pthread_t?
            return pthread_create(
                &thread, attributes,
                { pointer in
                    ThreadWork.run(pointer)
                    return nil
                }, work)
        }
    }

    extension Platform {
        // `O_DSYNC` does not empty the cache of the device.
        package static let durableWriteFlag: Int32 = 0
        package static let synchronousWritesAreDurable = false

        package static func synchronize(_ file: Int32) -> Int32 {
            if fcntl(file, F_FULLFSYNC) == 0 { return 0 }
            // Some volumes do not have this call. After any other error the data may be lost, so nothing is tried again.
            return errno == ENOTSUP || errno == ENOTTY || errno == EINVAL ? fsync(file) : -1
        }

        package static func synchronizeWrites(_ file: Int32) -> Int32 { synchronize(file) }

        package static func setDirect(_ file: Int32, _ isDirect: Bool) -> Bool { !isDirect }

        package static func modificationTime(_ status: stat) -> timespec { status.st_mtimespec }

        package static func lengthen(_ file: Int32, from end: off_t, by count: off_t) -> Int32 {
            var store = fstore_t(
                fst_flags: UInt32(F_ALLOCATEALL), fst_posmode: F_PEOFPOSMODE, fst_offset: 0, fst_length: count,
                fst_bytesalloc: 0)
            if fcntl(file, F_PREALLOCATE, &store) != -1, ftruncate(file, end + count) == 0 { return 0 }
            return errno == ENOTSUP ? EOPNOTSUPP : errno
        }

        package static func reserve(_ byteCount: Int64, of file: Int32) -> Int32 { EOPNOTSUPP }
    }

    extension Platform {
        package static func keepsMapsConsistent(_ path: String) -> Bool? {
            var volume = statfs()
            guard statfs(path, &volume) == 0 else { return nil }
            return volume.f_flags & UInt32(MNT_LOCAL) != 0
        }

        package static func text(ofDevice number: dev_t) -> String { "\(number)" }

        package static func mounts(of directory: String, device: String) -> Set<String> {
            var volume = statfs()
            guard statfs(directory, &volume) == 0 else { return [] }
            return ["volume=\(volume.f_fsid.val.0).\(volume.f_fsid.val.1)"]
        }
    }

    extension Platform {
        package static let systemStart: String? = {
            var text = [UInt8](repeating: 0, count: 64)
            var count = text.count
            if sysctlbyname("kern.bootsessionuuid", &text, &count, nil, 0) == 0, text[0] != 0 {
                return String(decoding: text.prefix { $0 != 0 }, as: UTF8.self)
            }
            // The time of the start in microseconds. It changes if the clock is set, and then nothing unsynced is trusted.
            var time = timeval()
            count = MemoryLayout<timeval>.size
            guard sysctlbyname("kern.boottime", &time, &count, nil, 0) == 0, time.tv_sec > 0 else { return nil }
            return "time:\(time.tv_sec).\(time.tv_usec)"
        }()
    }

    extension Platform {
        package typealias SpawnActions = posix_spawn_file_actions_t?
        package typealias SpawnAttributes = posix_spawnattr_t?

        package static var emptySpawnActions: SpawnActions { nil }
        package static var emptySpawnAttributes: SpawnAttributes { nil }
        package static let openFiles = RLIMIT_NOFILE
        package static let streamSocket = SOCK_STREAM
    }
#endif
