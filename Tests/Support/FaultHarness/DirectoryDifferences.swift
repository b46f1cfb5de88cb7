public import Foundation

/// The differences between two directories: the sorted paths that exist in only one of them or whose bytes differ.
public func directoryDifferences(
    _ left: URL, _ right: URL, leavingOut isLeftOut: (String) -> Bool = Trace.isSharedMemory
) throws -> [String] {
    let manager = FileManager.default
    let leftPaths = Set(try manager.subpathsOfDirectory(atPath: left.path).filter { !isLeftOut($0) })
    let rightPaths = Set(try manager.subpathsOfDirectory(atPath: right.path).filter { !isLeftOut($0) })
    let differing = leftPaths.intersection(rightPaths).filter { path in
        !manager.contentsEqual(
            atPath: left.appendingPathComponent(path).path, andPath: right.appendingPathComponent(path).path)
            && !isDirectory(left.appendingPathComponent(path))
    }
    return leftPaths.symmetricDifference(rightPaths).union(differing).sorted()
}

private func isDirectory(_ url: URL) -> Bool {
    var isDirectory: ObjCBool = false
    return FileManager.default.fileExists(atPath: url.path, isDirectory: &isDirectory) && isDirectory.boolValue
}
