// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// Types of Apple's C library that share their name with a function. The functions are in the module `Darwin`, because a module
// of Swift cannot have both.
@_exported public import Glibc

// <sys/stat.h>
public typealias dev_t = Int32
public typealias mode_t = UInt16

public struct stat {
    public var st_dev: dev_t
    public var st_mode: mode_t
    public var st_ino: UInt64
    public var st_nlink: UInt16
    public var st_uid: uid_t
    public var st_mtimespec: timespec
    public var st_size: off_t
    public var st_blocks: Int64

    public init() { fatalError("declared only") }
}

// <sys/mount.h>
public struct fsid_t {
    public var val: (Int32, Int32)
}

public struct statfs {
    public var f_flags: UInt32
    public var f_fsid: fsid_t

    public init() { fatalError("declared only") }
}

// <sys/statvfs.h>
public struct statvfs {
    public var f_bavail: UInt32
    public var f_frsize: UInt

    public init() { fatalError("declared only") }
}
