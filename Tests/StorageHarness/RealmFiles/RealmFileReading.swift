#if canImport(Storage)
    package import Storage
#endif

// Safety: the bytes are those of an array, lent for the length of a call that copies them.

/// Reads everything in a `.realm` file that may hold anything. Nothing is expected of what comes
/// out: only that something does.
///
/// The fuzzer is built with this file, too; there all is one module.
package struct RealmFileReading {
    /// How many values there were, those of collections included.
    package private(set) var values = 0
    /// What a salvage has left out.
    package private(set) var report = RealmFileReport()

    package init() {}

    /// Opens the bytes as a file of this name.
    package static func open(
        _ bytes: [UInt8], key: [UInt8]? = nil, salvage: Bool = false
    ) throws -> RealmFile {
        let files = MemoryFileSystem()
        let file = try files.open("file.realm", .create)
        try bytes.withUnsafeBytes { try file.write($0, at: 0) }
        return try RealmFile(path: "file.realm", in: files, key: key, salvage: salvage)
    }

    /// Reads all objects of all classes; returns how many there were.
    package mutating func read(_ file: RealmFile) throws -> Int {
        defer { report = file.report }
        var objects = 0
        for object in file.classes {
            var cursor = file.objects(of: object)
            while let batch = try cursor.next() {
                objects += batch.count
                for column in batch.columns.indices {
                    for row in batch.keys.indices {
                        try read(try batch.value(of: column, at: row))
                    }
                }
            }
        }
        return objects
    }

    private mutating func read(_ value: RealmFileValue) throws(RealmFileError) {
        values += 1
        guard case .collection(let collection) = value else { return }
        if collection.kind == .dictionary {
            var entries = collection.entries()
            while let entry = try entries.next() { try read(entry.value) }
            return
        }
        var elements = collection.elements()
        while let run = try elements.next() {
            // Most elements are numbers, of which there is nothing to follow.
            guard case .mixed = run.column else {
                values += run.count
                continue
            }
            for index in 0..<run.count {
                if let value = try run.value(at: index) { try read(value) }
            }
        }
    }
}
