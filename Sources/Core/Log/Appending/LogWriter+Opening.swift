extension LogWriter {
    /// Reads the groups that the last process left in the tail, and publishes them in `state`.
    ///
    /// - Returns: Descriptions of damage that loses no event.
    static func readTail(in directory: String, into state: LogState) throws -> [String] {
        let recent = state.recent
        let end = recent.end
        var tail = TailFiles(directory: directory)
        try tail.open(state.metadata, after: end.group)
        let warnings = tail.damaged.map { path in
            "The first bytes of \(path) are damaged. No event is lost: the log's environment has every group. The next "
                + "change begins the file again."
        }
        var cursor = TailCursor(after: end)
        while try cursor.next(in: tail, { recent.publish($0, $1) }) {}
        try cursor.requireNothingMissing(in: tail)
        // A power loss may have removed the group before this one. This group is then lost too, and its number is not
        // used again.
        let highest = try tail.highestNumber()
        if highest > cursor.last { recent.skip(upTo: highest) }
        return warnings
    }
}
