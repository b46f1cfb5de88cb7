// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// Declarations of Apple's C library that code of this package uses, with the SDK's types. Everything else is the C library of
// this system, which has the same calls.
@_exported public import DarwinTypes

// <sys/fcntl.h>
public var F_FULLFSYNC: Int32 { 51 }
public var F_PREALLOCATE: Int32 { 42 }
public var F_ALLOCATEALL: Int32 { 4 }
public var F_PEOFPOSMODE: Int32 { 3 }

public struct fstore_t {
    public var fst_flags: UInt32
    public var fst_posmode: Int32
    public var fst_offset: off_t
    public var fst_length: off_t
    public var fst_bytesalloc: off_t

    public init(fst_flags: UInt32, fst_posmode: Int32, fst_offset: off_t, fst_length: off_t, fst_bytesalloc: off_t) {
        self.fst_flags = fst_flags
        self.fst_posmode = fst_posmode
        self.fst_offset = fst_offset
        self.fst_length = fst_length
        self.fst_bytesalloc = fst_bytesalloc
    }
}

public func fcntl(_ file: Int32, _ command: Int32, _ pointer: UnsafeMutableRawPointer) -> Int32 { -1 }

// <sys/stat.h>
public func stat(_ path: UnsafePointer<CChar>, _ status: UnsafeMutablePointer<stat>) -> Int32 { -1 }
public func lstat(_ path: UnsafePointer<CChar>, _ status: UnsafeMutablePointer<stat>) -> Int32 { -1 }
public func fstat(_ file: Int32, _ status: UnsafeMutablePointer<stat>) -> Int32 { -1 }

public var S_IFMT: mode_t { 0o170000 }
public var S_IFDIR: mode_t { 0o040000 }
public var S_IFREG: mode_t { 0o100000 }
public var S_IFLNK: mode_t { 0o120000 }
public var S_IWGRP: mode_t { 0o020 }
public var S_IWOTH: mode_t { 0o002 }

// <sys/mount.h>
public func statfs(_ path: UnsafePointer<CChar>, _ volume: UnsafeMutablePointer<statfs>) -> Int32 { -1 }

public var MNT_LOCAL: Int32 { 0x1000 }

// <sys/statvfs.h>
public func statvfs(_ path: UnsafePointer<CChar>, _ volume: UnsafeMutablePointer<statvfs>) -> Int32 { -1 }

// <sys/sysctl.h>
public func sysctlbyname(
    _ name: UnsafePointer<CChar>, _ value: UnsafeMutableRawPointer?, _ count: UnsafeMutablePointer<Int>?,
    _ newValue: UnsafeMutableRawPointer?, _ newCount: Int
) -> Int32 { -1 }

public struct timeval {
    public var tv_sec: Int
    public var tv_usec: Int32

    public init() { fatalError("declared only") }
}

// <pthread.h>
public typealias pthread_t = UnsafeMutablePointer<_opaque_pthread_t>

public struct _opaque_pthread_t {}

public func pthread_self() -> pthread_t { fatalError("declared only") }

public func pthread_create(
    _ thread: UnsafeMutablePointer<pthread_t?>, _ attributes: UnsafePointer<pthread_attr_t>?,
    _ body: @convention(c) (UnsafeMutableRawPointer) -> UnsafeMutableRawPointer?, _ argument: UnsafeMutableRawPointer?
) -> Int32 { -1 }

// <spawn.h>
public typealias posix_spawn_file_actions_t = UnsafeMutableRawPointer
public typealias posix_spawnattr_t = UnsafeMutableRawPointer

// <sys/socket.h>, <sys/resource.h>
public var SOCK_STREAM: Int32 { 1 }
public var RLIMIT_NOFILE: Int32 { 8 }
