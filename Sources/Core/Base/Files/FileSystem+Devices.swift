#if canImport(Darwin)
    internal import TidelogFoundation
#endif

// Attributes of files for phones and tablets. Some volumes have no such attributes, so a failure is no error.
extension FileSystem {
    /// Encrypts the files that are created in `directory` until the person unlocks the device for the first time after a start.
    /// Apps that run in the background while the device is locked can then read and write them.
    static func protectUntilFirstUnlock(_ directory: String) {
        #if canImport(Darwin) && !os(macOS)
            let protection = FileProtectionType.completeUntilFirstUserAuthentication
            try? FileManager.default.setAttributes([.protectionKey: protection], ofItemAtPath: directory)
        #endif
    }

    /// Excludes `directory` and its files from backups of the device, because they can be made again.
    static func excludeFromBackups(_ directory: String) {
        #if canImport(Darwin)
            var url = URL(fileURLWithPath: directory, isDirectory: true)
            var values = URLResourceValues()
            values.isExcludedFromBackup = true
            try? url.setResourceValues(values)
        #endif
    }
}
