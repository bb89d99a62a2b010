import Foundation

// Safety: libFuzzer lends the input for the length of the call, which copies it.

/// Opens, verifies, reads and changes a whole store made of the input, and reads its history.
///
/// The first byte says how the rest becomes the log: bit 0, frames with their headers, else
/// records, each behind two bytes of length; bits 1 to 3, how many records of a good store stand
/// before them; bit 4, read-only; bit 5, salvage it first; bit 6, the input changes page files and
/// a checkpoint (``FuzzPages``) instead. Checksums are made to fit in every case.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzStore(_ data: UnsafePointer<UInt8>, _ size: Int) -> CInt {
    guard size > 1 else { return 0 }
    let flags = data[0]
    let input = Array(UnsafeBufferPointer(start: data + 1, count: size - 1))
    let isPaged = flags & 64 != 0
    let made =
        isPaged
        ? FuzzPages.makeStore(input)?.store : makeSegment(flags, input).makeStore("fuzz.realm")
    guard let fileSystem = made else { return 0 }
    let account = NodeAccount(guardsNodes: isPaged)
    do {
        if flags & 32 != 0 { try salvage(fileSystem) }
        if isPaged {
            try exercisePages(fileSystem, account, readOnly: flags & 16 != 0)
        } else {
            try exercise(fileSystem, account, readOnly: flags & 16 != 0)
        }
    } catch is StorageError {
        // Damage that was noticed, which is all that is asked.
    } catch {
        preconditionFailure("An error of another kind: \(error)")
    }
    precondition(account.nodeCount == 0, "Nodes are left in memory")
    return 0
}

/// Small segments, and nothing in the background.
private let options = {
    var options = LogOptions()
    options.segmentSizeMin = 2048
    options.segmentSizeMax = 8192
    options.pages.segmentSizeMin = 2048
    options.pages.segmentSizeGrown = 2048
    options.preparesInBackground = false
    return options
}()

/// Salvages the store into a new one, in which there is nothing wrong.
private func salvage(_ fileSystem: MemoryFileSystem) throws {
    var salvage = StoreSalvage(
        fileSystem: fileSystem, directory: "fuzz.realm", destination: "salvaged.realm")
    salvage.options = options
    salvage.fallbackSchema = FuzzContents.schema
    let outcome = try salvage.run()
    var opening = StoreOpening(fileSystem: fileSystem, directory: "salvaged.realm")
    opening.options = options
    opening.options.readOnly = true
    let opened = try opening.open(account: NodeAccount()) { $0 }
    let verifier = StoreVerifier(opened.tree.capture(version: opened.version), isShared: false)
    do {
        try verifier.verify()
    } catch {
        preconditionFailure("Nobody cancelled")
    }
    precondition(verifier.problems.isEmpty, "\(verifier.problems)")
    precondition(verifier.counts.rows == outcome.rows.values.reduce(0, +))
    try opened.log.close()
}

private func makeSegment(_ flags: UInt8, _ input: [UInt8]) -> FuzzSegment {
    let good = FuzzContents.records.prefix(Int(flags >> 1 & 7))
    if flags & 1 != 0 {
        var segment = FuzzSegment(fixing: input[...])
        if segment.bytes.count < 1 << 16, !good.isEmpty {
            // Behind everything, so that it is seen to be read after damage too.
            segment.append(record: good[0], version: Version(1 << 40))
        }
        return segment
    }
    var segment = FuzzSegment()
    var version: UInt64 = 1
    for record in good {
        segment.append(record: record, version: Version(version))
        version += 1
    }
    segment.append(records: input[...], from: Version(version))
    return segment
}

private func exercise(
    _ fileSystem: MemoryFileSystem, _ account: NodeAccount, readOnly: Bool
) throws {
    var opening = StoreOpening(fileSystem: fileSystem, directory: "fuzz.realm")
    opening.options = options
    opening.options.readOnly = readOnly
    let opened = try opening.open(account: account) { $0 }
    let tree = opened.tree
    try check(tree, opened.version)
    StoreReading.read(tree.view)
    try HistoryReading.read(opened.log)
    if !readOnly {
        let before = tree.capture(version: opened.version)
        StoreReading.change(tree)
        try check(tree, opened.version.next)
        StoreReading.read(tree.view)
        let delta = tree.takeDelta()
        if !delta.isEmpty {
            let group = CommitGroupBuffer()
            let version = opened.version.next
            try group.append(version: version) { (writer) throws(StorageError) in
                CommitRecord.encode(
                    delta, of: tree, before: before.view, author: nil, schema: nil, time: 0,
                    into: &writer)
            }
            try opened.log.append(group)
            try HistoryReading.read(opened.log)
        }
        let rows = tree.schema.classes.indices.map { tree.view.classView(ClassID($0)).count }
        try opened.log.close()
        opening.options.readOnly = true
        let again = try opening.open(account: account) { $0 }
        let view = again.tree.view
        precondition(rows == view.schema.classes.indices.map { view.classView(ClassID($0)).count })
        try again.log.close()
    } else {
        try opened.log.close()
    }
}

/// Verifies a tree of which the page file may say anything, and reads it whatever that says. One
/// with nothing wrong in it is read and changed as any other.
private func exercisePages(
    _ fileSystem: MemoryFileSystem, _ account: NodeAccount, readOnly: Bool
) throws {
    do {
        var opening = StoreOpening(fileSystem: fileSystem, directory: "fuzz.realm")
        opening.options = options
        opening.options.readOnly = true
        let opened = try opening.open(account: account) { $0 }
        let snapshot = opened.tree.capture(version: opened.version)
        let verifier = StoreVerifier(snapshot, isShared: false)
        do {
            try verifier.verify()
        } catch {
            preconditionFailure("Nobody cancelled")
        }
        // Beyond what can be verified, and with what was read on the way attached.
        HostileReading.read(snapshot.view)
        try opened.log.close()
        guard verifier.problems.isEmpty, account.failure == nil else { return }
    }
    try exercise(fileSystem, account, readOnly: readOnly)
}

/// Whatever the records say, the tree made of them is sound: only what they say can be wrong.
private func check(_ tree: WorkingTree, _ version: Version) throws {
    let verifier = StoreVerifier(tree.capture(version: version), isShared: false)
    do {
        try verifier.verify()
    } catch {
        preconditionFailure("Nobody cancelled")
    }
    for problem in verifier.problems {
        switch problem.kind {
        // Links, keys and owners are as the records have them.
        case .link, .duplicateKey, .ownership: continue
        // Elements of sets and maps stand in records in their order, which nothing checks.
        case .order where problem.reason == "elements are out of order": continue
        default: preconditionFailure("\(problem)")
        }
    }
}

/// Called by libFuzzer before it begins: writes the first inputs when asked to.
@_cdecl("LLVMFuzzerInitialize")
public func prepareStores(
    _ count: UnsafeMutablePointer<CInt>, _ arguments: UnsafeMutableRawPointer
) -> CInt {
    let records = FuzzContents.records
    var seeds: [(name: String, bytes: [UInt8])] = []
    func lengths(_ record: [UInt8]) -> [UInt8] {
        [UInt8(record.count & 0xFF), UInt8(record.count >> 8)]
    }
    var all: [UInt8] = [0]
    for (index, record) in records.enumerated() {
        all += lengths(record) + record
        seeds.append(("record\(index)", [UInt8(index << 1)] + lengths(record) + record))
    }
    seeds.append(("records", all))
    var segment = FuzzSegment()
    for (index, record) in records.enumerated() {
        segment.append(record: record, version: Version(UInt64(index + 1)))
    }
    let frames = segment.bytes.dropFirst(
        SegmentHeader.size + FrameHeader.size + EpochPayload.size)
    seeds.append(("frames", [1] + frames))
    seeds.append(("readonly", [17] + frames))
    seeds.append(("salvage", [33] + frames))
    // A few places across the page file; what is written there is zero.
    var patches: [UInt8] = [13]
    for index in 0..<13 {
        let offset = 100 + index * 977
        patches += [UInt8(offset & 0xFF), UInt8(offset >> 8), 1, 0, 0]
    }
    for (name, flags) in [("pages", UInt8(64)), ("pages-readonly", 80), ("pages-salvage", 96)] {
        seeds.append((name, [flags, 0]))
        seeds.append((name + "-patched", [flags] + patches))
    }
    FuzzSeeds.writeIfAsked(seeds)
    return 0
}
